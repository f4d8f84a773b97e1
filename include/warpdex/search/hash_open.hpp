// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/mix.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

namespace warpdex {

/// HT(open): a hash table with open addressing (papers 000, 002 and 003 compare with such a table), in an
/// order that needs no marks.
///
/// A bucket is what one access to memory brings: 32 bytes, 4 pairs of 4-byte keys and rows. Entries stand in
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
/// it goes on to the next bucket: an absent key costs hardly more than a present one. Empty slots lie at the
/// end of a bucket and hold the largest hash and the row id that no index holds, so they end searches, are no
/// answer, and reserve no key. Behind the home buckets are a few more for the entries that the last one has no
/// room for.
///
/// Slots hold hashes, not keys: `mix` is a bijection. With duplicates, the table holds each key once, and in
/// the row's place where its group begins in a further array, which has its number of rows, then the rows in
/// order:
///
///     groups  | 2 r0 r4 | 1 r3 | 3 r1 r2 r5 | ...       in the order of the hashes
template <class Pairs> struct hash_open {
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = std::uint64_t;
  using pairs_type = Pairs;
  static constexpr bool in_key_order = false;

  /// Slots a bucket: of 32 bytes, of 96 for pairs of 12 bytes, which fill nothing less.
  static constexpr int slots = Pairs::kind == layout::packed ? 8
                               : Pairs::kind == layout::aos  ? 32 / Pairs::bytes_per_pair
                                                             : 32 / sizeof(key_type);
  static constexpr key_type empty_key = static_cast<key_type>(-1);
  static constexpr row_type none = static_cast<row_type>(-1);

  Pairs pairs;             ///< of hash and row, or of hash and place in `groups`
  row_type const* groups;  ///< null without duplicates
  std::uint64_t size;      ///< entries, duplicates too
  std::uint64_t seed;      ///< of `mix`
  std::uint64_t homes;     ///< home buckets
  std::uint64_t buckets;   ///< all buckets

  /// A search in progress; when it is over, what it found.
  struct search {
    key_type mixed;
    std::uint64_t bucket;
    std::uint64_t slot;  ///< of the key
    row_type value;      ///< of that slot; `none` if the key is not there
  };

  WDX_HD std::uint64_t home_of(key_type mixed) const { return part_of(mixed, homes); }

  WDX_HD key_type hash_of(key_type key) const { return mix(key, seed); }

  WDX_HD search start(key_type mixed) const { return {mixed, home_of(mixed), 0, none}; }

  /// Visits one bucket, or as many as give each lane of a larger group a slot. @return whether the search is over
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    if (at.bucket >= buckets) return true;
    std::uint64_t const first = at.bucket * slots;
#if defined(__CUDA_ARCH__)
    if constexpr (Group::lanes == 1 && Pairs::kind == layout::aos) return visit_sector(at, first);
#endif
    constexpr int width = slots > Group::lanes ? slots : Group::lanes;
    std::uint64_t const end = buckets * slots;
    int before = 0;
    if constexpr (width == slots) {
      auto const bucket = pairs.template node<slots, Group::lanes>(first);
      before = group.template count<slots>([&](int j) { return bucket(j) < at.mixed; });
    } else {
      before = group.template count<width>([&](int j) {
        std::uint64_t const slot = first + static_cast<unsigned>(j);
        return slot < end && pairs.key(slot) < at.mixed;
      });
    }
    if (before == width) {
      at.bucket += width / slots;
      return false;
    }
    std::uint64_t const slot = first + static_cast<unsigned>(before);
    if (slot < end && pairs.key(slot) == at.mixed) {
      at.slot = slot;
      at.value = pairs.row(slot);
    }
    return true;
  }

  WDX_HD WDX_INLINE void prefetch_bucket(search const& at) const {
    if (at.bucket >= buckets) return;
    std::uint64_t const first = at.bucket * slots;
    prefetch<Pairs::kind == layout::packed ? 96 : 1>(pairs.key_address(first));
    if constexpr (Pairs::kind == layout::soa) prefetch(pairs.row_address(first));
  }

  /// The whole search, from a hash.
  template <class Group> WDX_HD search find_hash(key_type mixed, Group group) const {
    search at = start(mixed);
    while (!visit(group, at)) {
    }
    return at;
  }
  template <class Group> WDX_HD search find_key(key_type key, Group group) const {
    return find_hash(hash_of(key), group);
  }

  /// @return the smallest row id of the key found
  WDX_HD row_type first_row(search const& found) const {
    return groups == nullptr || found.value == none ? found.value : groups[std::uint64_t{found.value} + 1];
  }

  /// @return how many rows the key found has
  WDX_HD std::uint64_t row_count(search const& found) const {
    return found.value == none ? 0 : groups == nullptr ? 1 : groups[found.value];
  }

  /// Where the rows of the key found begin, for `row_at`.
  WDX_HD std::uint64_t first_place(search const& found) const {
    return groups == nullptr ? found.slot : std::uint64_t{found.value} + 1;
  }
  WDX_HD row_type row_at(std::uint64_t place) const { return groups == nullptr ? pairs.row(place) : groups[place]; }

  WDX_HD WDX_INLINE void prefetch_group(search const& found) const {
    if (groups != nullptr && found.value != none) prefetch(groups + found.value);
  }

  // All slots are read equally often: there is nothing to pin.
  WDX_HD int pinnable_levels() const { return 0; }
  WDX_HD std::uint64_t pinned_keys(int) const { return 0; }
  WDX_HD key_type pinned_key(std::uint64_t) const { return 0; }

  // Rows that belong together lie together, and are written as they lie.
  WDX_HD std::uint64_t rank(std::uint64_t place) const { return place; }
  WDX_HD int stretches() const { return 1; }
  WDX_HD stretch<std::uint64_t> stretch_of(int, std::uint64_t first, std::uint64_t last) const { return {first, last}; }

 private:
#if defined(__CUDACC__)
  /// Reads hashes and rows in two wide loads, and chooses the row without a third.
  __device__ bool visit_sector(search& at, std::uint64_t first) const {
    constexpr int words_a_pair = Pairs::bytes_per_pair / 4;
    uint4 const* const sector = reinterpret_cast<uint4 const*>(pairs.key_address(first));
    uint4 const halves[2] = {sector[0], sector[1]};
    std::uint32_t const words[8] = {halves[0].x, halves[0].y, halves[0].z, halves[0].w,
                                    halves[1].x, halves[1].y, halves[1].z, halves[1].w};
    auto const number = [&](auto zero, int word) {
      if constexpr (sizeof(zero) == 4) return words[word];
      else return words[word] | static_cast<std::uint64_t>(words[word + 1]) << 32;
    };
    key_type last{};
#pragma unroll
    for (int j = slots - 1; j >= 0; --j) {  // downwards: a key's slot lies before empty ones
      key_type const mixed = number(key_type{}, j * words_a_pair);
      if (j == slots - 1) last = mixed;
      if (mixed == at.mixed) {
        at.slot = first + j;
        at.value = number(row_type{}, j * words_a_pair + words_a_pair / 2);
      }
    }
    if (!(last < at.mixed)) return true;
    ++at.bucket;
    return false;
  }
#endif
};

/// @return the smallest row id of the key, all bits set if it is not there
template <class Pairs, class Group = single_lane>
WDX_HD typename Pairs::row_type find(hash_open<Pairs> const& view, typename Pairs::key_type key, Group group = {}) {
  return view.first_row(view.find_key(key, group));
}

/// Calls visit(row) for every row id of the key, in ascending order.
template <class Pairs, class Visit>
WDX_HD void for_each_row(hash_open<Pairs> const& view, typename Pairs::key_type key, Visit visit) {
  auto const found = view.find_key(key, single_lane{});
  std::uint64_t const first = view.first_place(found);
  for (std::uint64_t i = 0; i < view.row_count(found); ++i) visit(view.row_at(first + i));
}

}  // namespace warpdex
