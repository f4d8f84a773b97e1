// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>

/// @file
/// How a lane group searches the keys of a wide node.
namespace warpdex {

/// Counts the keys of a node that are less than `target`.
///
/// A group of several lanes compares all keys if there are at most two per lane. Otherwise it first compares the last
/// key of each part of the node, and goes on in one part. A single lane halves the keys until they fill a sector (on
/// the CPU, one or two cache lines), and compares these as a whole. It thus reads fewer bytes and issues fewer loads
/// than if it compared all keys.
/// @tparam Count number of keys, a power of two
/// @param first slot of the first key; keys ascend
/// @return the number of keys less than `target`
template <int Count, class Group, class Keys>
WDX_HD int count_less(Group group, Keys const& keys, std::uint64_t first, typename Keys::key_type target) {
#if defined(__CUDA_ARCH__)
  constexpr int slot_bytes = Keys::key_stride;
  constexpr int at_once = Group::lanes > 1 ? 2 * Group::lanes : Keys::kind == layout::packed ? 4 : 32 / slot_bytes;
#else
  constexpr int at_once = 16;
#endif
  if constexpr (Count <= at_once) {
    auto const node = keys.template node<Count, Group::lanes>(first);
    return group.template count<Count>([&](int j) { return is_less(node(j), target); });
  } else {
    constexpr int parts = Group::lanes > 1 ? Group::lanes : 2;
    constexpr int part = Count / parts;
    int const before = part * group.template count<parts - 1>([&](int j) {
      return keys.key(first + static_cast<unsigned>((j + 1) * part - 1)) < target;
    });
    return before + count_less<part>(group, keys, first + static_cast<unsigned>(before), target);
  }
}

/// Prefetches the keys of a node; of a page, only the key that its search compares first.
template <int Count, class Keys> WDX_HD WDX_INLINE void prefetch_keys(Keys const& keys, std::uint64_t first) {
  constexpr int slot_bytes = Keys::key_stride;
  if constexpr (Count <= 32) prefetch<Count * slot_bytes>(keys.key_address(first));
  else prefetch(keys.key_address(first + Count / 2 - 1));
}

}  // namespace warpdex
