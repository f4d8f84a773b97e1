// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/paper.hpp"

#include <string_view>
#include <vector>

namespace warpdex::bench {

/// The contenders of a figure that compares structures with each other. Each structure says in its record in which
/// figures it takes part, so future structures join by themselves. Their lines have the x of the panel.
/// @param figure as in `compared_spec`, such as 000/20 @param keys structures that do not take such keys are left out
std::vector<cell> cells_of(std::string_view figure, key_type keys = key_type::u32);

/// @return the cells, each series with `suffix`
std::vector<cell> marked(std::vector<cell> cells, std::string_view suffix);

}  // namespace warpdex::bench
