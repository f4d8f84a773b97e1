// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "file.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Splits text files into the cells of some columns.
namespace warpdex::tables {

/// Columns that a table may have.
inline constexpr std::size_t most_columns = 100'000;

/// Splits a table by RFC 4180: fields in double quotes may hold the delimiter, newlines and doubled quotes; lines end
/// with LF, CRLF or CR, the last one may end with the file; a byte order mark is skipped, and so are blank lines at the
/// very end. Every line must have as many fields as the first; a blank line is one empty field.
/// @param header whether the first line names the columns. If unset, it does. Then the name of a chosen column must
/// not read as a value, since such a file most likely has no header, and its first key would be lost.
/// @param columns names of the header; if there is no such name, a number counted from 0; if unset, the first column
/// @param threads that read parts of the file, 0 for all cores
/// @param rows if not null, receives where rows begin
/// @return one for each of `columns`
/// @throws format_error naming file and line
std::vector<cell_column> split_columns(input_file const& file, char delimiter, std::optional<bool> header,
                                       std::span<std::optional<std::string> const> columns, int threads = 0,
                                       row_places* rows = nullptr);

/// The same of one column.
cell_column split_table(input_file const& file, char delimiter, std::optional<bool> header,
                        std::optional<std::string> const& column, int threads = 0);

/// @return the fields of the first line of a table, without quotes
/// @throws format_error as `split_columns` does
std::vector<std::string> first_line_of(input_file const& file, char delimiter);

/// @param names of the columns of a table, in which quotes are single
/// @return the column that `wanted` names, or whose number it is
/// @throws format_error if there is none, or several have the name
std::size_t column_of(input_file const& file, std::span<std::string const> names, std::string const& wanted);

/// Takes apart a list of names with commas between them; a name in quotes may hold commas and doubled quotes.
std::vector<std::string> split_names(std::string_view list);

/// Splits a file with one key per line; line ends and byte order mark as above. A blank line is an empty cell, unless
/// none but blank lines follow.
/// @param threads that read parts of the file, 0 for all cores
/// @throws format_error naming file and line
cell_column split_lines(input_file const& file, int threads = 0);

}  // namespace warpdex::tables
