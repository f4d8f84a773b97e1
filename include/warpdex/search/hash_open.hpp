// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_view.hpp>

#include <numeric>

namespace warpdex {

/// Slots per bucket of HT(open). A bucket takes 32 bytes of keys (SoA) or of pairs (AoS). Packed pairs need 96 bytes
/// (pairs of 12 and 24 bytes) or 160 bytes (pairs of 20) until a bucket ends at a multiple of 32. A bucket of 32-byte
/// pairs has four slots.
template <class Pairs> struct bucket_width {
  /// Slots of a bucket.
  static constexpr int slots = Pairs::kind == layout::soa      ? 32 / sizeof(typename Pairs::key_type)
                               : Pairs::kind == layout::packed ? 32 / std::gcd(32, int{Pairs::key_stride})
                               : Pairs::key_stride < 32        ? 32 / Pairs::key_stride
                                                               : 4;
};

/// HT(open): a hash table with open addressing (papers 000, 002 and 003 compare with such a table). Its entries are
/// ordered by hash, so it needs no tombstones.
///
/// A bucket is the unit of memory access: 32 bytes, or 4 pairs of 4-byte keys and rows (`slots`). Each entry is in its
/// home bucket, or in the first slot after it that the entries before leave free. The home of a hash grows with the
/// hash: it is hash * homes / 2^32 for hashes of 32 bits. Units are buckets.
///
///     homes = 3, hashes of two digits, 4 slots per bucket; home of 00..33 is 0, of 34..66 is 1, of 67..99 is 2
///
///     bucket      0                 1                 2                 3
///     slots   | 02 11 24 -- |  | 35 38 44 50 |  | 61 63 70 98 |  | 99 -- -- -- |
///                                                 ^^^^^ at home in 1       ^^ in 2
///
/// A search compares all hashes of the home bucket. It goes on to the next bucket only if the last of these hashes is
/// less than its own. So an absent key costs hardly more than a present one. A few buckets follow the home buckets for
/// the entries that do not fit into the last one.
///
/// At high loads entries are many buckets from home, but those of neighbouring home buckets about as many. So a table
/// with a load above 0.85 has a shift of one byte per eight home buckets, from which its searches begin. They stay in
/// the caches.
///
/// Cost of a search: usually one bucket; two at a load of 0.98. A search that has passed `long_run` buckets, among keys
/// chosen to collide, doubles its steps, so it passes d more buckets with O(log d) reads.
///
/// Bytes per key at load L: the bytes of a slot / L. Keys of 16 bytes with rows of 4 (of 8) take 20 / L (24 / L) in the
/// layouts SoA and packed, and 32 / L in AoS. SoA is their default: one access of 32 bytes reads two hashes, and one
/// more access reads the row of the right one. AoS holds four pairs per cache line of 128 bytes.
template <class Pairs> struct hash_open : hash_view<hash_open<Pairs>, Pairs>, bucket_width<Pairs> {
  using bucket_width<Pairs>::slots;
  using base = hash_view<hash_open<Pairs>, Pairs>;  ///< what hash tables share
  using base::cpu_slots;
  using base::homes;
  using base::none;
  using base::pairs;
  using base::units;
  using typename base::key_type;
  using typename base::search;
  // All slots are read equally often, so there is nothing to pin.
  /// Properties of the view.
  static constexpr view_traits traits{
      .ranked = false, .equal_depth = false, .any_lanes = searched_by_any_lanes<Pairs>, .widest_key = 16};

  /// Home buckets that share a shift.
  static constexpr std::uint64_t shift_homes = 8;

  /// Of a table with a high load, per `shift_homes` home buckets: the buckets that all entries with a home there are
  /// away from it, at least. Null at other loads.
  std::uint8_t const* shifts;

  /// @return the bucket at which a hash is at home
  WDX_HD std::uint64_t home_of(key_type hash) const { return part_of(hash, homes); }
  /// @return the bucket in which the search for a hash begins
  WDX_HD std::uint64_t begin_of(key_type hash) const {
    std::uint64_t const home = home_of(hash);
    return shifts == nullptr ? home : home + shifts[home / shift_homes];
  }

  /// Visits one bucket. A group with more lanes than slots visits several buckets, one slot per lane. A single lane of
  /// a CPU visits `cpu_slots` slots.
  /// @return whether the search is over
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    std::uint64_t const first = at.unit * slots;
    std::uint64_t const end = this->end_slot();
#if !defined(__CUDA_ARCH__)
    if constexpr (Group::lanes == 1 && base::visits_slots) {
      if (first + cpu_slots <= end) {
        if (this->visit_slots(group, at, first)) return true;
        go_on(at, cpu_slots / slots);
        return false;
      }
    }
#endif
    if (at.unit >= units) return true;
#if defined(__CUDA_ARCH__)
    if constexpr (Group::lanes == 1 && Pairs::kind == layout::aos && slots * Pairs::key_stride == 32)
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
      at.row = pairs.row(slot);
    }
    return true;
  }

  /// @return whether a slot is meant for a pair, as all are
  WDX_HD bool holds_pair(std::uint64_t) const { return true; }

 private:
#if defined(__CUDACC__)
  __device__ bool visit_sector(search& at, std::uint64_t first) const {
    auto const bucket = this->template read_unit<slots>(first);
#pragma unroll
    for (int j = slots - 1; j >= 0; --j) {  // downwards, because the slot of a key comes before empty slots
      if (bucket.keys[j] == at.hash) {
        at.slot = first + j;
        at.row = bucket.rows[j];
      }
    }
    if (!(bucket.keys[slots - 1] < at.hash)) return true;
    go_on(at, 1);
    return false;
  }
#endif

  /// After this number of buckets a search looks farther ahead. Entries are so far from home only if keys were chosen
  /// to collide, or the load is high.
  static constexpr std::uint64_t long_run = 16;

  /// Moves the search past the `visited` buckets.
  WDX_HD void go_on(search& at, unsigned visited) const {
    std::uint64_t const before = at.unit / long_run;
    at.unit += visited;
    if (at.unit / long_run != before && at.unit - begin_of(at.hash) >= long_run) skip(at);
  }

  /// Moves the search to the bucket in which it ends. Between the home bucket and that bucket all hashes are less than
  /// the target, and no slot is empty, because a later entry would have taken it. So the hashes ascend there: the
  /// search looks ahead in doubling steps, and then halves the last step.
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
