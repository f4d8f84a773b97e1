// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"

#include "values.hpp"

namespace warpdex::input {

group_column group_numbers::number(file_bytes const& file, cell_column const& column) {
  group_column out;
  out.numbers.reserve(column.cells.size());
  for (cell_place const place : column.cells) {
    std::string_view const text = place.in(file);
    if (is_null(text)) {
      out.left_out.push_back(out.numbers.size());
      out.numbers.push_back(0);
    } else {
      out.numbers.push_back(numbers_.try_emplace(text, numbers_.size()).first->second);
    }
  }
  return out;
}

}  // namespace warpdex::input
