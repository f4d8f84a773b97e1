// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// Lookups of probes of another type than the keys. Probes are rounded to keys first, so no search is compiled for
/// pairs of types. Some probes have no key of the type on the side that counts: -1 equals no u32. These are misses, and
/// their answers are written after the search.
namespace warpdex {

/// The key value that stands for a probe.
enum class rounding : std::uint8_t {
  equal,  ///< the one that equals it
  down,   ///< the largest not above it
  up,     ///< the smallest not below it
  below,  ///< the largest below it
  above,  ///< the smallest above it
};

}  // namespace warpdex
