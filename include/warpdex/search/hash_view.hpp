// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/mix.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/search/view.hpp>

/// Defined where code for a CPU may compare with SSE2, which every x86-64 has.
#if defined(__SSE2__) && !defined(__CUDACC__)
#define WDX_SSE2
#include <emmintrin.h>
#endif

namespace warpdex {

/// What views of hash tables share. `View` is the table itself, derived from this; it adds
///
///     slots                        places of a unit, which one step of a search reads
///     std::uint64_t home_of(hash) the unit in which the search for a hash begins
///     bool visit(group, search)    visits one unit, or more; returns whether the search is over
///     bool holds_pair(place)       whether a place is one for pairs
///     std::uint64_t next_key(place)   where the key with the next hash lies, `end_slot()` behind the last
///
/// Places hold hashes, not keys: `mix` is a bijection. Empty ones hold the largest hash and the row id that no
/// index holds. They stand behind the pairs of their unit, so they end searches, are no answer, and reserve no
/// key.
///
/// With duplicates, the table holds each key once, and in the row's place where its group begins in a further
/// array, which has its number of rows, then the rows in order:
///
///     row_lists  | 2 r0 r4 | 1 r3 | 3 r1 r2 r5 | ...       in the order of the hashes
template <class View, class Pairs> struct hash_view {
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = std::uint64_t;
  using pairs_type = Pairs;
  static constexpr key_type empty_key = static_cast<key_type>(-1);
  static constexpr row_type none = static_cast<row_type>(-1);

  Pairs pairs;                ///< of hash and row, or of hash and place in `row_lists`
  row_type const* row_lists;  ///< null without duplicates
  std::uint64_t size;         ///< entries, duplicates too
  std::uint64_t seed;         ///< of `mix`
  std::uint64_t homes;        ///< parts of equal size into which the hashes are cut, each with a bucket
  std::uint64_t units;        ///< of `slots` places each

  /// A search in progress; when it is over, what it found.
  struct search {
    key_type hash;
    std::uint64_t unit;  ///< to be visited next
    std::uint64_t slot;  ///< of the key
    row_type value;      ///< of that slot; `none` if the key is not there
  };

  WDX_HD key_type hash_of(key_type key) const { return mix(key, seed); }

  WDX_HD search start(key_type key) const { return start_hash(hash_of(key)); }
  WDX_HD search start_hash(key_type hash) const { return {hash, self().home_of(hash), 0, none}; }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.unit >= units) return;
    std::uint64_t const first = at.unit * View::slots;
    constexpr int bucket = View::slots * bytes_a_key;
    warpdex::prefetch<(bucket > 128 ? bucket : 128)>(
        pairs.key_address(first));  // a hit lies in the first line or the next
    if constexpr (Pairs::kind == layout::soa) warpdex::prefetch(pairs.row_address(first));
  }

  /// Whether a search that is over has found its key.
  WDX_HD bool has_found(search const& at) const { return at.value != none; }

  /// @return the smallest row id of the key found; `none` without one
  WDX_HD row_type first_row(search const& found) const {
    return row_lists == nullptr || found.value == none ? found.value : row_lists[std::uint64_t{found.value} + 1];
  }

  /// @return how many rows the key found has
  WDX_HD std::uint64_t row_count(search const& found) const {
    return found.value == none ? 0 : row_lists == nullptr ? 1 : row_lists[found.value];
  }

  /// Where the rows of the key found begin, for `row_at`.
  WDX_HD std::uint64_t first_place(search const& found) const {
    return row_lists == nullptr ? found.slot : std::uint64_t{found.value} + 1;
  }
  WDX_HD row_type row_at(std::uint64_t place) const {
    return row_lists == nullptr ? pairs.row(place) : row_lists[place];
  }

  /// Asks for what the functions above will read.
  WDX_HD WDX_INLINE void prefetch_answer(search const& found) const {
    if (row_lists != nullptr && found.value != none) warpdex::prefetch(row_lists + found.value);
  }

  WDX_HD std::uint64_t end_slot() const { return units * self().slots; }
  WDX_HD bool is_taken(std::uint64_t place) const { return self().holds_pair(place) && pairs.row(place) != none; }

  // Rows that belong together lie together, and are written as they lie.
  WDX_HD std::uint64_t rank(std::uint64_t place) const { return place; }
  WDX_HD static constexpr int stretches() { return 1; }
  WDX_HD stretch<std::uint64_t> stretch_of(int, std::uint64_t first, std::uint64_t last) const { return {first, last}; }

 protected:
  /// What one lane of a CPU visits at a time: places of several units, so that 19 of 20 searches end with the first
  /// visit. A branch that is mispredicted costs more than to look at a few places more without one.
  static constexpr unsigned cpu_slots = 8;

  /// Bytes from a key to the next.
  static constexpr int bytes_a_key = Pairs::kind == layout::soa ? sizeof(key_type) : Pairs::bytes_per_pair;

  /// Whether that many places lie in the lines that are prefetched: of pairs with keys of 16 bytes only in SoA.
  static constexpr bool visits_slots = cpu_slots * bytes_a_key <= 128;

  /// Visits `cpu_slots` places. @return whether the search is over; else all their hashes are less
  template <class Group> WDX_HD bool visit_slots(Group, search& at, std::uint64_t place) const {
#if defined(WDX_SSE2)
    if constexpr (compares_at_once && !std::is_same_v<Group, lane_in_flight>) {
      unsigned const equal = equal_slots(at.hash, static_cast<__m128i const*>(pairs.key_address(place)));
      if (equal == 0) return !(pairs.key(place + cpu_slots - 1) < at.hash);
      at.slot = place + static_cast<unsigned>(__builtin_ctz(equal)) / 2;
      at.value = pairs.row(at.slot);
      return true;
    }
#endif
    for (unsigned half = cpu_slots / 2; half > 0; half /= 2)
      place += half * static_cast<unsigned>(pairs.key(place + half - 1) < at.hash);
    key_type const there = pairs.key(place);
    if (there == at.hash) {
      at.slot = place;
      at.value = pairs.row(place);
      return true;
    }
    return !(there < at.hash);
  }

#if defined(__CUDACC__)
  /// `Count` pairs in registers.
  template <int Count> struct pairs_read {
    key_type keys[Count];
    row_type rows[Count];
  };

  /// Reads hashes and rows of a unit together in wide loads, so that choosing the row takes no other.
  template <int Count> __device__ pairs_read<Count> read_unit(std::uint64_t first) const {
    static_assert(Pairs::kind == layout::aos);
    constexpr int words_a_pair = Pairs::bytes_per_pair / 4;
    constexpr int loads = Count * words_a_pair / 4;
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
      unit.keys[j] = number(key_type{}, j * words_a_pair);
      unit.rows[j] = number(row_type{}, j * words_a_pair + words_a_pair / 2);
    }
    return unit;
  }
#endif

 private:
#if defined(WDX_SSE2)
  static constexpr bool compares_at_once =
      Pairs::kind == layout::aos && Pairs::bytes_per_pair == 2 * sizeof(key_type) && sizeof(key_type) <= 8;

  /// @return bits 2j and (of 4-byte hashes) 2j + 1 for each of the `cpu_slots` pairs `from` that has the hash
  static unsigned equal_slots(key_type hash, __m128i const* from) {
    if constexpr (sizeof(key_type) == 8) {
      __m128i const both = _mm_set1_epi64x(static_cast<long long>(hash));
      auto const equal = [&](int j) { return _mm_cmpeq_epi32(both, _mm_unpacklo_epi64(from[j], from[j + 1])); };
      auto const halves = static_cast<unsigned>(
          _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(equal(0), equal(2)), _mm_packs_epi32(equal(4), equal(6)))));
      return halves & halves >> 1 & 0x5555;
    } else {
      __m128i const all = _mm_set1_epi32(static_cast<int>(hash));
      auto const equal = [&](int j) {
        return _mm_cmpeq_epi32(
            all, _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(from[j]), _mm_castsi128_ps(from[j + 1]), 0x88)));
      };
      return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi32(equal(0), equal(2))));
    }
  }
#endif

  WDX_HD View const& self() const { return static_cast<View const&>(*this); }
};

/// @return the smallest row id of the key, all bits set if it is not there
template <hashed_view View, class Group = single_lane>
WDX_HD typename View::row_type find(View const& view, typename View::key_type key, Group group = {}) {
  return view.first_row(run(view, view.start(key), group));
}

/// Calls visit(row) for every row id of the key, in ascending order.
template <hashed_view View, class Visit>
WDX_HD void for_each_row(View const& view, typename View::key_type key, Visit visit) {
  auto const found = run(view, view.start(key), single_lane{});
  std::uint64_t const first = view.first_place(found);
  for (std::uint64_t i = 0; i < view.row_count(found); ++i) visit(view.row_at(first + i));
}

}  // namespace warpdex
