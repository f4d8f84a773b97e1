// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cells.hpp"

#include "field_reader.hpp"

#include <algorithm>

namespace warpdex::tables {

void cell_column::fail(input_file const& file, std::uint64_t cell, std::string const& what) const {
  auto const [cells, row] = cells_.find(cell);
  std::uint64_t const begin = cells.rows_begin();
  file_part part(file, begin, std::min(begin + file.part_bytes(), file.size()));
  field wanted;
  for (;; part.grow()) {
    field_reader fields(part, delimiter_);
    for (std::size_t i = 0; i < row; ++i)
      while (fields.take(wanted)) {
      }
    for (std::size_t i = 0; i <= field_; ++i) fields.take(wanted);
    if (!fields.done() || part.reaches_end()) break;
  }
  file.fail_at(part.offset_of(wanted.begin), label_.empty() ? what : label_ + ": " + what);
}

}  // namespace warpdex::tables
