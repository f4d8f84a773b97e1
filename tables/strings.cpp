// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "strings.hpp"

#include "field_reader.hpp"

#include <warpdex/search/byte_key.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace warpdex::tables {
namespace {

constexpr std::string_view bytes_suffix = ".bytes";

std::uint64_t const* offsets_of(column const& strings) noexcept {
  return static_cast<std::uint64_t const*>(strings.strings.offsets);
}

}  // namespace

byte_strings strings_of(cell_column const& column) {
  byte_strings out;
  for (cell_part const& part : column.cells().parts()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::string_view const text = column.text(part, i);
      if (column.is_quoted(part.raw(i)) && text.find('"') != std::string_view::npos) out.push_back(unescape(text));
      else out.push_back(text);
    }
  }
  return out;
}

bool is_string_file(std::string_view path) noexcept { return path.ends_with(bytes_suffix); }

std::string offsets_path(std::string_view path) {
  return std::string(path.substr(0, path.size() - bytes_suffix.size())) + ".offsets";
}

column join_string_files(file_bytes const& bytes, file_bytes const& offsets) {
  constexpr std::size_t width = sizeof(std::uint64_t);
  if (offsets.size() == 0 || offsets.size() % width != 0)
    offsets.fail(fmt::format("{} bytes are no offsets of {} bytes, of which there is one more than strings",
                             offsets.size(), width));
  // Memory from `new` is aligned to more than these numbers need.
  std::span<std::uint64_t const> const places(reinterpret_cast<std::uint64_t const*>(offsets.begin()),
                                              offsets.size() / width);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] > bytes.size())
      offsets.fail(fmt::format("offset {} is {}, but {} has {} bytes", i, places[i], bytes.path(), bytes.size()));
    if (i == 0) continue;
    if (places[i] < places[i - 1])
      offsets.fail(fmt::format("offset {} is {}, less than the one before, {}", i, places[i], places[i - 1]));
    if (places[i] - places[i - 1] > byte_key::longest)
      offsets.fail(fmt::format("string {} has {} bytes; at most {} are possible", i - 1, places[i] - places[i - 1],
                               byte_key::longest));
  }
  return {std::as_bytes(std::span(bytes.begin(), bytes.size())), places};
}

column part_of(column strings, std::uint64_t first, std::uint64_t count) noexcept {
  strings.strings.offsets = offsets_of(strings) + first;
  strings.size = count;
  return strings;
}

std::string_view string_at(column const& strings, std::uint64_t i) noexcept {
  std::uint64_t const* const offsets = offsets_of(strings);
  return {static_cast<char const*>(strings.data) + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

}  // namespace warpdex::tables
