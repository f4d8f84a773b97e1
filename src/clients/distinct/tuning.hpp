// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// Every number of searches for distinct keys that was chosen by measurement.
namespace warpdex::tuning {

/// Rows of a part, about: its table fits into the L2 cache of a core.
inline constexpr std::uint64_t distinct_part_rows = 1 << 15;

/// log2 of the number of parts, at most. All of them are written to at the same time.
inline constexpr int most_distinct_bits = 12;

/// Rows that are dealt to parts at a time.
inline constexpr std::uint64_t distinct_grain = 1 << 17;

/// Slots of a table per row that it may get.
inline constexpr double distinct_slots_per_row = 1.5;

}  // namespace warpdex::tuning
