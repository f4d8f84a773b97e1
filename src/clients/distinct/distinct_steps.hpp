// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/distinct.hpp>

#include <cstdint>

#include "backend/steps.hpp"
#include "base/row_array.hpp"

/// @file
/// What is done with the rows of equal keys, for host and device. Arrays are within reach of the backend.
namespace warpdex::distinct_steps {

/// Whether a row has no first row: it is null.
struct is_unfound {
  row_array firsts;
  WDX_HD bool operator()(std::uint64_t i) const { return firsts.get(i) == firsts.none(); }
};

/// Gives such a row a first row.
struct set_unfound {
  row_array firsts;
  std::uint64_t first;
  WDX_HD void operator()(std::uint64_t i) const {
    if (firsts.get(i) == firsts.none()) firsts.set(i, first);
  }
};

/// Flags the row of entry i, if it is a repeat, in the order of first rows, and counts the rows of each first one.
struct flag_repeat {
  row_array firsts;  ///< ascending
  row_array rows;    ///< that have these first rows; ascending among equal ones
  std::uint64_t size;
  keep_row keep;
  std::uint8_t* repeats;  ///< per row
  std::uint64_t* counts;  ///< per row; null if not wanted

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = firsts.get(i), row = rows.get(i);
    bool const begins = row == first, ends = i + 1 == size || firsts.get(i + 1) != first;
    repeats[row] = !(keep == keep_row::first ? begins : keep == keep_row::last ? ends : begins && ends);
    if (begins && counts != nullptr) counts[row] = end_from(i) - i;
  }

  /// @return where the entries with the first row of entry i end
  WDX_HD std::uint64_t end_from(std::uint64_t i) const {
    std::uint64_t const first = firsts.get(i);
    std::uint64_t end = size;
    while (end - i > 1) {
      std::uint64_t const middle = i + (end - i) / 2;
      if (firsts.get(middle) == first) i = middle;
      else end = middle;
    }
    return end;
  }
};

/// Lists the rows that are no repeats, and numbers them.
struct list_kept {
  std::uint8_t const* repeats;
  std::uint64_t begin;  ///< row number 0
  std::uint64_t kept;   ///< of the rows before
  row_array rows;
  row_array numbers;  ///< per row; null if not wanted
  WDX_HD bool operator()(std::uint64_t i) const { return repeats[begin + i] == 0; }
  WDX_HD void write(std::uint64_t i, std::uint64_t at) const {
    rows.set(kept + at, begin + i);
    if (numbers.data != nullptr) numbers.set(begin + i, kept + at);
  }
};

struct all
    : steps::list<steps::runs<set_unfound, flag_repeat>, steps::selects<list_kept>, steps::finds_first<is_unfound>> {};
all list_of_step(...);

}  // namespace warpdex::distinct_steps
