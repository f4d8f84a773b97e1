// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "structures/common_options.hpp"

namespace warpdex {

/// The parameters of a B+tree or a Harmonia.
struct bplus_choice : common_options {
  static constexpr unsigned full = 1000;

  unsigned fill = full;  ///< entries per 1000 slots

  /// @return the number of entries that a build puts into a leaf of `slots` slots
  int per_leaf(int slots) const { return std::max(1, slots * static_cast<int>(fill) / static_cast<int>(full)); }

  /// @return a shape with as many entries as leaves have slots, whose numbers are positions too
  index_shape of_slots(index_shape shape) const {
    constexpr int slots = 16;
    shape.size += shape.size / static_cast<unsigned>(per_leaf(slots)) * static_cast<unsigned>(slots - per_leaf(slots));
    return shape;
  }
};

/// @return the argument `fill` of a spec, in thousandths; `full` if it is left open
/// @throws spec_error
unsigned read_fill(spec const& s);

/// @return the same argument, of a resolved spec
spec::word fill_word(bplus_choice const& choice);

}  // namespace warpdex
