// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/intervals.hpp>

#include <memory>

#include "intervals/interval_steps.hpp"
#include "request/batches.hpp"
#include "request/staged_ranges.hpp"
#include "request/staging.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// Per probe the intervals that started by then, and those that ended before (interval_steps.hpp).
struct bounds_found {
  buffer started;
  buffer ended;

  bounds_found(std::uint64_t size, execution const& exec)
      : started(size * sizeof(std::uint64_t), exec), ended(size * sizeof(std::uint64_t), exec) {}

  std::uint64_t* starts() const { return started.as<std::uint64_t>(); }
  std::uint64_t* ends() const { return ended.as<std::uint64_t>(); }
};

/// AO+BS over starts or ends.
struct sorted_column {
  std::unique_ptr<structure> entries;
  buffer copied;               ///< row ids, if they are in no array of their own
  void const* rows = nullptr;  ///< by rank

  /// @param keys within reach @param given rows; null for positions
  sorted_column(column keys, row_column const* given, row_type row, execution const& exec);

  std::uint64_t bytes() const { return entries->memory().total() + copied.bytes(); }
};

/// What intervals are made of.
struct interval_parts {
  key_type keys;
  closed_ends closed;
  sorted_column starts;  ///< the row of a place is that of the interval
  sorted_column ends;    ///< the row of an end rank is its place
  buffer end_ranks;      ///< of all places, and the maxima of their blocks

  /// @param starts, ends of one type, within reach of the backend; strings as references
  /// @param rows those that are intervals; null if all are
  interval_parts(column starts, column ends, row_column const* rows, closed_ends closed, execution const& exec);

  std::uint64_t bytes() const { return starts.bytes() + ends.bytes() + end_ranks.bytes(); }

  index_shape const& shape() const { return starts.entries->shape(); }
  template <class Row> Row const* rows() const { return static_cast<Row const*>(starts.rows); }
  template <class Row> end_tree<Row> tree() const;

  /// Checks the types and lengths of probes. @throws invalid_argument
  void expect(char const* call, interval_probes const& probes) const;

  /// Finds the bounds of some probes.
  void find_bounds(range_array const& probes, bool are_points, std::uint64_t size, bounds_found const& to,
                   execution const& exec) const;

 private:
  void grow_tree(execution const& exec);
};

}  // namespace warpdex
