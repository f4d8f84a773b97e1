// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "index_options.hpp"
#include "input/decimals.hpp"
#include "output.hpp"
#include "row_cells.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpdex::cli {

/// Columns of the table whose values are added up or compared within a range of keys, and how.
struct aggregate_options {
  std::vector<std::string> sum, min, max, mean;

  bool any() const { return !sum.empty() || !min.empty() || !max.empty() || !mean.empty(); }
};

/// Adds `--sum`, `--min`, `--max` and `--mean`.
void add_aggregate_options(CLI::App& command, aggregate_options& options);

/// The values of a column in the order of an index's keys, so that a range of ranks is a range of values. Nulls are
/// left out of everything.
class ordered_values {
 public:
  /// @param rows of the ranks from 0 on
  /// @throws format_error for a row that has no value in the column; invalid_argument if sums leave 127 bits
  ordered_values(input::decimal_column const& column, std::vector<std::uint64_t> const& rows, bool sums, bool lowest,
                 bool highest);

  // Each takes a range of ranks, [first, last). Cost: two reads, or of `lowest` and `highest` as many as the size has
  // bits.
  std::string sum(std::uint64_t first, std::uint64_t last) const;
  std::string mean(std::uint64_t first, std::uint64_t last) const;
  std::string lowest(std::uint64_t first, std::uint64_t last) const;
  std::string highest(std::uint64_t first, std::uint64_t last) const;

 private:
  std::uint64_t count(std::uint64_t first, std::uint64_t last) const;

  unsigned scale_;
  std::uint64_t size_;
  std::vector<input::i128> sums_;     ///< of all values before a rank
  std::vector<std::uint64_t> nulls_;  ///< the same of nulls; empty if there are none
  std::vector<input::i128> lowest_;   ///< a tree: node i is the lower one of nodes 2i and 2i + 1
  std::vector<input::i128> highest_;  ///< the same of the higher one
};

/// The aggregates that a command writes, each a column of its result.
class aggregates {
 public:
  /// Reads the columns. Cost: a pass over the table, one read of a row per entry of the index.
  aggregates(aggregate_options const& options, input::table const& source, opened_index const& opened);

  /// Writes the names of the columns, each with a comma before it.
  void write_names(output& out) const;

  /// Writes the aggregates of the entries of some ranks, each with a comma before it.
  void write(output& out, std::uint64_t first, std::uint64_t last) const;

 private:
  struct column_of_result {
    std::string name;
    std::string (ordered_values::*value)(std::uint64_t, std::uint64_t) const;
    std::size_t source;
  };
  std::vector<column_of_result> columns_;
  std::vector<ordered_values> sources_;
};

}  // namespace warpdex::cli
