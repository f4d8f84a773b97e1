// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <string>

/// @file
/// What the joins of two columns share.
namespace warpdex {

/// The hash table of joins.
inline constexpr char const* hash_spec = "HT(open,load=0.5)";

/// @return the same with row ids of a type
inline std::string hash_spec_of(row_type rows) {
  return std::string(hash_spec) + "/rows=" + std::string(to_string(rows));
}

/// @return the right side of a merge as an index whose row ids are positions: over the column in place, if the backend
/// can read it there
/// @param right valid values ascend
/// @throws invalid_argument for a column without nulls that does not ascend
index over_ascending(char const* call, nullable_column const& right, row_type rows, execution const& exec);

/// @return whether in neither column, wherever they are, a value is above the next one
bool both_ascend(column const& left, column const& right, execution const& exec);

}  // namespace warpdex
