// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/paper.hpp"

#include <string_view>
#include <vector>

namespace warpdex::bench {

/// The contenders of a figure that compares structures with each other. Each structure says in its record in which
/// figures it takes part, so future structures join by themselves. Their lines have the x of the panel.
/// @param figure as in `compared_spec`, such as 000/20
std::vector<cell> cells_of(std::string_view figure);

}  // namespace warpdex::bench
