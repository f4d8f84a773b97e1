// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/chunked_keys.hpp>
#include <warpdex/table.hpp>

#include <string>
#include <vector>

/// @file
/// What all joins of tables do with columns.
namespace warpdex {

using names = std::vector<std::string>;

/// Key columns of both sides that are compared in pairs.
struct key_columns {
  std::vector<chunked_keys> left, right;

  /// @throws invalid_argument for other numbers of columns; type_error for two that are not compared
  key_columns(table const& lefts, names const& left_on, table const& rights, names const& right_on);
};

/// @return the names of columns that are gathered, which are checked before any work
/// @throws unsupported for a column of which no rows are taken
names gathered_of(table const& from, names const& without = {});

/// Adds columns whose names get a suffix where they exist already.
void add_all(table& to, table const& from, std::string const& suffix);

/// @return columns of a table, each in one chunk @throws unsupported for chunks that cannot be put together
std::vector<arrow_column> whole_columns(table const& from, names const& which, execution const& host);

}  // namespace warpdex
