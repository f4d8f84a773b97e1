// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/chunked_keys.hpp>

#include <optional>
#include <span>
#include <utility>

namespace warpdex::chunks {

/// The keys of a join on equality as numbers of 64 or 128 bits: of integers the distance from the least right one, of
/// strings their bytes and, if these differ in number, their length. A left value that no right one equals for this
/// reason alone is a miss. Numbers have no order that means anything. Nulls have the flags of all columns.
/// @param left columns of integers or strings @param right as many, which match in pairs
/// @return nothing for other types, and if 128 bits do not hold the keys
std::optional<std::pair<encoded_keys, encoded_keys>> narrowed(std::span<chunked_keys const> left,
                                                              std::span<chunked_keys const> right, int threads);

}  // namespace warpdex::chunks
