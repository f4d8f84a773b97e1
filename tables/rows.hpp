// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// Reads the rows of a text file, in parts by several threads. The file is not kept.
namespace warpdex::tables {

/// What the rows of a file look like.
struct row_shape {
  char delimiter = no_delimiter;         ///< `no_delimiter` for lines
  std::size_t fields = 1;                ///< of each row
  std::vector<std::size_t> wanted = {};  ///< fields whose cells are kept
  bool keeps_places = false;             ///< whether it is kept where rows begin
  char const* first_line = "";           ///< what a message calls the first line
};

/// What was kept of rows.
struct kept_rows {
  std::vector<part_list<cell_part>> cells;  ///< of each field that is wanted
  row_places places;
};

/// @param begin of the first row
/// @param threads 0 for all cores
/// @throws format_error for a NUL byte, for the first row that has another number of fields, for quotes that are not
/// closed or do not end a field, and for cells that are too long
kept_rows read_rows(input_file const& file, row_shape const& shape, std::uint64_t begin, int threads);

/// @throws format_error if a part of a file holds a NUL byte before `end`, which no text has
void expect_text(file_part const& part, std::uint64_t end);

}  // namespace warpdex::tables
