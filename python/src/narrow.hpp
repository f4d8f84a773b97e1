// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "values.hpp"

namespace warpdex::python {

/// The keys of a join on equality as numbers of 64 or 128 bits: of integers the distance from the least right one, of
/// strings their bytes and, if these differ in number, their length. A left value that no right one equals for this
/// reason alone is a miss. Numbers have no order that means anything.
/// @param left, right columns of both sides, of integers or strings, which match in pairs
/// @return both sides, each in one part; nothing for other types, and if 128 bits do not hold the keys
std::optional<std::pair<column_part, column_part>> narrowed(std::vector<column_values> const& left,
                                                            std::vector<column_values> const& right, int threads);

}  // namespace warpdex::python
