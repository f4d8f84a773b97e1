// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"

#include "values.hpp"

namespace warpdex::tables {

group_column group_numbers::number(cell_column const& column) {
  group_column out;
  out.numbers.reserve(column.size());
  for (cell_part const& part : column.cells().parts()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::string_view const text = column.text(part, i);
      if (is_null(text)) {
        out.left_out.push_back(out.numbers.size());
        out.numbers.push_back(0);
      } else {
        out.numbers.push_back(numbers_.try_emplace(text, numbers_.size()).first->second);
      }
    }
  }
  return out;
}

}  // namespace warpdex::tables
