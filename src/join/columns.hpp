// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

/// @file
/// What the joins of two columns share.
namespace warpdex {

/// @return the right side of a merge as an index whose row ids are positions: over the column in place, if the backend
/// can read it there
/// @param right valid values ascend
/// @throws invalid_argument for a column without nulls that does not ascend
index over_ascending(char const* call, nullable_column const& right, row_type rows, execution const& exec);

/// @return whether in neither column, wherever they are, a value is above the next one
bool both_ascend(column const& left, column const& right, execution const& exec);

}  // namespace warpdex
