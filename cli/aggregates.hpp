// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "index_options.hpp"
#include "row_options.hpp"
#include "tables/decimals.hpp"
#include "tables/output.hpp"

#include <warpdex/payload.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpdex::cli {

/// Columns of the table whose values are added up or compared within a range of keys, and how.
struct aggregate_options {
  std::vector<std::string> sum, min, max, mean;

  bool any() const { return !sum.empty() || !min.empty() || !max.empty() || !mean.empty(); }

  /// @return the names of the columns, some of them perhaps twice
  std::vector<std::string> names() const {
    std::vector<std::string> all = sum;
    for (auto const* const more : {&min, &max, &mean}) all.insert(all.end(), more->begin(), more->end());
    return all;
  }
};

/// The options of aggregates, for messages.
inline constexpr char const* aggregate_names = "--sum, --min, --max and --mean";

/// Adds `--sum`, `--min`, `--max` and `--mean`.
void add_aggregate_options(CLI::App& command, aggregate_options& options);

/// The values of a column of the table, and whether they are null, in the order of the keys.
payload<i128> payload_of(tables::decimal_column const& column, opened_index const& opened);

/// The aggregates that a command writes, each a column of its result. Nulls are left out of everything.
class aggregates {
 public:
  /// Reads the columns. Cost: a pass over the table, and that of a `payload` per column.
  /// @throws format_error for a cell that is no number; invalid_argument if sums leave 127 bits
  aggregates(aggregate_options const& options, tables::table const& source, opened_index const& opened);

  /// Writes the names of the columns, each with a comma before it.
  void write_names(tables::output& out) const;

  /// Finds the aggregates of ranges of ranks, [first[i], last[i]).
  void find(std::span<std::uint64_t const> first, std::span<std::uint64_t const> last);

  /// Writes those of range i, each with a comma before it.
  void write(tables::output& out, std::size_t i) const;

 private:
  enum class kind : std::uint8_t { sum, least, greatest, mean };
  struct column_of_result {
    std::string name;
    kind value;
    std::size_t source;
  };
  struct column_of_table {
    payload<i128> values;
    unsigned scale;  ///< decimals
    std::vector<aggregate<i128>> found;
  };
  execution exec_;
  std::vector<column_of_result> columns_;
  std::vector<column_of_table> sources_;
};

}  // namespace warpdex::cli
