// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/advise.hpp>

#include <optional>

#include "structures/structure.hpp"

/// @file
/// What to expect of an index that was not built.
namespace warpdex {

/// @param resolved a resolved spec
/// @param column the keys; without it learned indexes have no bytes
/// @return the bytes that the index would report, except for those by which batches run in windows; none if they follow
/// from the keys in other ways
std::optional<memory_usage> expected_memory(spec const& resolved, index_shape const& shape,
                                            column_profile const* column);

/// @param chosen the spec as `advise` writes it
/// @param large whether batches run in windows, or over a small index that is pinned as a whole
/// @return the measured rate of the same structure and key width on a GPU, for the nearest number of keys; none if the
/// numbers of keys differ by more than 4 times or the batches are not alike, and none on a CPU
std::optional<measured_rate> rate_like(std::string const& chosen, index_shape const& shape, std::uint64_t batch,
                                       bool large);

}  // namespace warpdex
