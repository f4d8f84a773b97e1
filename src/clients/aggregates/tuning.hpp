// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// Numbers of aggregates, chosen by measurement.
namespace warpdex {

/// There is a sum before every eighth value. The others are added when a range is asked for.
inline constexpr std::uint64_t values_per_sum = 8;

}  // namespace warpdex
