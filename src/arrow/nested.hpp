// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow_column.hpp>
#include <warpdex/gather.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <vector>

/// @file
/// Lists, maps and structs, whose values are in columns of their own: their parts.
namespace warpdex {

/// Calls f with row ids, in their type.
template <class F> void with_rows(row_column rows, F const& f) {
  if (rows.type == row_type::u32) f(static_cast<std::uint32_t const*>(rows.data));
  else f(static_cast<std::uint64_t const*>(rows.data));
}

/// @return the parts of a nested column: of a struct and of lists of fixed size the items of its values, of other lists
/// and maps all items that there are
/// @throws invalid_argument for parts that are missing or too short
std::vector<arrow_column> parts_of(arrow_column const& column);

/// Rows of the items of lists.
struct item_rows {
  buffer rows;              ///< of 64 bits
  buffer offsets;           ///< where the items of each list begin, and the end; nothing for lists of fixed size
  std::uint64_t count = 0;  ///< of rows

  row_column all() const { return {rows.data(), count, row_type::u64}; }
};

/// @param rows of lists, in host memory @param items of each list @return rows of their items; `no_row` for those of a
/// list that is missing
item_rows items_at(row_column rows, std::int64_t items, execution const& exec);

/// @param rows of lists, in host memory @param lists in host memory, which have offsets; a list that is missing has no
/// items
/// @throws invalid_argument for a row or offsets out of range; unsupported for more items than offsets of 32 bits count
item_rows items_at(row_column rows, arrow_column const& lists, execution const& exec);

}  // namespace warpdex
