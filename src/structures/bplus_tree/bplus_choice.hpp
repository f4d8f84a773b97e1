// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "structures/common_options.hpp"

namespace warpdex {

/// What B+trees decide, Harmonia too.
struct bplus_choice : common_options {
  static constexpr unsigned full = 1000;

  unsigned fill = full;  ///< entries of 1000 slots

  /// Entries that a leaf of `slots` slots gets when the tree is built.
  int per_leaf(int slots) const { return std::max(1, slots * static_cast<int>(fill) / static_cast<int>(full)); }
};

/// @return the argument `fill` of a spec, in thousandths; full if it is left open
/// @throws spec_error
unsigned read_fill(spec const& s);

}  // namespace warpdex
