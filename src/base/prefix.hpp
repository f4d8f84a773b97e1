// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

namespace warpdex {

/// Binary search.
/// @param holds a predicate that is true for a prefix of [low, high)
/// @return the first i in [low, high) for which `holds(i)` is false, or `high` if there is none
template <class Integer, class Predicate> WDX_HD Integer end_of_prefix(Integer low, Integer high, Predicate holds) {
  while (low < high) {
    Integer const middle = low + (high - low) / 2;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The same for prefixes that probably end near `low`: an exponential search, whose steps double.
/// @param high of 32 bits at most 2^31 from `low`
template <class Integer, class Predicate>
WDX_HD Integer end_of_prefix_near(Integer low, Integer high, Predicate holds) {
  Integer step = 1;
  while (step <= high - low && holds(low + step - 1)) {
    low += step;
    step *= 2;
  }
  return end_of_prefix(low, step <= high - low ? low + step - 1 : high, holds);
}

}  // namespace warpdex
