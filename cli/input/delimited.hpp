// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Splits text files into the cells of one column. A cell is a position and a length in the file's bytes.
namespace warpdex::input {

/// Where a cell lies. It has eight bytes, because there may be very many cells.
class cell_place {
 public:
  static constexpr std::uint64_t largest_offset = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint64_t largest_length = (std::uint64_t{1} << 24) - 1;

  cell_place(std::uint64_t offset, std::uint64_t length) noexcept : packed_(offset << 24 | length) {}

  std::uint64_t offset() const noexcept { return packed_ >> 24; }
  std::string_view in(file_bytes const& file) const noexcept {
    return {file.begin() + offset(), static_cast<std::size_t>(packed_ & largest_length)};
  }

  /// @return whether the cell is the text between quotes; only such text has a quote right before it
  bool is_quoted(file_bytes const& file) const noexcept { return offset() != 0 && file.begin()[offset() - 1] == '"'; }

 private:
  std::uint64_t packed_;
};

/// The cells of one column, from the first row to the last.
struct cell_column {
  std::string label;  ///< of the column, for messages; empty for text files
  std::vector<cell_place> cells;
};

/// Columns that a table may have.
inline constexpr std::size_t most_columns = 100'000;

/// Splits a table by RFC 4180: fields in double quotes may hold the delimiter, newlines and doubled quotes; lines end
/// with LF, CRLF or CR, the last one may end with the file; a byte order mark is skipped, and so are blank lines at the
/// very end. Every line must have as many fields as the first; a blank line is one empty field. A quoted cell is the
/// text between its quotes.
/// @param header whether the first line names the columns. If unset, it does. Then the name of the chosen column must
/// not read as a value, since such a file most likely has no header, and its first key would be lost.
/// @param column a name of the header; if there is no such name, a number counted from 0; if unset, the first column
/// @throws format_error naming file and line
/// @param threads that read pieces of the file, 0 for all cores
cell_column split_table(file_bytes const& file, char delimiter, std::optional<bool> header,
                        std::optional<std::string> const& column, int threads = 0);

/// The same of several columns at once. @return one for each of `columns`
/// @param row_places if not null, receives the first cell of each row
std::vector<cell_column> split_columns(file_bytes const& file, char delimiter, std::optional<bool> header,
                                       std::span<std::optional<std::string> const> columns, int threads = 0,
                                       std::vector<cell_place>* row_places = nullptr);

/// @param names of the columns of a table, in which quotes are single
/// @return the column that `wanted` names, or whose number it is
/// @throws format_error if there is none, or several have the name
std::size_t column_of(file_bytes const& file, std::span<std::string const> names, std::string const& wanted);

/// Takes apart a list of names with commas between them; a name in quotes may hold commas and doubled quotes.
std::vector<std::string> split_names(std::string_view list);

/// Splits a file with one key per line; line ends and byte order mark as above. A blank line is an empty cell, unless
/// none but blank lines follow.
/// @throws format_error naming file and line
cell_column split_lines(file_bytes const& file);

}  // namespace warpdex::input
