// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>

#include <cstdint>
#include <optional>

#include "backend/backend.hpp"
#include "request/staging.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// @return the row type of a new index: the one in the spec; else that of the given rows; else the narrowest that fits
/// @throws invalid_argument if the rows are of another type than the spec says, or too many for theirs
row_type choose_row_type(char const* call, spec const& s, std::uint64_t size, std::optional<row_column> const& rows);

/// Sorts columns in memory that the arrays staged for it may belong to, so it keeps these. All calls synchronise.
class column_sort {
 public:
  /// @param to must outlive this object
  column_sort(column const& keys, std::optional<row_column> const& rows, plan const& to)
      : keys_(keys), rows_(rows), to_(to) {}

  /// @return the entries in the order that the plan takes, in the memory of `exec`
  timed_pairs operator()(execution const& exec);

  /// The same, but in page-locked memory if a device is too small for columns whose pairs it will read over the link
  /// anyway: in as few runs as fit the device, or on the CPU if not even short ones do.
  timed_pairs near_pairs(execution const& exec);

  /// Sorts consecutive parts of the columns in the memory of `exec`, and merges these runs on the CPU.
  /// Cost: in addition to the sorts, the runs are copied, and merged as often as the logarithm of their number.
  /// @param run_size entries in a run, but the last
  /// @param host the host memory of the runs @param last that of the result
  /// @return the entries in the memory of `last`
  timed_pairs in_runs(std::uint64_t run_size, execution const& exec, execution const& host,
                      execution const& last) const;

 private:
  column const keys_;
  std::optional<row_column> const rows_;
  plan const& to_;
  std::optional<staging> arrays_;
};

}  // namespace warpdex
