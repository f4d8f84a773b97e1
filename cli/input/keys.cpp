// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "keys.hpp"

#include "binary.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
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

key_column::key_column(std::string_view source_text, read_options const& options)
    : file_(parse_source(source_text).path) {
  std::optional<std::string> const column = parse_source(source_text).column;
  std::string_view const path = file_.path();
  bool const tabs = path.ends_with(".tsv");
  bool const npy = is_npy(file_) || path.ends_with(".npy");
  if (column && npy) file_.fail(fmt::format("a .npy file has no column {}", in_quotes(*column)));
  if (npy) read_numbers(read_npy(file_), options);
  else if (!column && is_sosd(path)) read_numbers(read_sosd(file_), options);
  else if (!column && path.ends_with(".u128")) read_numbers(read_raw_wide(file_), options);
  else if (column || tabs || path.ends_with(".csv")) read_text(split_table(file_, tabs ? '\t' : ',', column), options);
  else read_text(split_lines(file_), options);
}

column key_column::keys(std::uint64_t first, std::uint64_t count) const noexcept {
  return {static_cast<std::byte const*>(keys_.data) + first * size_of(keys_.type), count, keys_.type};
}

std::string_view key_column::text(std::uint64_t i, std::span<char, key_text_size> scratch) const noexcept {
  if (!cells_.empty()) return cells_[i].in(file_);
  return format_key(keys_.type, static_cast<std::byte const*>(keys_.data) + i * size_of(keys_.type), scratch);
}

void key_column::read_text(cell_column text, read_options const& options) {
  if (options.type) {
    keys_.type = *options.type;
  } else {
    type_finder finder;
    for (cell_place const place : text.cells) {
      if (std::string const problem = finder.add(place.in(file_)); !problem.empty()) fail_cell(text, place, problem);
    }
    if (std::string const problem = finder.finish(keys_.type); !problem.empty()) file_.fail(problem);
  }
  switch (keys_.type) {
    case key_type::u32: parse_cells<std::uint32_t>(text); break;
    case key_type::u64: parse_cells<std::uint64_t>(text); break;
    case key_type::i32: parse_cells<std::int32_t>(text); break;
    case key_type::i64: parse_cells<std::int64_t>(text); break;
    case key_type::f32: parse_cells<float>(text); break;
    case key_type::f64: parse_cells<double>(text); break;
    case key_type::date: parse_cells<date>(text); break;
    case key_type::timestamp: parse_cells<timestamp>(text); break;
    case key_type::u128: parse_cells<u128>(text); break;
  }
  if (options.keep_text) cells_ = std::move(text.cells);
}

template <class Key> void key_column::parse_cells(cell_column const& text) {
  owned_ = std::make_unique_for_overwrite<std::byte[]>(text.cells.size() * sizeof(Key));
  std::byte* out = owned_.get();
  for (cell_place const place : text.cells) {
    Key key{};
    if (fault const problem = parse_key(place.in(file_), key); problem != fault::none) {
      fail_cell(text, place, describe(problem, place.in(file_), keys_.type));
    }
    std::memcpy(out, &key, sizeof key);
    out += sizeof key;
  }
  keys_.data = owned_.get();
  keys_.size = text.cells.size();
}

void key_column::fail_cell(cell_column const& text, cell_place place, std::string const& what) const {
  if (text.name.empty()) file_.fail_at(place.offset(), what);
  file_.fail_at(place.offset(), fmt::format("column {}: {}", in_quotes(text.name), what));
}

void key_column::read_numbers(number_array const& numbers, read_options const& options) {
  keys_.type = options.type.value_or(numbers.type);
  keys_.size = numbers.size;
  keys_.data = numbers.data;
  if (numbers.stored_as_keys && keys_.type == numbers.type) return;

  std::size_t const bytes_each = size_of(keys_.type);
  owned_ = std::make_unique_for_overwrite<std::byte[]>(numbers.size * bytes_each);
  keys_.data = owned_.get();
  char const* element = numbers.data;
  std::byte* out = owned_.get();
  for (std::uint64_t i = 0; i < numbers.size; ++i, element += numbers.bytes_each, out += bytes_each) {
    std::optional<number> const value = numbers.read(element);
    if (!value) {
      std::int64_t ticks = 0;
      std::memcpy(&ticks, element, sizeof ticks);
      file_.fail(fmt::format("element {}: the time {} is missing (NaT) or cannot be a key of type {}", i, ticks,
                             to_string(keys_.type)));
    }
    fault const problem = store_key(*value, keys_.type, out);
    if (problem == fault::none) continue;
    char scratch[key_text_size];
    std::string_view const shown = std::visit(
        [&](auto const& v) {
          using Value = std::remove_cvref_t<decltype(v)>;
          return format_key(detail::key_type_of<Value>(), &v, std::span<char, key_text_size>(scratch));
        },
        *value);
    file_.fail(fmt::format("element {}: {}", i, describe(problem, shown, keys_.type)));
  }
}

}  // namespace warpdex::input
