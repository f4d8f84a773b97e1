// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "input/table.hpp"
#include "output.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace warpdex::cli {

/// Writes the pairs of a join as CSV: as row numbers, or as the columns of both tables.
class pair_lines {
 public:
  /// Row numbers. @param has_right whether lines have a right side, which semi and anti joins lack
  pair_lines(output& out, bool has_right) : out_(out), has_right_(has_right) {}

  /// The columns of the tables. @param right unset if lines have no right side
  pair_lines(output& out, input::table left, std::optional<input::table> right)
      : out_(out), has_right_(right.has_value()), left_(std::move(left)), right_(std::move(right)) {}

  /// Writes the names of the columns. A name of the right table that is taken already gets the suffix `_right`, again
  /// and again if need be.
  void write_header();

  /// @param right unset for a row without a match, and for lines without a right side
  /// @throws format_error for a right row that is not in its table
  void write(std::uint64_t left, std::optional<std::uint64_t> right = {});

  std::uint64_t written() const noexcept { return written_; }  ///< lines, without the header

 private:
  void write_line();

  output& out_;
  bool has_right_;
  std::optional<input::table> left_;
  std::optional<input::table> right_;
  std::string line_;
  std::uint64_t written_ = 0;
};

}  // namespace warpdex::cli
