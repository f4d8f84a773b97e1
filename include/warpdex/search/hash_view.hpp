// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/mix.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/search/row_lists.hpp>
#include <warpdex/search/simd.hpp>

namespace warpdex {

/// What the views of hash tables share. `View` is the table itself and derives from this class. It adds
///
///     slots                           slots per unit; one visit reads one unit
///     std::uint64_t home_of(hash)     the unit at which a hash is at home
///     std::uint64_t begin_of(hash)    the unit in which the search for a hash begins, if this is not its home
///     bool visit(group, search)       visits one unit, or more; returns whether the search is over
///     bool holds_pair(slot)           whether a slot is meant for a pair
///
/// Slots hold hashes instead of keys, which loses nothing because `mix` is a bijection. An empty slot holds the largest
/// hash and the row id `none`, which no index holds. Empty slots come after the pairs of their unit. So they end a
/// search, never match it, and reserve no key.
///
/// The table holds each key once, with its smallest row. The rows of keys that have several are also in row lists
/// (row_lists.hpp), of which a search for one row knows nothing.
template <class View, class Pairs> struct hash_view {
  using key_type = typename Pairs::key_type;                        ///< type of the keys
  using row_type = typename Pairs::row_type;                        ///< type of the row ids
  using position = std::uint64_t;                                   ///< type of slots and places
  using pairs_type = Pairs;                                         ///< layout of the slots
  static constexpr key_type empty_key = static_cast<key_type>(-1);  ///< the hash in empty slots; a key may have it, too
  static constexpr row_type none = static_cast<row_type>(-1);       ///< the row id in empty slots, which no index holds

  Pairs pairs;                ///< hash and smallest row of each key
  row_lists<row_type> lists;  ///< all rows of the keys that have several
  std::uint64_t size;         ///< number of entries, duplicates included
  std::uint64_t seed;         ///< of `mix`
  std::uint64_t homes;        ///< number of home buckets; each takes an equal part of all hashes
  std::uint64_t units;        ///< number of units, each of `slots` slots

  /// The state of a search. `slot` and `value` are the result once it is over.
  struct search {
    std::uint64_t unit;  ///< the unit to visit next
    std::uint64_t slot;  ///< slot of the key
    key_type hash;       ///< of the key that is looked for
    row_type row;        ///< row in that slot; `none` if the key does not exist
  };

  /// @return the hash of a key in this table
  WDX_HD key_type hash_of(key_type key) const { return mix(key, seed); }

  /// @return a search for a key
  WDX_HD search start(key_type key) const { return start_hash(hash_of(key)); }
  /// @return a search for the key that has a hash
  WDX_HD search start_hash(key_type hash) const { return {self().begin_of(hash), 0, hash, none}; }

  /// @return the unit in which the search for a hash begins: its home
  WDX_HD std::uint64_t begin_of(key_type hash) const { return self().home_of(hash); }

  /// Asks for the memory that the next visit reads.
  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.unit >= units) return;
    std::uint64_t const first = at.unit * View::slots;
    constexpr int bucket = View::slots * bytes_per_key;
    warpdex::prefetch<(bucket > 128 ? bucket : 128)>(
        pairs.key_address(first));  // a present key is in the first line or the next
    if constexpr (Pairs::kind == layout::soa) warpdex::prefetch(pairs.row_address(first));
  }

  /// @return whether a search that is over has found its key
  WDX_HD bool has_found(search const& at) const { return at.row != none; }

  /// @return the smallest row id of the found key; `none` if the key does not exist
  WDX_HD row_type first_row(search const& found) const { return found.row; }

  /// @return the places of all rows of the found key, for `row_at`; {0, 0} if the key does not exist
  WDX_HD stretch<position> places_of(search const& found) const {
    return has_found(found) ? places_in(found.slot) : stretch<position>{0, 0};
  }

  /// @return the same for the key in a slot. The place of an only row is the slot. The places of a row list follow
  /// those of all slots
  WDX_HD stretch<position> places_in(std::uint64_t slot) const {
    auto const list = lists.list_of(slot);
    if (list.begin == list.end) return {slot, slot + 1};
    return {end_slot() + list.begin, end_slot() + list.end};
  }

  /// @return the row id at a place
  WDX_HD row_type row_at(position slot) const {
    return slot < end_slot() ? pairs.row(slot) : lists.rows[slot - end_slot()];
  }

  // `places_of` reads up to twice. Each of these prefetches the memory of a read; the second needs what the first
  // reads.
  /// Asks for what `places_of` reads first.
  WDX_HD WDX_INLINE void prefetch_mark(search const& found) const {
    if (has_found(found)) lists.prefetch_mark(found.slot);
  }
  /// Asks for what it reads then, but reads the former itself.
  WDX_HD WDX_INLINE void prefetch_start(search const& found) const {
    if (has_found(found)) lists.prefetch_start(found.slot);
  }

  /// @return the number of slots
  WDX_HD std::uint64_t end_slot() const { return units * self().slots; }
  /// @return whether there is a pair in a slot
  WDX_HD bool is_taken(std::uint64_t slot) const { return self().holds_pair(slot) && pairs.row(slot) != none; }

  // The rows of one key are adjacent, so they are one stretch, and are copied in the order of the list.
  WDX_HD std::uint64_t rank(std::uint64_t slot) const { return slot; }  ///< the slot itself: entries have no ranks
  WDX_HD static constexpr int stretches() { return 1; }                 ///< one
  /// @return the places [first, last) of a key, as they are
  WDX_HD stretch<std::uint64_t> stretch_of(int, std::uint64_t first, std::uint64_t last) const { return {first, last}; }

 protected:
  /// Slots that a single lane of a CPU compares per visit. They span several units, so that 19 of 20 searches end with
  /// the first visit: a mispredicted branch costs more than comparing a few more slots without one.
  static constexpr unsigned cpu_slots = 8;

  /// Bytes from one key to the next.
  static constexpr int bytes_per_key = Pairs::key_stride;

  /// Whether `cpu_slots` slots fit the lines that are prefetched. With keys of 16 bytes they do so in SoA only.
  static constexpr bool visits_slots = cpu_slots * bytes_per_key <= 128;

  /// Visits `cpu_slots` slots, from `slot` on.
  /// @return whether the search is over; if not, all hashes of these slots are less than the target
  template <class Group> WDX_HD bool visit_slots(Group, search& at, std::uint64_t slot) const {
#if defined(WDX_SIMD)
    if constexpr (compares_at_once && !std::is_same_v<Group, lane_in_flight>) {
      auto const equal = equal_slots(at.hash, static_cast<simd::words const*>(pairs.key_address(slot)));
      if (equal == 0) return !(pairs.key(slot + cpu_slots - 1) < at.hash);
      at.slot = slot + static_cast<unsigned>(trailing_zeros(equal)) / simd::bits_per_word;
      at.row = pairs.row(at.slot);
      return true;
    }
#endif
    for (unsigned half = cpu_slots / 2; half > 0; half /= 2)
      slot += static_cast<std::uint64_t>(half * static_cast<unsigned>(pairs.key(slot + half - 1) < at.hash));
    key_type const found = pairs.key(slot);
    if (found == at.hash) {
      at.slot = slot;
      at.row = pairs.row(slot);
      return true;
    }
    return !(found < at.hash);
  }

#if defined(__CUDACC__)
  /// `Count` pairs in registers.
  template <int Count> struct pairs_read {
    key_type keys[Count];
    row_type rows[Count];
  };

  /// Reads the hashes and rows of a unit together in wide loads, so that the answer needs no further load.
  template <int Count> __device__ pairs_read<Count> read_unit(std::uint64_t first) const {
    static_assert(Pairs::kind == layout::aos);
    constexpr int words_per_pair = Pairs::key_stride / 4;
    constexpr int loads = Count * words_per_pair / 4;
    uint4 const* const from = reinterpret_cast<uint4 const*>(pairs.key_address(first));
    std::uint32_t words[4 * loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      uint4 const four = from[i];
      words[4 * i] = four.x;
      words[4 * i + 1] = four.y;
      words[4 * i + 2] = four.z;
      words[4 * i + 3] = four.w;
    }
    auto const number = [&](auto zero, int word) {
      if constexpr (sizeof(zero) == 4) return words[word];
      else return words[word] | static_cast<std::uint64_t>(words[word + 1]) << 32;
    };
    pairs_read<Count> unit;
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      unit.keys[j] = number(key_type{}, j * words_per_pair);
      unit.rows[j] = number(row_type{}, j * words_per_pair + words_per_pair / 2);
    }
    return unit;
  }
#endif

 private:
#if defined(WDX_SIMD)
  static constexpr bool compares_at_once =
      Pairs::kind == layout::aos && Pairs::key_stride == 2 * sizeof(key_type) && sizeof(key_type) <= 8;

  /// @return the bits of a mask of the `cpu_slots` pairs at `from`: whether they have the hash
  static simd::word_bits equal_slots(key_type hash, simd::words const* from) {
    using simd::even, simd::odd, simd::words;
    if constexpr (sizeof(key_type) == 8) {
      auto const both = reinterpret_cast<words>(simd::longs{hash, hash});
      auto const equal = [&](int j) {  // as words, because SSE2 compares no numbers of 8 bytes
        return words(both == __builtin_shufflevector(from[j], from[j + 1], 0, 1, 4, 5));
      };
      auto const four = [&](int j) {
        words const a = equal(j), b = equal(j + 2);
        return even(a, b) & odd(a, b);
      };
      return simd::bits_of_words(four(0), four(4));
    } else {
      words const all = {hash, hash, hash, hash};
      auto const equal = [&](int j) { return words(all == even(from[j], from[j + 1])); };
      return simd::bits_of_words(equal(0), equal(2));
    }
  }
#endif

  WDX_HD View const& self() const { return static_cast<View const&>(*this); }
};

/// @return the smallest row id of the key; all bits set if the key does not exist
///
/// Cost: one search.
template <hashed_view View, class Group = single_lane>
WDX_HD typename View::row_type find(View const& view, typename View::key_type key, Group group = {}) {
  return view.first_row(run_from_start(view, view.start(key), group));
}

/// Calls visit(row) for every row id of the key, in ascending order.
/// Cost: one search, and one read per row. If keys of the table have several rows, two more reads find them.
template <hashed_view View, class Visit>
WDX_HD void for_each_row(View const& view, typename View::key_type key, Visit visit) {
  auto const places = view.places_of(run(view, view.start(key), single_lane{}));
  for (auto slot = places.begin; slot < places.end; ++slot) visit(view.row_at(slot));
}

}  // namespace warpdex
