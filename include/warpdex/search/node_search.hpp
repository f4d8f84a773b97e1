// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>

/// @file
/// How a group searches the keys of a wide node.
namespace warpdex {

/// @return how many of `Count` ascending keys, from slot `first` on, are less than `target`
/// A tile of lanes reads all keys, two a lane at once, or if there are more, one of each part first. One lane halves
/// the keys until they fill a sector (on the CPU, a cache line or two), which it compares as a whole: fewer bytes
/// come from memory than if it compared all, and fewer loads are issued.
/// @param Count a power of two
template <int Count, class Group, class Keys>
WDX_HD int count_less(Group group, Keys const& keys, std::uint64_t first, typename Keys::key_type target) {
#if defined(__CUDA_ARCH__)
  constexpr int slot_bytes = Keys::kind == layout::soa ? sizeof(typename Keys::key_type) : Keys::bytes_per_pair;
  constexpr int at_once = Group::lanes > 1 ? 2 * Group::lanes : Keys::kind == layout::packed ? 4 : 32 / slot_bytes;
#else
  constexpr int at_once = 16;
#endif
  if constexpr (Count <= at_once) {
    auto const node = keys.template node<Count, Group::lanes>(first);
    return group.template count<Count>([&](int j) { return node(j) < target; });
  } else {
    constexpr int parts = Group::lanes > 1 ? Group::lanes : 2;
    constexpr int part = Count / parts;
    int const before = part * group.template count<parts - 1>([&](int j) {
      return keys.key(first + static_cast<unsigned>((j + 1) * part - 1)) < target;
    });
    return before + count_less<part>(group, keys, first + static_cast<unsigned>(before), target);
  }
}

/// Asks for the keys of such a node; of a page, for the one that its search compares first.
template <int Count, class Keys> WDX_HD WDX_INLINE void prefetch_keys(Keys const& keys, std::uint64_t first) {
  constexpr int slot_bytes = Keys::kind == layout::soa ? sizeof(typename Keys::key_type) : Keys::bytes_per_pair;
  if constexpr (Count <= 32) prefetch<Count * slot_bytes>(keys.key_address(first));
  else prefetch(keys.key_address(first + Count / 2 - 1));
}

}  // namespace warpdex
