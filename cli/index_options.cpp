// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index_options.hpp"

#include "tables/output.hpp"
#include "tables/strings.hpp"
#include "tables/words.hpp"
#include "tools/devices_option.hpp"
#include "tools/header_option.hpp"
#include "tools/stopwatch.hpp"

#include <warpdex/advise.hpp>
#include <warpdex/device.hpp>
#include <warpdex/note.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <system_error>

namespace warpdex::cli {
namespace {

bool is_folder(std::filesystem::path const& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::vector<std::string> key_type_names() {
  std::vector<std::string> names;
  for (key_type const type : key_types) names.emplace_back(to_string(type));
  return names;
}

void add_backend_options(CLI::App& command, index_options& options) {
  command.add_option("--backend", options.backend, "What runs it: auto is cuda if there is a usable device, else cpu")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Threads of the cpu backend, 0 for all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
}

CLI::Option* add_devices_option(CLI::App& command, index_options& options) {
  return command
      .add_option("--devices", options.devices,
                  "The GPUs that have the shards of the index: 0,1; or cpu,cpu for shards on the host")
      ->type_name("DEVICE,...")
      ->excludes(command.get_option("--backend"));
}

void add_shard_options(CLI::App& command, index_options& options) {
  auto* const devices = add_devices_option(command, options);
  command
      .add_option("--placement", options.placement,
                  "How keys are placed there: replicate, all keys on each device; range, an interval of keys on each; "
                  "or auto, which replicates what fits (default)")
      ->check(CLI::IsMember({"replicate", "range", "auto"}))
      ->needs(devices);
}

void add_null_option(CLI::App& command, index_options& options) {
  command
      .add_option("--null", options.null,
                  "Keys without a value: an error, or skipped; then the other rows keep their positions")
      ->check(CLI::IsMember({"skip", "error"}))
      ->capture_default_str();
}

void add_type_option(CLI::App& command, index_options& options, std::string const& source) {
  command.add_option("--type", options.type, "Key type, if not the one found from the values of " + source)
      ->check(CLI::IsMember(key_type_names()));
}

void add_table_options(CLI::App& command, index_options& options) {
  add_header_option(command, options.header);
  command
      .add_option("--delimiter", options.delimiter,
                  "The separator of cells of tables: a character, or tab; all text files are then read as tables")
      ->type_name("CHAR");
}

void add_key_options(CLI::App& command, index_options& options) {
  command
      .add_option("--key", options.key,
                  "Keys of several columns of the table: in the order of the first, then of the second, and so on. "
                  "Values and bounds are the columns with the same names, or a list of others, FILE:COLUMN,COLUMN. "
                  "Strings need the type bytes, and with an index file all types are needed")
      ->type_name("NAME[:TYPE][:desc],...");
  add_type_option(command, options, "--keys");
  add_null_option(command, options);
  add_table_options(command, options);
}

std::vector<tables::tuple_field> key_fields(index_options const& options) {
  if (options.key.empty()) return {};
  if (!options.type.empty())
    throw usage_error("--type " + options.type +
                      " does not go with --key, whose columns have types of their own: " + "NAME:TYPE");
  try {
    return tables::parse_tuple(options.key);
  } catch (spec_error const& e) {
    throw usage_error("--key " + std::string(e.what()));
  }
}

std::optional<char> delimiter_of(index_options const& options) {
  std::string const& text = options.delimiter;
  if (text.empty()) return {};
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text.find_first_of("\"\r\n") != std::string::npos)
    throw usage_error("--delimiter '" + text + "': one character, or tab, was expected, and no quote or line end");
  return text[0];
}

void add_index_options(CLI::App& command, index_options& options) {
  command
      .add_option(
          "--index", options.index,
          "An index file or folder made by `warpdex build`, or a spec, which builds an index over --keys first: "
          "auto chooses one, "
          "hash only finds equal keys; see `warpdex info`. The name of an existing file means the file")
      ->type_name("SPEC|FILE|FOLDER")
      ->required();
  command
      .add_option("--check", options.check,
                  "What to check of an index file: all; structure, which skips its keys; or none, for a quick answer "
                  "from a file that you made and that nobody changes meanwhile")
      ->check(CLI::IsMember({"all", "structure", "none"}))
      ->capture_default_str();
  command.add_option("--keys", options.keys, "The key column, if --index is a spec")->type_name("FILE[:COLUMN]");
  add_key_options(command, options);
  add_backend_options(command, options);
  add_shard_options(command, options);
}

CLI::Option* add_workload_option(CLI::App& command, std::string& words) {
  return command
      .add_option("--workload", words,
                  "What the index is for: points, ranges, order, least_memory, rebuilds, rays, batch=PROBES, "
                  "hits=ENTRIES")
      ->type_name("WORD[,WORD...]");
}

CLI::Option* add_device_option(CLI::App& command, std::string& name) {
  return command.add_option("--device", name,
                            "Choose for a GPU of this name, such as 'NVIDIA H200', which need not be present");
}

spec workload_spec(std::string const& words, std::string const& options) {
  try {
    spec s((words.empty() ? "auto" : "auto(" + words + ")") + options);
    workload_of(s);
    return s;
  } catch (spec_error const& e) {
    throw usage_error("--workload: " + std::string(e.what()));
  }
}

tables::read_options key_reading(index_options const& options, std::optional<key_type> type) {
  return {.type = type,
          .keep_rows = options.keep_table,
          .header = options.header,
          .skip_nulls = options.null == "skip",
          .null_hint = options.null_hint,
          .delimiter = delimiter_of(options),
          .threads = options.threads,
          .fields = key_fields(options)};
}

void add_strict_option(CLI::App& command, bool& strict) {
  command.add_flag("--strict", strict, "Refuse nulls and values that are no keys of the index's type");
}

tables::read_options probe_reading(index_options const& options, bool strict, opened_index const& opened,
                                   tables::other_values others, bool beginnings) {
  // What is no key is compared as the value of another type, and keys that are times have none.
  bool const no_other_type = others == tables::other_values::change_type && opened.keys_as.is_time();
  return {.type = opened.index->key_type(),
          .keep_text = true,
          .header = options.header,
          .skip_nulls = !strict,
          .null_hint = null_of_strict,
          .others = strict || no_other_type ? tables::other_values::refuse : others,
          .delimiter = delimiter_of(options),
          .threads = options.threads,
          .fields = opened.fields,
          .beginnings = beginnings,
          .keys_as = opened.keys_as};
}

tables::key_column read_keys(cli_context const& context, index_options const& options) {
  progress const shown(context, "reading " + options.keys);
  std::optional<key_type> type;
  if (!options.type.empty()) type = parse_key_type(options.type);
  return tables::key_column(options.keys, key_reading(options, type));
}

bool names_folder(index_options const& options) {
  std::error_code ignored;
  return is_folder(options.index) &&
         std::filesystem::exists(std::filesystem::path(options.index) / sharded_index::manifest_name, ignored);
}

bool names_file(index_options const& options) {
  std::error_code ignored;
  return (std::filesystem::exists(options.index, ignored) && !is_folder(options.index)) || names_folder(options);
}

std::string named_file(index_options const& options) {
  return "--index " + options.index + (is_folder(options.index) ? " is a folder" : " is a file");
}

std::string last_file(std::string const& path) {
  return is_folder(path) ? (std::filesystem::path(path) / sharded_index::manifest_name).string() : path;
}

spec index_spec(index_options const& options) {
  auto const expect_no_folder = [&] {
    if (is_folder(options.index))
      throw io_error(fmt::format("--index {}: the folder has no {}, so it is no sharded index", options.index,
                                 sharded_index::manifest_name));
  };
  // The name of a file that is not there, most likely.
  if (options.index.ends_with(".wdx") || options.index.starts_with("/") || options.index.starts_with(".")) {
    expect_no_folder();
    throw io_error(options.index + ": cannot open: there is no such index file");
  }
  try {
    return canonical(options.index);
  } catch (spec_error const& e) {
    expect_no_folder();
    throw spec_error("--index names no file, and as a spec it is not valid: " + std::string(e.what()));
  }
}

namespace {

/// The width of row ids in an index over `size` rows.
row_type rows_of(spec const& s, std::uint64_t size) {
  if (auto const* const rows = s.option("rows")) return rows->value == "u32" ? row_type::u32 : row_type::u64;
  return size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
}

/// @return what calls run with: of shards the host, where their arrays are
execution execution_of(index_options const& options) {
  bool const has_shards = !options.devices.empty() || names_folder(options);
  return has_shards ? execution(host_memory(), {}, options.threads) : make_execution(options.backend, options.threads);
}

/// @return where shards are: on `--devices`, or all in one place
std::vector<shard_place> places_of(index_options const& options) {
  if (!options.devices.empty()) return places_on(parse_devices(options.devices), options.threads);
  execution const exec = make_execution(options.backend, options.threads);
  return {{exec, exec.memory->backend() == backend_kind::cuda ? 0 : -1}};
}

/// @param rows none, or a `row_column`
template <class... Rows>
std::unique_ptr<any_index> build_from(index_options const& options, spec const& s, column const& keys,
                                      execution const& exec, Rows const&... rows) {
  if (options.devices.empty()) return std::make_unique<index>(index::build(s, keys, rows..., exec));
  placement const how = options.placement.empty() ? placement::automatic : parse_placement(options.placement);
  return std::make_unique<sharded_index>(sharded_index::build(s, keys, rows..., how, places_of(options)));
}

/// Row ids from a column, one for each cell of `keys`.
std::unique_ptr<any_index> build_with_rows(spec const& s, tables::key_column const& keys, index_options const& options,
                                           std::string const& rows, execution const& exec) {
  tables::read_options reading{
      .header = options.header, .delimiter = delimiter_of(options), .threads = options.threads};
  if (auto const* const given = s.option("rows")) reading.type = parse_key_type(given->value);
  tables::key_column read(rows, reading);
  if (read.type() != key_type::u32 && read.type() != key_type::u64)
    throw format_error("--rows " + rows + " has values of type " + std::string(to_string(read.type())) +
                       "; row ids are whole numbers from 0 on");
  if (read.size() != keys.size())
    throw format_error("--rows " + rows + " has " + tables::counted(read.size(), "row") + ", --keys " + options.keys +
                       " has " + std::to_string(keys.size()));
  read.leave_out(keys.left_out());
  row_type const type = read.type() == key_type::u32 ? row_type::u32 : row_type::u64;
  return build_from(options, s, keys.keys(), exec, row_column(read.keys().data, read.keys().size, type));
}

}  // namespace

std::unique_ptr<any_index> build_over(index_options const& options, spec const& s, tables::key_column const& keys,
                                      execution const& exec) {
  auto const with = [&]<class Row>(std::vector<Row> const& rows) {
    return build_from(options, s, keys.keys(), exec, row_column(std::span(rows)));
  };
  if (keys.left_out().empty()) return build_from(options, s, keys.keys(), exec);
  if (rows_of(s, keys.size()) == row_type::u64) return with(keys.rows<std::uint64_t>());
  return with(keys.rows<std::uint32_t>());
}

opened_index build_index(cli_context const& context, index_options const& options, std::string const& rows) {
  spec const s = index_spec(options);
  execution const exec = execution_of(options);
  tools::stopwatch watch;
  auto keys = read_keys(context, options);
  double const read_seconds = watch.lap();
  shown_build const shown(context, "building " + s.text());
  auto built = rows.empty() ? build_over(options, s, keys, exec) : build_with_rows(s, keys, options, rows, exec);
  return {exec,
          std::move(built),
          options.keys,
          false,
          read_seconds,
          watch.lap(),
          keys.nulls(),
          {keys.fields().begin(), keys.fields().end()},
          options.keep_table ? keys.file() : nullptr,
          keys.take_row_places(),
          keys.keys_as(),
          keys.keys_as().note()};
}

void expect_buildable(spec const& s, index_options const& options, index_check const& check) {
  if (s.structure() == "auto" && !options.key.empty()) return;  // the columns decide what tuples become
  execution const exec = execution_of(options);
  auto const type = options.type.empty() ? key_type::u32 : parse_key_type(options.type);
  auto const empty = build_from(options, s, column(nullptr, 0, type), exec);
  if (check) check(*empty, exec);
}

void add_out_option(CLI::App& command, std::string& out) {
  command
      .add_option_function<std::string>(
          "--out", [&out](std::string const& path) { out = path == "-" ? "" : path; },
          "Where to write the CSV, instead of standard output (-); appears when complete")
      ->type_name("FILE");
}

void expect_no_input(std::string const& out, std::initializer_list<input_option> inputs) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(out, none)) return;
  for (auto const& [name, value] : inputs) {
    std::string const path = tables::parse_source(value).path;
    bool const is_offsets = tables::is_string_file(path) && tables::is_same_file(out, tables::offsets_path(path));
    std::string const folder = std::filesystem::absolute(out).parent_path().string();
    bool const is_shard = is_folder(path) && tables::is_same_file(folder, path);
    if (is_offsets || is_shard || tables::is_same_file(out, path))
      throw usage_error(fmt::format("--out {} is the file of {} {}, which the result would replace", out, name, value));
  }
}

void expect_input(index_options const& options, std::string const& source, bool beginnings) {
  tables::expect_source(source, {.header = options.header,
                                 .delimiter = delimiter_of(options),
                                 .fields = key_fields(options),
                                 .beginnings = beginnings});
}

void expect_column(index_options const& options, std::string const& source) {
  tables::expect_source(source, {.header = options.header, .delimiter = delimiter_of(options)});
}

void expect_columns(index_options const& options, std::string const& source, std::span<std::string const> names) {
  constexpr std::size_t enough = 64;  // to see what kind of file it is
  std::string const path = tables::parse_source(source).path;
  auto const head = tables::input_file::head(path, enough);
  if (!head) return;
  expect_table(options, source, *head);
  for (std::string const& name : names) expect_column(options, path + ':' + name);
}

char expect_table(index_options const& options, std::string const& source, tables::input_file const& file) {
  auto const delimiter = tables::delimiter_of(tables::parse_source(source), file, delimiter_of(options));
  if (!delimiter) file.fail("has no columns: a table is needed, a .csv or .tsv file, or one given with a COLUMN");
  return *delimiter;
}

void expect_index_file(std::string const& out) {
  if (out == "-") throw usage_error("--out -: an index file cannot go to standard output; give the name of a file");
}

void expect_index_writable(std::string const& out, bool shards) {
  std::error_code ignored;
  if (shards && !is_folder(out) && std::filesystem::exists(out, ignored))
    throw io_error(out + ": cannot write: shards need a folder, and it is none");
  tables::expect_writable(shards ? last_file(out) : out);
}

index const& in_one_piece(any_index const& x, std::string const& asks) {
  auto const* const whole = dynamic_cast<index const*>(&x);
  if (whole == nullptr) throw unsupported(asks + ": a sharded index does not offer it; build one without --devices");
  return *whole;
}

opened_index open_index(cli_context const& context, index_options const& options, index_check const& check) {
  if (!names_file(options)) {
    spec const s = index_spec(options);
    if (options.keys.empty()) {
      throw usage_error("--index " + s.text() + " is a spec, which needs --keys FILE[:COLUMN]");
    }
    expect_buildable(s, options, check);
    expect_input(options, options.keys);
    opened_index opened = build_index(context, options);
    if (check) check(*opened.index, opened.exec);
    return opened;
  }
  if (!options.keys.empty()) throw usage_error(named_file(options) + " and holds its keys; leave out --keys");
  if (!options.type.empty()) throw usage_error(named_file(options) + " and knows its key type; leave out --type");
  if (options.null == "skip") throw usage_error(named_file(options) + " and holds its keys; leave out --null");
  opened_index opened = load_index(context, options);
  if (check) check(*opened.index, opened.exec);
  return opened;
}

namespace {

/// @return whether strings without a note are UUIDs, as far as the first, the middle and the last one tell; a hash
/// table has none of these
bool holds_uuids(any_index const& x, execution const& exec) {
  if (x.key_type() != key_type::bytes || x.size() == 0 || !x.ordered()) return false;
  std::vector<std::uint64_t> const ranks = {0, x.size() / 2, x.size() - 1};
  key_list const keys = x.keys_at(ranks, exec);
  std::vector<std::byte> bytes(keys.bytes);
  std::vector<std::uint64_t> offsets(keys.size + 1);
  if (keys.bytes != 0) copy(bytes.data(), keys.keys.data(), keys.bytes, exec);
  copy(offsets.data(), keys.offsets.data(), offsets.size() * sizeof offsets[0], exec);
  column const some(std::span<std::byte const>(bytes), offsets);
  return tables::is_uuid(tables::string_at(some, 0)) && tables::is_uuid(tables::string_at(some, 1)) &&
         tables::is_uuid(tables::string_at(some, 2));
}

std::unique_ptr<any_index> load(index_options const& options, execution const& exec) {
  check const checks = options.check == "all"         ? check::all
                       : options.check == "structure" ? check::structure
                                                      : check::none;
  bool const map = checks == check::none;
  if (names_folder(options))
    return std::make_unique<sharded_index>(sharded_index::load(options.index, places_of(options), map, checks));
  return std::make_unique<index>(index::load(options.index, exec, map, checks));
}

void expect_places(index_options const& options) {
  if (!options.placement.empty())
    throw usage_error(fmt::format("--placement {}: {} and has a placement; leave out --placement", options.placement,
                                  named_file(options)));
  if (!options.devices.empty() && !names_folder(options))
    throw usage_error(fmt::format("--devices {}: {}, of an index without shards; leave out --devices", options.devices,
                                  named_file(options)));
}

}  // namespace

opened_index load_index(cli_context const& context, index_options const& options) {
  expect_places(options);
  execution const exec = execution_of(options);
  progress const shown(context, "loading " + options.index);
  tools::stopwatch watch;
  auto fields = key_fields(options);
  for (auto const& field : fields)
    if (!field.type)
      throw usage_error("--key " + options.key + ": " + named_file(options) +
                        ", which does not tell the types of columns; give all of them, as in " + field.column +
                        ":date");
  auto loaded = load(options, exec);
  std::string note = note_of(last_file(options.index));
  tables::notation keys_as;
  if (fields.empty()) keys_as = {note.empty() && holds_uuids(*loaded, exec) ? "uuid" : note, loaded->key_type()};
  double const seconds = watch.lap();
  opened_index opened{exec, std::move(loaded), options.index, true, 0, seconds, 0, std::move(fields)};
  opened.keys_as = std::move(keys_as);
  opened.note = std::move(note);
  return opened;
}

void save_index(opened_index const& opened, std::string const& out) {
  if (auto const* const shards = dynamic_cast<sharded_index const*>(opened.index.get()))
    save(*shards, out, opened.note);
  else save(in_one_piece(*opened.index, "save"), out, opened.note);
}

}  // namespace warpdex::cli
