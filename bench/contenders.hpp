// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/paper.hpp"

#include <string_view>
#include <vector>

namespace warpdex::bench {

/// The contenders of a figure that compares structures with each other, and so with structures to come: each
/// structure says in which it takes part. Their lines have the x of the panel.
/// @param figure as in `compared_spec`, such as 000/20
std::vector<cell> cells_of(std::string_view figure);

}  // namespace warpdex::bench
