// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "output.hpp"
#include "table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpdex::tables {

/// Writes the pairs of a join as CSV: as row numbers, or as the columns of both tables.
class pair_lines {
 public:
  /// Row numbers. @param has_right whether lines have a right side, which semi and anti joins lack
  pair_lines(output& out, bool has_right) : out_(out), has_right_(has_right) {}

  /// The columns of the tables. A name of the right table that is taken already gets the suffix `_right`, again and
  /// again if need be.
  /// @param right unset if lines have no right side
  /// @param columns names of those that are written, first the left ones; none for all
  /// @throws format_error for a name that neither table has
  pair_lines(output& out, table left, std::optional<table> right, std::vector<std::string> const& columns);

  /// Writes the names of the columns.
  void write_header();

  /// @param right unset for a row without a match, and for lines without a right side
  /// @throws format_error for a right row that is not in its table
  void write(std::uint64_t left, std::optional<std::uint64_t> right = {});

  std::uint64_t written() const noexcept { return written_; }  ///< lines, without the header

 private:
  /// Keeps the columns of these names. @param right_names of the right table, as written
  /// @return the names in the order in which they are written
  std::vector<std::string> select(std::vector<std::string> const& columns, std::vector<std::string> const& right_names);
  void write_line();

  output& out_;
  bool has_right_;
  std::optional<table> left_;
  std::optional<table> right_;
  std::string header_;
  std::string line_;
  std::uint64_t written_ = 0;
};

}  // namespace warpdex::tables
