// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "held_file.hpp"
#include "index_options.hpp"
#include "summary.hpp"
#include "tables/escape.hpp"
#include "tables/keys.hpp"
#include "tables/output.hpp"
#include "tables/words.hpp"
#include "tools/stopwatch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpdex::cli {
namespace {

struct update_options : index_options {
  std::string insert;
  std::string rows;
  std::optional<std::uint64_t> first_row;
  std::string erase;
  bool assign = false;
  bool strict = false;
  std::uint32_t wait = 600;
  std::string out;
};

void expect_consistent(update_options const& options) {
  bool const inserts = !options.insert.empty();
  if (!inserts && options.erase.empty()) throw usage_error("there is nothing to do: --insert or --erase is needed");
  if (!inserts && (!options.rows.empty() || options.first_row || options.assign))
    throw usage_error("--rows, --first-row and --assign go with --insert");
  if (inserts && options.rows.empty() == !options.first_row)
    throw usage_error("--insert needs the row ids of its keys: either --rows or --first-row");
  if (options.assign && !options.erase.empty())
    throw usage_error("--assign erases the inserted keys' entries; leave out --erase");
}

/// Row ids of the inserted keys, read from a file or numbered.
class inserted_rows {
 public:
  inserted_rows(update_options const& options, tables::key_column const& keys, row_type type) {
    if (!options.first_row) {
      read_.emplace(options.rows, tables::read_options{.type = type == row_type::u32 ? key_type::u32 : key_type::u64,
                                                       .header = options.header,
                                                       .delimiter = delimiter_of(options),
                                                       .threads = options.threads});
      if (read_->size() != keys.size()) {
        throw format_error(fmt::format("--rows {} has {}, --insert {} has {}", options.rows,
                                       tables::counted(read_->size(), "row"), options.insert, keys.size()));
      }
      read_->leave_out(keys.left_out());
      rows_ = {read_->keys().data, read_->keys().size, type};
    } else if (type == row_type::u32) {
      rows_ = number(narrow_, *options.first_row, keys);
    } else {
      rows_ = number(wide_, *options.first_row, keys);
    }
  }
  inserted_rows(inserted_rows const&) = delete;
  inserted_rows& operator=(inserted_rows const&) = delete;

  row_column rows() const noexcept { return rows_; }

 private:
  template <class Row>
  static row_column number(std::vector<Row>& rows, std::uint64_t first, tables::key_column const& keys) {
    if (first > no_row<Row> || no_row<Row> - first < keys.size())
      throw invalid_argument(fmt::format("--first-row {}: {} row ids from there go beyond {}, the last of {} bits{}",
                                         first, keys.size(), no_row<Row> - 1, sizeof(Row) * 8,
                                         sizeof(Row) == 4 ? "; an index with the option /rows=u64 holds more" : ""));
    rows = keys.rows(static_cast<Row>(first));
    return std::span<Row const>(rows);
  }

  std::optional<tables::key_column> read_;
  std::vector<std::uint32_t> narrow_;
  std::vector<std::uint64_t> wide_;
  row_column rows_;
};

update_counts apply(cli_context const& context, update_options const& options, opened_index& opened, work_done& done) {
  any_index& x = *opened.index;
  tools::stopwatch watch;
  std::optional<tables::key_column> insert;
  std::optional<tables::key_column> erase;
  std::unique_ptr<inserted_rows const> rows;
  {
    progress const shown(context, "reading keys");
    tables::read_options reading = key_reading(options, x.key_type());
    reading.keys_as = opened.keys_as;
    if (!options.insert.empty()) {
      insert.emplace(options.insert, reading);
      rows = std::make_unique<inserted_rows const>(options, *insert, x.row_type());
      done.nulls += insert->nulls();
    }
    if (!options.erase.empty()) {
      // A value that the index cannot hold is not in it, so there is nothing to erase.
      if (!options.strict) reading.others = tables::other_values::leave_out;
      erase.emplace(options.erase, reading);
      done.nulls += erase->nulls();
      done.not_keys = erase->others();
    }
  }
  done.probe_read_seconds = watch.lap();
  progress const shown(context, "updating " + options.index);
  auto const counts = !insert          ? x.erase(erase->keys(), opened.exec)
                      : options.assign ? x.insert_or_assign(insert->keys(), rows->rows(), opened.exec)
                      : !erase         ? x.insert(insert->keys(), rows->rows(), opened.exec)
                                       : x.update(insert->keys(), rows->rows(), erase->keys(), opened.exec);
  done.update_seconds = watch.lap();
  return counts;
}

int update(cli_context const& context, update_options const& options) {
  expect_consistent(options);
  tools::stopwatch total;
  work_done done;
  done.command = "update";
  done.output = options.out.empty() ? options.index : options.out;
  expect_index_file(done.output);
  expect_no_input(done.output, {{"--insert", options.insert}, {"--rows", options.rows}, {"--erase", options.erase}});
  for (std::string const* const keys : {&options.insert, &options.erase})
    if (!keys->empty()) expect_input(options, *keys);
  if (!options.rows.empty()) expect_column(options, options.rows);
  expect_index_writable(done.output, names_folder(options));
  std::optional<held_file> held;
  if (tables::is_same_file(done.output, options.index)) {
    held.emplace(last_file(options.index), std::chrono::seconds(options.wait), [&](std::string const& what) {
      if (!context.quiet && !context.json) std::fprintf(stderr, "warpdex: %s\n", tables::escaped(what).c_str());
    });
  }
  opened_index opened = load_index(context, options);
  done.entries_before = opened.index->size();
  done.changes = apply(context, options, opened, done);
  tools::stopwatch watch;
  {
    progress const shown(context, "writing " + done.output);
    if (held) held->expect_in_place();
    save_index(opened, done.output);
  }
  done.write_seconds = watch.lap();
  done.total_seconds = total.lap();
  print_summary(context, opened, done, false);
  return exit_success;
}

}  // namespace

void add_update(CLI::App& app, cli_context& context) {
  auto const options = std::make_shared<update_options>();
  CLI::App* const command =
      app.add_subcommand("update", "Erase keys from an index file or folder, insert others, or both");
  command->add_option("--index", options->index, "The index file or folder, made by `warpdex build`")
      ->type_name("FILE|FOLDER")
      ->required();
  command->add_option("--insert", options->insert, "Keys to insert; they are read as keys of the index's type")
      ->type_name("FILE[:COLUMN]");
  command->add_option("--rows", options->rows, "The row id of each inserted key")->type_name("FILE[:COLUMN]");
  command->add_option("--first-row", options->first_row, "Or the row id of the first of them; the others follow")
      ->type_name("N");
  command->add_option("--erase", options->erase, "Keys whose entries are all removed; an absent key is no error")
      ->type_name("FILE[:COLUMN]");
  add_null_option(*command, *options);
  command
      ->add_option(
          "--key", options->key,
          "Keys of several columns, with all types, as the index was built with; --insert and --erase are tables")
      ->type_name("NAME:TYPE[:desc],...");
  add_table_options(*command, *options);
  command->add_flag("--strict", options->strict, "Refuse keys to erase that are no keys of the index's type");
  command->add_flag("--assign", options->assign, "Inserted keys replace all entries with the same key");
  command
      ->add_option("--wait", options->wait,
                   "How long to wait for the lock of the file that is replaced, while others update it")
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      ->add_option(
          "--out", options->out,
          "The index file or folder to write, instead of the one that was read; it appears when it is complete")
      ->type_name("FILE|FOLDER");
  add_backend_options(*command, *options);
  add_devices_option(*command, *options);
  command->footer(std::string(tables::source_help) + R"(
A key that is both inserted and erased is eliminated from both: its entries stay, and none is added.
Several updates of one file may be started at a time: each waits until the one before has replaced it,
for --wait seconds at most. It says on standard error which lock it waits for.

Examples:
  warpdex update --index orders.wdx --insert today.csv:id --first-row 1000000
  warpdex update --index orders.wdx --erase cancelled.txt --insert moved.csv:id --rows moved.csv:row --out new.wdx
)");
  command->callback(
      [&context, options] { context.action = [&context, options] { return update(context, *options); }; });
}

}  // namespace warpdex::cli
