// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "keys.hpp"

#include "crew.hpp"
#include "escape.hpp"
#include "field_reader.hpp"
#include "table.hpp"
#include "words.hpp"

#include <warpdex/device.hpp>
#include <warpdex/key_encoder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

namespace warpdex::tables {
namespace {

bool exists(std::string_view path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(path), ignored);
}

/// @return the columns of the fields in a table: those of its source, or those with the same names
std::vector<std::optional<std::string>> columns_of(read_options const& options, source const& from,
                                                   input_file const& file) {
  auto const& fields = options.fields;
  std::vector<std::optional<std::string>> out;
  if (from.column) {
    for (std::string& name : split_names(*from.column)) out.emplace_back(std::move(name));
  } else {
    for (tuple_field const& field : fields) out.emplace_back(field.column);
    if (options.beginnings) out.resize(1);
  }
  if (options.beginnings ? out.size() > fields.size() : out.size() != fields.size())
    file.fail(fmt::format("{} where --key has {}", counted(out.size(), "column"), counted(fields.size(), "column")));
  return out;
}

/// @return the name by whose end a file is known
std::string_view name_of(std::string_view path) noexcept {
  constexpr std::string_view packed = ".gz";
  return path.ends_with(packed) ? path.substr(0, path.size() - packed.size()) : path;
}

}  // namespace

source parse_source(std::string_view text) {
  std::size_t const last = text.rfind(':');
  if (last == std::string_view::npos || exists(text)) return {std::string(text), {}};
  for (std::size_t colon = last; colon != std::string_view::npos && colon != 0; colon = text.rfind(':', colon - 1)) {
    if (exists(text.substr(0, colon))) return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
  }
  return {std::string(text.substr(0, last)), std::string(text.substr(last + 1))};
}

std::optional<char> delimiter_of(source const& from, input_file const& file, std::optional<char> given) {
  std::string_view const path = name_of(from.path);
  if (is_npy(file) || path.ends_with(".npy")) return {};
  if (given) return given;
  if (path.ends_with(".tsv")) return '\t';
  if (from.column || path.ends_with(".csv")) return ',';
  return {};
}

void expect_source(std::string_view source_text, read_options const& options) {
  constexpr std::size_t head_bytes = std::size_t{1} << 16;
  source const from = parse_source(source_text);
  auto const head = input_file::head(from.path, head_bytes);
  if (!head || head->size() == 0) return;
  auto const delimiter = delimiter_of(from, *head, options.delimiter);
  if (!delimiter) return;
  // The first line alone, if it is complete and has no quoted line end.
  file_bytes const& bytes = *head->held();
  char const* const end = find_line_end(bytes.begin(), bytes.end());
  if (end == bytes.end() || std::count(bytes.begin(), end, '"') % 2 != 0) return;
  input_file const line(from.path, {bytes.begin(), end});
  std::vector<std::optional<std::string>> columns = {from.column};
  if (!options.fields.empty()) columns = columns_of(options, from, line);
  split_columns(line, *delimiter, options.header, columns);
}

key_column::key_column(std::string_view source_text, read_options const& options) {
  source const from = parse_source(source_text);
  auto const file = std::make_shared<input_file>(from.path, options.part_bytes);
  file_ = file;
  std::string_view const path = name_of(from.path);
  bool const npy = is_npy(*file_) || path.ends_with(".npy");
  if (from.column && npy) file_->fail(fmt::format("a .npy file has no column {}", in_quotes(*from.column)));
  auto const delimiter = delimiter_of(from, *file_, options.delimiter);
  auto* const rows = options.keep_rows ? &row_places_ : nullptr;
  if (!options.fields.empty()) {
    if (!delimiter) file_->fail("keys of several columns need a table: a .csv or .tsv file, or --delimiter");
    auto const columns = columns_of(options, from, *file_);
    read_tuples(split_columns(*file_, *delimiter, options.header, columns, options.threads, rows), options);
    return;
  }
  if (npy) numbers_ = read_npy(file->hold());
  else if (delimiter)
    read_text(std::move(split_columns(*file_, *delimiter, options.header, {&from.column, 1}, options.threads, rows)[0]),
              options);
  else if (is_sosd(path)) numbers_ = read_sosd(file->hold());
  else if (path.ends_with(".u128")) numbers_ = read_raw_wide(file->hold());
  else if (is_string_file(path)) read_strings(file->hold(), options);
  else read_text(split_lines(*file_, options.threads), options);
  if (numbers_.locate != nullptr) read_numbers(options);
}

key_column::key_column(std::string const& name, std::span<std::string const> values, read_options const& options) {
  std::string text;
  cell_part cells;
  for (std::string const& value : values) {
    cells.push_back(value);
    text += value + '\n';
  }
  file_ = std::make_shared<input_file const>(name, text);
  if (options.fields.empty()) {
    cell_column column;
    column.take(part_list(std::move(cells)));
    read_text(std::move(column), options);
    return;
  }
  std::size_t const given = options.beginnings ? split_names(values.front()).size() : options.fields.size();
  if (given > options.fields.size())
    file_->fail(
        fmt::format("{} where --key has {}", counted(given, "value"), counted(options.fields.size(), "column")));
  std::vector<std::optional<std::string>> columns;
  for (std::size_t i = 0; i < given; ++i) columns.emplace_back(std::to_string(i));
  read_tuples(split_columns(*file_, ',', false, columns), options);
}

key_column::key_column(std::shared_ptr<input_file const> file, cell_column text, read_options const& options)
    : file_(std::move(file)) {
  read_text(std::move(text), options);
}

std::string key_column::heading(std::string_view usual, bool qualified) const {
  if (fields_.empty()) return std::string(usual);
  std::string const before = qualified ? std::string(usual) + '_' : "";
  std::string out;
  for (tuple_field const& field : fields_) out += (out.empty() ? "" : ",") + csv_field(before + field.column);
  return out;
}

std::size_t key_column::left_out_before(std::uint64_t cell) const noexcept {
  return static_cast<std::size_t>(std::lower_bound(left_out_.begin(), left_out_.end(), cell) - left_out_.begin());
}

std::span<std::uint64_t const> key_column::beyond(std::uint64_t first, std::uint64_t count) const noexcept {
  auto const begin = std::lower_bound(beyond_.begin(), beyond_.end(), first);
  return {begin, std::lower_bound(begin, beyond_.end(), first + count)};
}

column key_column::keys(std::uint64_t first, std::uint64_t count) const noexcept {
  std::uint64_t const begin = first - left_out_before(first);
  std::uint64_t const end = first + count - left_out_before(first + count);
  if (keys_.type == key_type::bytes) return part_of(keys_, begin, end - begin);
  return {static_cast<std::byte const*>(keys_.data) + begin * size_of(keys_.type), end - begin, keys_.type};
}

column key_column::last_keys(std::uint64_t first, std::uint64_t count) const noexcept {
  column const lower = keys(first, count);
  auto const skipped = static_cast<std::byte const*>(lower.data) - static_cast<std::byte const*>(keys_.data);
  return {last_keys_.keys.as<std::byte>() + skipped, lower.size, lower.type};
}

void key_column::take_last_keys(any_index const& from, execution const& exec) {
  if (!begins_tuples_) return;
  if (keys_.type != key_type::bytes) {
    encoded_ = std::move(last_keys_);
    keys_ = encoded_;
    return;
  }
  std::vector<std::uint64_t> below(keys_.size);
  std::vector<std::uint64_t> inside(keys_.size);
  from.lower_bound(keys_, below, exec);
  from.prefix_count(keys_, inside, exec);
  std::vector<std::uint64_t> ranks;
  for (std::uint64_t i = 0; i < keys_.size; ++i)
    if (below[i] + inside[i] != 0) ranks.push_back(below[i] + inside[i] - 1);
  key_list const found = from.keys_at(ranks, exec);
  std::vector<std::byte> bytes(found.bytes);
  std::vector<std::uint64_t> offsets(found.size + 1);
  if (found.bytes != 0) copy(bytes.data(), found.keys.data(), found.bytes, exec);
  if (found.size != 0) copy(offsets.data(), found.offsets.data(), offsets.size() * sizeof offsets[0], exec);
  column const last(std::span<std::byte const>(bytes), offsets);
  byte_strings taken;
  for (std::uint64_t i = 0, next = 0; i < keys_.size; ++i)
    taken.push_back(below[i] + inside[i] == 0 ? std::string_view() : string_at(last, next++));
  strings_ = std::move(taken);
  keys_ = strings_;
}

std::string_view key_column::text(std::uint64_t i, std::string& scratch) const {
  if (!fields_.empty()) {
    scratch.clear();
    std::string quoted;
    for (cell_column const& field : tuples_) {
      if (&field != &tuples_.front()) scratch += ',';
      std::string_view const cell = field.raw(i);
      scratch += field.is_quoted(cell) ? cell : csv_field(cell, quoted);
    }
    return scratch;
  }
  if (keys_.type == key_type::bytes)
    return csv_field(cells_.size() == 0 ? string_at(keys_, i) : cells_.text(i), scratch);
  if (numbers_.text == nullptr) return cells_.text(i);
  scratch.resize(key_text_size);
  return numbers_.text(numbers_.data + i * numbers_.bytes_each,
                       std::span<char, key_text_size>(scratch.data(), key_text_size));
}

void key_column::leave_out(std::span<std::uint64_t const> cells) {
  std::vector<std::uint64_t> all;
  std::set_union(left_out_.begin(), left_out_.end(), cells.begin(), cells.end(), std::back_inserter(all));
  if (all.size() == left_out_.size()) return;
  bool const strings = keys_.type == key_type::bytes;
  std::size_t const bytes = strings ? 0 : size_of(keys_.type);
  auto kept = std::make_unique_for_overwrite<std::byte[]>((size_ - all.size()) * bytes);
  byte_strings kept_strings;
  std::byte* out = kept.get();
  auto const* const keys = static_cast<std::byte const*>(keys_.data);
  std::uint64_t key = 0;
  auto absent = left_out_.begin();
  auto leaving = all.begin();
  for (std::uint64_t cell = 0; cell < size_; ++cell) {
    bool const leaves = leaving != all.end() && *leaving == cell;
    if (leaves) ++leaving;
    if (absent != left_out_.end() && *absent == cell) {
      ++absent;
      continue;
    }
    if (!leaves && strings) kept_strings.push_back(string_at(keys_, key));
    else if (!leaves) out = std::copy_n(keys + key * bytes, bytes, out);
    ++key;
  }
  left_out_ = std::move(all);
  if (strings) {
    strings_ = std::move(kept_strings);
    keys_ = strings_;
  } else {
    owned_ = std::move(kept);
    keys_ = {owned_.get(), size_ - left_out_.size(), keys_.type};
  }
}

template <class Row> std::vector<Row> key_column::rows(Row first) const {
  std::vector<Row> out;
  out.reserve(keys_.size);
  auto absent = left_out_.begin();
  for (std::uint64_t cell = 0; cell < size_; ++cell) {
    if (absent != left_out_.end() && *absent == cell) ++absent;
    else out.push_back(first + static_cast<Row>(cell));
  }
  return out;
}

template std::vector<std::uint32_t> key_column::rows(std::uint32_t) const;
template std::vector<std::uint64_t> key_column::rows(std::uint64_t) const;

void key_column::spread(std::uint64_t first, std::uint64_t count, void* answers, std::size_t bytes_each,
                        unsigned char fill) const noexcept {
  auto* const bytes = static_cast<std::byte*>(answers);
  std::size_t const before = left_out_before(first);
  std::uint64_t end = count;
  // From the back, so no answer is overwritten before it has moved.
  for (std::size_t i = left_out_before(first + count); i-- > before;) {
    std::uint64_t const gap = left_out_[i] - first;
    std::uint64_t const from = gap - (i - before);  // where the answers of the cells after the gap begin
    std::memmove(bytes + (gap + 1) * bytes_each, bytes + from * bytes_each, (end - gap - 1) * bytes_each);
    std::memset(bytes + gap * bytes_each, fill, bytes_each);
    end = gap;
  }
}

namespace {

std::string with_hint(std::string const& problem, read_options const& options) {
  return options.null_hint.empty() ? problem : fmt::format("{} ({})", problem, options.null_hint);
}

/// @return what is wrong with a cell
std::string complaint(fault problem, std::string_view cell, key_type type, rounded_key const& place,
                      read_options const& options) {
  std::string const text = describe(problem, cell, type, options.keys_as, place);
  return problem == fault::missing ? with_hint(text, options) : text;
}

}  // namespace

std::byte* key_column::make_room(std::uint64_t keys) {
  owned_ = std::make_unique_for_overwrite<std::byte[]>(keys * size_of(keys_.type));
  keys_.data = owned_.get();
  return owned_.get();
}

// Writes the key of a cell, or leaves the cell out.
template <class Fail>
void key_column::settle(std::uint64_t cell, fault problem, rounded_key const& place, read_options const& options,
                        std::byte*& out, Fail const& fail) {
  bool const is_null = problem == fault::missing;
  bool const has_value = problem == fault::none;
  bool const rounds = options.others == other_values::round_down || options.others == other_values::round_up;
  bool const is_key = has_value && place.exact;
  bool const taken = is_null ? options.skip_nulls : has_value && options.others != other_values::refuse;
  if (!is_key && !taken) fail();
  nulls_ += is_null ? 1 : 0;
  others_ += has_value && !is_key ? 1 : 0;

  u128 const* key = nullptr;
  if (is_key || (has_value && options.others == other_values::round_down && place.has_below)) key = &place.below;
  if (has_value && options.others == other_values::round_up && place.has_above) key = &place.above;
  if (key == nullptr) {
    left_out_.push_back(cell);
    if (has_value && rounds) beyond_.push_back(cell);
    return;
  }
  std::size_t const bytes = size_of(keys_.type);
  std::memcpy(out, key, bytes);  // the lowest bytes come first
  out += bytes;
}

/// @return whether the parts of the column agree on a type; if not, cell after cell tells why
bool key_column::find_type_in_parts(cell_column const& text, read_options const& options) {
  auto const parts = text.cells().parts();
  std::vector<type_finder> finders(parts.size());
  std::vector<char> good(parts.size());
  run_parts(parts.size(), options.threads, [&](std::size_t part) {
    type_finder finder;
    std::size_t i = 0;
    for (; i < parts[part].size(); ++i) {
      std::string_view const cell = text.text(parts[part], i);
      if (!(options.skip_nulls && is_null(cell)) && !finder.add(cell).empty()) break;
    }
    good[part] = i == parts[part].size();
    finders[part] = finder;
  });
  type_finder all;
  for (std::size_t part = 0; part < finders.size(); ++part)
    if (good[part] == 0 || !all.merge(finders[part])) return false;
  keys_.type = all.finish();
  return true;
}

void key_column::find_type(cell_column const& text, read_options const& options) {
  if (text.cells().parts().size() > 1 && find_type_in_parts(text, options)) return;
  type_finder finder;
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    std::string_view const cell = text.text(i);
    if (options.skip_nulls && is_null(cell)) continue;
    std::string const problem = finder.add(cell);
    if (!problem.empty()) text.fail(*file_, i, is_null(cell) ? with_hint(problem, options) : problem);
  }
  keys_.type = finder.finish();
}

// Forgets the cells of the column if they have to be read again.
bool key_column::changes_type(read_options const& options) {
  if (options.others != other_values::change_type || others_ == 0) return false;
  left_out_.clear();
  nulls_ = 0;
  others_ = 0;
  return true;
}

void key_column::read_text(cell_column text, read_options const& options) {
  keys_as_ = options.keys_as;
  if (options.type) keys_.type = *options.type;
  else find_type(text, options);
  parse_text(text, options);
  if (changes_type(options)) {
    find_type(text, options);
    read_options exact = options;
    exact.others =
        other_values::refuse;  // what the new type does not hold either, such as large integers among decimals
    parse_text(text, exact);
  }
  if (keys_as_.is_plain()) see_notation(text);
  if (options.keep_text && (keys_.type != key_type::bytes || keys_as_.is_uuid())) cells_ = std::move(text);
}

void key_column::parse_text(cell_column const& text, read_options const& options) {
  if (keys_.type != key_type::bytes)
    return with_key_type(keys_.type, [&]<class Key>() { parse_cells<Key>(text, options); });
  if (keys_as_.is_uuid()) parse_uuids(text);
  else strings_ = strings_of(text);
  keys_ = strings_;
  size_ = keys_.size;
}

void key_column::see_notation(cell_column const& text) {
  std::uint64_t first = 0;
  while (first < text.size() && is_null(text.text(first))) ++first;
  if (first < text.size()) keys_as_ = notation::seen_in(trimmed(text.text(first)), keys_.type);
}

/// A text of any other kind would be a key that equals none. What has 16 bytes is a UUID as it is; an empty cell is
/// none.
void key_column::parse_uuids(cell_column const& text) {
  byte_strings uuids;
  char bytes[16];
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    std::string_view const cell = text.text(i);
    if (parse_uuid(cell, bytes)) uuids.push_back({bytes, sizeof bytes});
    else if (cell.empty() || cell.size() == sizeof bytes) uuids.push_back(cell);
    else text.fail(*file_, i, describe(fault::syntax, cell, key_type::bytes, keys_as_, {}));
  }
  strings_ = std::move(uuids);
}

void key_column::read_tuples(std::vector<cell_column> text, read_options const& options) {
  fields_.assign(options.fields.begin(), options.fields.begin() + static_cast<std::ptrdiff_t>(text.size()));
  size_ = text[0].size();
  std::vector<key_column> columns;
  bool const refuses = options.others != other_values::leave_out;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    columns.push_back(key_column(file_, text[f],
                                 {.type = fields_[f].type,
                                  .skip_nulls = options.skip_nulls,
                                  .null_hint = options.null_hint,
                                  .others = refuses ? other_values::refuse : other_values::leave_out,
                                  .threads = options.threads}));
    fields_[f].type = columns[f].type();
    std::vector<std::uint64_t> both;
    std::set_union(left_out_.begin(), left_out_.end(), columns[f].left_out_.begin(), columns[f].left_out_.end(),
                   std::back_inserter(both));
    left_out_ = std::move(both);
  }
  for (std::uint64_t const row : left_out_) {
    bool missing = false;
    for (std::size_t f = 0; f < fields_.size(); ++f)
      missing |= fields_[f].type != key_type::bytes && is_null(text[f].text(row));
    ++(missing ? nulls_ : others_);
  }
  std::vector<key_field> fields;
  std::vector<nullable_column> values;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    columns[f].leave_out(left_out_);
    fields.push_back({.type = *fields_[f].type, .descending = fields_[f].descending});
    values.emplace_back(columns[f].keys());
  }
  for (std::size_t f = fields_.size(); f < options.fields.size(); ++f)
    fields.push_back({.type = *options.fields[f].type, .descending = options.fields[f].descending});
  key_encoder const encoder(std::move(fields));
  if (options.type && *options.type != encoder.type())
    file_->fail(fmt::format("the index has keys of type {}; tuples ({}) make keys of type {}", to_string(*options.type),
                            to_text(fields_), to_string(encoder.type())));
  execution const exec(host_memory(), {}, options.threads);
  begins_tuples_ = values.size() < options.fields.size();
  if (begins_tuples_) {
    key_bounds bounds = encoder.leading(values, false, exec);
    encoded_ = std::move(bounds.lower);
    last_keys_ = std::move(bounds.upper);
  } else {
    encoded_ = encoder.encode(values, exec);
  }
  keys_ = encoded_;
  if (options.keep_text) tuples_ = std::move(text);
}

void key_column::read_strings(file_bytes const& bytes, read_options const& options) {
  if (options.type && *options.type != key_type::bytes)
    file_->fail(fmt::format("a file of strings has no keys of type {}", to_string(*options.type)));
  offsets_ = std::make_shared<file_bytes const>(offsets_path(file_->path()));
  keys_ = join_string_files(bytes, *offsets_);
  size_ = keys_.size;
}

// Parts whose cells are all usual keys are read by any thread to where they belong if no cell is left out.
template <class Key> void key_column::parse_cells(cell_column const& text, read_options const& options) {
  size_ = text.size();
  std::byte* const begin = make_room(size_);
  auto const parts = text.cells().parts();
  std::vector<char> usual(parts.size());
  run_parts(parts.size(), options.threads, [&](std::size_t part) {
    std::byte* to = begin + text.cells().first(part) * sizeof(Key);
    std::size_t i = 0;
    for (Key key{}; i < parts[part].size() && parse_key(text.text(parts[part], i), options.keys_as, key);
         ++i, to += sizeof key)
      std::memcpy(to, &key, sizeof key);
    usual[part] = i == parts[part].size();
  });
  std::byte* out = begin;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::uint64_t const first = text.cells().first(part);
    if (usual[part] != 0) {
      std::size_t const bytes = parts[part].size() * sizeof(Key);
      std::byte const* const from = begin + first * sizeof(Key);
      if (out != from) std::memmove(out, from, bytes);
      out += bytes;
      continue;
    }
    for (std::size_t i = 0; i < parts[part].size(); ++i) {
      std::string_view const cell = text.text(parts[part], i);
      if (Key key{}; parse_key(cell, options.keys_as, key)) {
        std::memcpy(out, &key, sizeof key);
        out += sizeof key;
        continue;
      }
      rounded_key place;
      fault const problem = locate(cell, keys_.type, options.keys_as, place);
      settle(first + i, problem, place, options, out,
             [&] { text.fail(*file_, first + i, complaint(problem, cell, keys_.type, place, options)); });
    }
  }
  keys_.size = size_ - left_out_.size();
}

void key_column::read_numbers(read_options const& options) {
  if (options.type == key_type::bytes) file_->fail("a file of numbers has no keys of type bytes");
  size_ = numbers_.size;
  keys_ = {numbers_.data, size_, options.type.value_or(numbers_.type)};
  convert_numbers(options);
  if (!changes_type(options)) return;
  keys_ = {numbers_.data, size_, numbers_.type};
  convert_numbers(options);
}

fault key_column::locate_element(char const* element, read_options const& options, rounded_key& place) const {
  if (!options.keys_as.is_moment() || numbers_.moment_of == nullptr) return numbers_.locate(element, keys_.type, place);
  moment value;
  fault const problem = numbers_.moment_of(element, value);
  if (problem == fault::none) place = options.keys_as.locate(value);
  return problem;
}

void key_column::convert_numbers(read_options const& options) {
  if (numbers_.stored_as_keys && keys_.type == numbers_.type) return;
  std::byte* out = make_room(size_);
  char const* element = numbers_.data;
  for (std::uint64_t i = 0; i < size_; ++i, element += numbers_.bytes_each) {
    rounded_key place;
    fault const problem = locate_element(element, options, place);
    settle(i, problem, place, options, out, [&] {
      std::string scratch;
      file_->fail(fmt::format("element {}: {}", i, complaint(problem, text(i, scratch), keys_.type, place, options)));
    });
  }
  keys_.size = size_ - left_out_.size();
}

}  // namespace warpdex::tables
