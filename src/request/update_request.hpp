// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/index.hpp>

#include <optional>
#include <string>

#include "request/expect.hpp"
#include "structures/structure.hpp"

/// @file
/// Updates as calls ask for them, of one index or of shards.
namespace warpdex {

/// What one call is to change.
struct update_request {
  char const* call;  ///< its name, for messages
  column insert_keys;
  row_column insert_rows;
  column erase_keys;
  bool assigns = false;  ///< whether to erase the inserted keys first

  bool erases() const { return assigns || erase_keys.size != 0; }
};

/// Makes an index with changes. As updates of an index, it throws and synchronises.
/// @param in_place whether `from` may change instead, where that costs less; otherwise it remains as it is
/// @return none if there is nothing to change, or if `from` has changed
std::optional<index> updated(index& from, update_request const& request, bool in_place, update_counts& counts,
                             execution const& exec);

/// @throws invalid_argument
inline void expect_columns(update_request const& request, index_shape const& shape) {
  expect_type(request.call, "the column of inserted keys", request.insert_keys.type, shape.keys);
  expect_type(request.call, "the column of erased keys", request.erase_keys.type, shape.keys);
  expect_type(request.call, "the row column", request.insert_rows.type, shape.rows);
  expect_size(request.call, "the row column", request.insert_rows.size, request.insert_keys.size);
  expect_possible(request.call, "the column of inserted keys", request.insert_keys.size);
  expect_possible(request.call, "the column of erased keys", request.erase_keys.size);
}

/// @return whether row ids of a type can number some entries
inline bool has_room(row_type rows, std::uint64_t size) {
  return rows == row_type::u64 || size < no_row<std::uint32_t>;
}

/// @throws invalid_argument
inline void expect_room(char const* call, row_type rows, std::uint64_t size) {
  if (!has_room(rows, size))
    throw invalid_argument(std::string(call) + ": " + std::to_string(size) +
                           " entries do not fit 32-bit row ids; build the index with rows=u64");
}

}  // namespace warpdex
