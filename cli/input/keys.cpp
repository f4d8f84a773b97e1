// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "keys.hpp"

#include "escape.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

namespace warpdex::input {
namespace {

bool exists(std::string_view path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(path), ignored);
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

std::optional<char> delimiter_of(source const& from, file_bytes const& file) {
  std::string_view const path = from.path;
  if (is_npy(file) || path.ends_with(".npy")) return {};
  if (path.ends_with(".tsv")) return '\t';
  if (from.column || path.ends_with(".csv")) return ',';
  return {};
}

key_column::key_column(std::string_view source_text, read_options const& options) {
  source const from = parse_source(source_text);
  file_ = std::make_shared<file_bytes const>(from.path);
  std::string_view const path = from.path;
  bool const npy = is_npy(*file_) || path.ends_with(".npy");
  if (from.column && npy) file_->fail(fmt::format("a .npy file has no column {}", in_quotes(*from.column)));
  if (npy) numbers_ = read_npy(*file_);
  else if (auto const delimiter = delimiter_of(from, *file_))
    read_text(split_table(*file_, *delimiter, options.header, from.column), options);
  else if (is_sosd(path)) numbers_ = read_sosd(*file_);
  else if (path.ends_with(".u128")) numbers_ = read_raw_wide(*file_);
  else if (is_string_file(path)) read_strings(options);
  else read_text(split_lines(*file_), options);
  if (numbers_.locate != nullptr) read_numbers(options);
}

std::size_t key_column::left_out_before(std::uint64_t cell) const noexcept {
  return static_cast<std::size_t>(std::lower_bound(left_out_.begin(), left_out_.end(), cell) - left_out_.begin());
}

column key_column::keys(std::uint64_t first, std::uint64_t count) const noexcept {
  std::uint64_t const begin = first - left_out_before(first);
  std::uint64_t const end = first + count - left_out_before(first + count);
  if (keys_.type == key_type::bytes) return part_of(keys_, begin, end - begin);
  return {static_cast<std::byte const*>(keys_.data) + begin * size_of(keys_.type), end - begin, keys_.type};
}

std::string_view key_column::text(std::uint64_t i, std::string& scratch) const {
  if (keys_.type == key_type::bytes) return csv_field(string_at(keys_, i), scratch);
  if (numbers_.text == nullptr) return cells_[i].in(*file_);
  scratch.resize(key_text_size);
  return numbers_.text(numbers_.data + i * numbers_.bytes_each,
                       std::span<char, key_text_size>(scratch.data(), key_text_size));
}

void key_column::leave_out(std::span<std::uint64_t const> cells) {
  std::vector<std::uint64_t> all;
  std::set_union(left_out_.begin(), left_out_.end(), cells.begin(), cells.end(), std::back_inserter(all));
  if (all.size() == left_out_.size()) return;
  std::size_t const bytes = size_of(keys_.type);
  auto kept = std::make_unique_for_overwrite<std::byte[]>((size_ - all.size()) * bytes);
  std::byte* out = kept.get();
  auto const* key = static_cast<std::byte const*>(keys_.data);
  auto absent = left_out_.begin();
  auto leaving = all.begin();
  for (std::uint64_t cell = 0; cell < size_; ++cell) {
    bool const leaves = leaving != all.end() && *leaving == cell;
    if (leaves) ++leaving;
    if (absent != left_out_.end() && *absent == cell) {
      ++absent;
      continue;
    }
    if (!leaves) out = std::copy_n(key, bytes, out);
    key += bytes;
  }
  owned_ = std::move(kept);
  keys_ = {owned_.get(), size_ - all.size(), keys_.type};
  left_out_ = std::move(all);
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
    std::uint64_t const from = gap - (i - before);  // where the answers of the cells behind the gap begin
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
  std::string const text = describe(problem, cell, type, place);
  return problem == fault::missing ? with_hint(text, options) : text;
}

}  // namespace

std::byte* key_column::make_room(std::uint64_t keys) {
  owned_ = std::make_unique_for_overwrite<std::byte[]>(keys * size_of(keys_.type));
  keys_.data = owned_.get();
  return owned_.get();
}

// Writes the key that stands for a cell, or leaves the cell out.
template <class Fail>
void key_column::settle(std::uint64_t cell, fault problem, rounded_key const& place, read_options const& options,
                        std::byte*& out, Fail const& fail) {
  bool const is_null = problem == fault::missing;
  bool const has_value = problem == fault::none;
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
    return;
  }
  std::size_t const bytes = size_of(keys_.type);
  std::memcpy(out, key, bytes);  // the lowest bytes come first
  out += bytes;
}

void key_column::find_type(cell_column const& text, read_options const& options) {
  type_finder finder;
  for (cell_place const place : text.cells) {
    if (options.skip_nulls && is_null(place.in(*file_))) continue;
    std::string const problem = finder.add(place.in(*file_));
    if (problem.empty()) continue;
    fail_cell(text, place, is_null(place.in(*file_)) ? with_hint(problem, options) : problem);
  }
  if (std::string const problem = finder.finish(keys_.type); !problem.empty()) file_->fail(problem);
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
  if (options.type) keys_.type = *options.type;
  else find_type(text, options);
  parse_text(text, options);
  if (changes_type(options)) {
    find_type(text, options);
    parse_text(text, options);
  }
  if (options.keep_text && keys_.type != key_type::bytes) cells_ = std::move(text.cells);
}

void key_column::parse_text(cell_column const& text, read_options const& options) {
  switch (keys_.type) {
    case key_type::u32: parse_cells<std::uint32_t>(text, options); break;
    case key_type::u64: parse_cells<std::uint64_t>(text, options); break;
    case key_type::i32: parse_cells<std::int32_t>(text, options); break;
    case key_type::i64: parse_cells<std::int64_t>(text, options); break;
    case key_type::f32: parse_cells<float>(text, options); break;
    case key_type::f64: parse_cells<double>(text, options); break;
    case key_type::date: parse_cells<date>(text, options); break;
    case key_type::timestamp: parse_cells<timestamp>(text, options); break;
    case key_type::u128: parse_cells<u128>(text, options); break;
    case key_type::bytes:
      strings_ = strings_of(*file_, text.cells);
      keys_ = strings_;
      size_ = keys_.size;
  }
}

void key_column::read_strings(read_options const& options) {
  if (options.type && *options.type != key_type::bytes)
    file_->fail(fmt::format("a file of strings has no keys of type {}", to_string(*options.type)));
  offsets_ = std::make_shared<file_bytes const>(offsets_path(file_->path()));
  keys_ = join_string_files(*file_, *offsets_);
  size_ = keys_.size;
}

template <class Key> void key_column::parse_cells(cell_column const& text, read_options const& options) {
  size_ = text.cells.size();
  std::byte* out = make_room(size_);
  for (std::uint64_t i = 0; i < size_; ++i) {
    std::string_view const cell = text.cells[i].in(*file_);
    if (Key key{}; parse_key(cell, key)) {
      std::memcpy(out, &key, sizeof key);
      out += sizeof key;
      continue;
    }
    rounded_key place;
    fault const problem = locate(cell, keys_.type, place);
    settle(i, problem, place, options, out,
           [&] { fail_cell(text, text.cells[i], complaint(problem, cell, keys_.type, place, options)); });
  }
  keys_.size = size_ - left_out_.size();
}

void key_column::fail_cell(cell_column const& text, cell_place place, std::string const& what) const {
  file_->fail_at(place.offset(), text.label.empty() ? what : text.label + ": " + what);
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

void key_column::convert_numbers(read_options const& options) {
  if (numbers_.stored_as_keys && keys_.type == numbers_.type) return;
  std::byte* out = make_room(size_);
  char const* element = numbers_.data;
  for (std::uint64_t i = 0; i < size_; ++i, element += numbers_.bytes_each) {
    rounded_key place;
    fault const problem = numbers_.locate(element, keys_.type, place);
    settle(i, problem, place, options, out, [&] {
      std::string scratch;
      file_->fail(fmt::format("element {}: {}", i, complaint(problem, text(i, scratch), keys_.type, place, options)));
    });
  }
  keys_.size = size_ - left_out_.size();
}

}  // namespace warpdex::input
