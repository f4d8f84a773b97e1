// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "output.hpp"
#include "table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpdex::tables {

/// Writes matched rows into lines of CSV: their numbers, or cells of their table.
class row_cells {
 public:
  /// Row numbers.
  explicit row_cells(output& out) : out_(out) {}

  /// Cells of the columns of `source`.
  row_cells(output& out, table source) : out_(out), source_(std::move(source)) {}

  /// Writes the names of the columns. @param taken names of the columns before, with commas between them
  void write_names(std::string_view taken);

  /// @throws format_error for a row that is not in the table
  void write(std::uint64_t row);

  /// Writes empty cells in place of a row.
  void write_none();

 private:
  output& out_;
  std::optional<table> source_;
  std::string line_;
};

}  // namespace warpdex::tables
