// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_view.hpp>

#include <numeric>

namespace warpdex {

/// Slots per bucket of HT(open): of 32 bytes of keys or pairs. Packed pairs fill no less than 96 (of 12 and 24 bytes)
/// or 160 (of 20). Of pairs that have 32 themselves four make a bucket.
template <class Pairs> struct bucket_width {
  static constexpr int slots = Pairs::kind == layout::soa      ? 32 / sizeof(typename Pairs::key_type)
                               : Pairs::kind == layout::packed ? 32 / std::gcd(32, int{Pairs::bytes_per_pair})
                               : Pairs::bytes_per_pair < 32    ? 32 / Pairs::bytes_per_pair
                                                               : 4;
};

/// HT(open): a hash table with open addressing (papers 000, 002 and 003 compare with such a table), in an
/// order that needs no marks.
///
/// A bucket is what one access to memory brings: 32 bytes, 4 pairs of 4-byte keys and rows (`slots`). Entries stand in
/// the order of their hashes, each in its home bucket, or as soon after as the entries before leave room. The
/// home of a hash grows with it: hash * homes / 2^32.
///
///     homes = 3, hashes of two digits, 4 slots a bucket; home of 00..33 is 0, of 34..66 is 1, of 67..99 is 2
///
///     bucket      0                 1                 2                 3
///     slots   | 02 11 24 -- |  | 35 38 44 50 |  | 61 63 70 98 |  | 99 -- -- -- |
///                                                 ^^^^^ at home in 1       ^^ in 2
///
/// So a search compares all hashes of the home bucket. If the last of them is less than its own, and only then,
/// it goes on to the next bucket: an absent key costs hardly more than a present one. Behind the home buckets are
/// a few more for the entries that the last one has no room for. Units are buckets.
///
/// Bytes of a key at load L: those of a slot / L. Keys of 16 bytes with rows of 4 (of 8) take 20 / L (24 / L) in the
/// layouts SoA and packed, 32 / L in AoS. SoA, their default, brings two hashes in 32 bytes, and the row of the right
/// one with an access more; AoS brings four pairs in the 128 bytes of a cache line.
template <class Pairs> struct hash_open : hash_view<hash_open<Pairs>, Pairs>, bucket_width<Pairs> {
  using bucket_width<Pairs>::slots;
  using base = hash_view<hash_open<Pairs>, Pairs>;
  using base::cpu_slots;
  using base::homes;
  using base::none;
  using base::pairs;
  using base::units;
  using typename base::key_type;
  using typename base::search;
  // All slots are read equally often: there is nothing to pin.
  static constexpr view_traits traits{.ranked = false, .equal_depth = false, .any_lanes = searched_by_any_lanes<Pairs>};

  WDX_HD std::uint64_t home_of(key_type hash) const { return part_of(hash, homes); }

  /// Visits one bucket, or as many as give each lane of a larger group a slot, or one lane of a CPU `cpu_slots`.
  /// @return whether the search is over
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    std::uint64_t const first = at.unit * slots;
    std::uint64_t const end = this->end_slot();
#if !defined(__CUDA_ARCH__)
    if constexpr (Group::lanes == 1 && base::visits_slots) {
      if (first + cpu_slots <= end) {
        go_on(at, cpu_slots / slots);
        return this->visit_slots(group, at, first);
      }
    }
#endif
    if (at.unit >= units) return true;
#if defined(__CUDA_ARCH__)
    if constexpr (Group::lanes == 1 && Pairs::kind == layout::aos && slots * Pairs::bytes_per_pair == 32)
      return visit_sector(at, first);
#endif
    constexpr int width = slots > Group::lanes ? slots : Group::lanes;
    int before = 0;
    if constexpr (width == slots) {
      auto const bucket = pairs.template node<slots, Group::lanes>(first);
      before = group.template count<slots>([&](int j) { return bucket(j) < at.hash; });
    } else {
      before = group.template count<width>([&](int j) {
        std::uint64_t const slot = first + static_cast<unsigned>(j);
        return slot < end && pairs.key(slot) < at.hash;
      });
    }
    if (before == width) {
      go_on(at, width / slots);
      return false;
    }
    std::uint64_t const slot = first + static_cast<unsigned>(before);
    if (slot < end && pairs.key(slot) == at.hash) {
      at.slot = slot;
      at.value = pairs.row(slot);
    }
    return true;
  }

  WDX_HD bool holds_pair(std::uint64_t) const { return true; }

  WDX_HD std::uint64_t next_key(std::uint64_t place) const {
    do ++place;
    while (place < this->end_slot() && pairs.row(place) == none);
    return place;
  }

 private:
#if defined(__CUDACC__)
  __device__ bool visit_sector(search& at, std::uint64_t first) const {
    auto const bucket = this->template read_unit<slots>(first);
#pragma unroll
    for (int j = slots - 1; j >= 0; --j) {  // downwards: a key's slot lies before empty ones
      if (bucket.keys[j] == at.hash) {
        at.slot = first + j;
        at.value = bucket.rows[j];
      }
    }
    if (!(bucket.keys[slots - 1] < at.hash)) return true;
    go_on(at, 1);
    return false;
  }
#endif

  /// Units that a search visits one after another before it looks farther ahead. Entries lie that far from home only
  /// if keys were chosen to collide, or the load is high.
  static constexpr std::uint64_t long_run = 16;

  /// Goes on behind `visited` units.
  WDX_HD void go_on(search& at, unsigned visited) const {
    std::uint64_t const before = at.unit / long_run;
    at.unit += visited;
    if (at.unit / long_run != before && at.unit - home_of(at.hash) >= long_run) skip(at);
  }

  /// Goes to the unit in which the search ends. From its home on, all hashes before that unit are less, and there are
  /// no empty slots, which an entry behind them would have taken. So the search may look ahead in growing steps, and
  /// then halve the last one.
  WDX_HD void skip(search& at) const {
    auto const is_before = [&](std::uint64_t unit) {
      return unit < units && pairs.key(unit * slots + slots - 1) < at.hash;
    };
    std::uint64_t step = 1;
    for (; is_before(at.unit + step - 1); step *= 2) at.unit += step;
    while (step > 1) {
      step /= 2;
      if (is_before(at.unit + step - 1)) at.unit += step;
    }
  }
};

}  // namespace warpdex
