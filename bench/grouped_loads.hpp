// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/random.hpp"

#include <warpdex/search/common.hpp>

#include <cstdint>

namespace warpdex::bench {

/// Loads from random positions by groups of neighbouring threads (paper 000, section 3.4). In each step a group draws
/// a position, and its threads read the entries from there on, one each.
struct grouped_loads {
  std::uint64_t size;   ///< number of entries, at least the number of threads in a group
  std::uint64_t steps;  ///< loads per thread
  int group_bits;       ///< a group is 2^group_bits threads
  std::uint64_t seed;

  WDX_HD std::uint64_t group_size() const { return std::uint64_t{1} << group_bits; }

  /// The positions of a group, one after another.
  WDX_HD noise places_of(std::uint64_t group) const { return noise(seed, group); }
  WDX_HD std::uint64_t next(noise& places) const { return places.below(size - group_size() + 1); }

  /// @param entry called as entry(i) for entry i @return the sum of the entries that a thread reads, modulo 2^32
  template <class Entry> WDX_HD std::uint32_t sum(std::uint64_t thread, Entry const& entry) const {
    noise places = places_of(thread >> group_bits);
    std::uint64_t const lane = thread & (group_size() - 1);
    std::uint32_t total = 0;
    for (std::uint64_t step = 0; step < steps; ++step) total += entry(next(places) + lane);
    return total;
  }
};

}  // namespace warpdex::bench
