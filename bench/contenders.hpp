// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/paper.hpp"

#include <vector>

namespace warpdex::bench {

/// Figures that compare structures with each other, and so with structures to come.
enum in_figure : unsigned {
  in_1 = 1,  ///< paper 000: few structures by the number of keys
  in_20 = 2,
  in_21 = 4,       ///< builds
  in_22 = 8,       ///< ranges
  in_003 = 16,     ///< paper 003: points
  in_003_12 = 32,  ///< ranges
  in_003_15 = 64,  ///< updates
};

/// The contenders of a figure. Their lines have the x of the panel.
std::vector<cell> cells_of(in_figure where);

}  // namespace warpdex::bench
