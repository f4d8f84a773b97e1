// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstdint>
#include <vector>

/// @file
/// Levels of blocks over an array: a node of the first level covers 16 adjacent elements, one of each further level 16
/// adjacent nodes of the level below.
namespace warpdex {

inline constexpr int block_bits = 4;
inline constexpr std::uint64_t block_size = 1 << block_bits;

/// Levels over 2^48 elements.
inline constexpr int most_block_levels = 12;

/// @return the number of blocks of `size` elements
WDX_HD constexpr std::uint64_t blocks_of(std::uint64_t size) { return (size + block_size - 1) / block_size; }

/// @return the numbers of nodes per level, from that over the elements on; none where there is one element or less
inline std::vector<std::uint64_t> level_sizes(std::uint64_t size) {
  std::vector<std::uint64_t> sizes;
  while (size > 1) sizes.push_back(size = blocks_of(size));
  return sizes;
}

}  // namespace warpdex
