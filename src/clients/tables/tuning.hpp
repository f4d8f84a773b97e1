// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// Numbers of joins of keys in chunks, chosen by measurement.
namespace warpdex::chunks {

/// Values that a thread goes through at a time.
inline constexpr std::uint64_t grain = std::uint64_t{1} << 15;

/// First values of a column that are looked at for their order.
inline constexpr std::uint64_t order_sample = 4096;

}  // namespace warpdex::chunks
