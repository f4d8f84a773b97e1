// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/node_search.hpp>
#include <warpdex/search/ordered.hpp>

namespace warpdex {

/// Pairs in leaves of `Slots` slots. Slots are numbered in key order of the leaves, which lie anywhere in a pool.
template <int Slots, class Pairs> struct leaf_pairs {
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;

  Pairs pool;
  position_of<row_type> const* leaf_at;  ///< number of each leaf in the pool; null if they lie in key order

  /// Where a slot lies in the pool.
  WDX_HD std::uint64_t place(std::uint64_t slot) const {
    return leaf_at == nullptr ? slot : std::uint64_t{leaf_at[slot / Slots]} * Slots + slot % Slots;
  }
  WDX_HD key_type key(std::uint64_t slot) const { return pool.key(place(slot)); }
  WDX_HD row_type row(std::uint64_t slot) const { return pool.row(place(slot)); }
  WDX_HD void const* key_address(std::uint64_t slot) const { return pool.key_address(place(slot)); }
  WDX_HD void const* row_address(std::uint64_t slot) const { return pool.row_address(place(slot)); }
};

/// The leaves of B+trees: what an ordered view offers but for the search among inner nodes.
///
/// Leaves hold `per_leaf` entries each, the last one the rest. The slots that a leaf leaves free are at its end;
/// they hold the largest key and the row id that no index holds.
///
///     Slots = 4, 3 entries a leaf
///
///     leaves   |k0 k1 k2 -| |k3 k4 k5 -| |k6 k7 k8 -| |k9 k10 k11 -| |k12 k13 k14 -| |k15 - - -|
///     slot       0  1  2      4  5  6      8  9 10     12  13  14      16  17  18      20
///
/// After an update in place, leaves hold any number of entries but none, and lie anywhere in the pool:
///
///     leaf_at  [0 5 2 3 4 6]    where each leaf lies
///     bases    [0 3 7 10 13 16 18]    rank of each leaf's first entry, and the number of all
///     leaf_of  [0 1 2 3 5]    leaf of every rank that is a multiple of Slots
template <int Slots, class Pairs> struct tree_leaves {
  static_assert((Slots & (Slots - 1)) == 0);
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = position_of<row_type>;
  using pairs_type = Pairs;
  static constexpr bool in_key_order = false;  ///< slots are not ranks
  static constexpr bool has_gaps = true;
  static constexpr int slots = Slots;

  leaf_pairs<Slots, Pairs> pairs;
  position const* bases;    ///< null if all leaves but the last hold `per_leaf` entries
  position const* leaf_of;  ///< the same
  position size;
  position leaves;
  position per_leaf;

  tree_leaves() = default;

  /// The geometry, without arrays.
  /// @param per_leaf 0 if leaves hold any number of entries
  tree_leaves(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : pairs{}, bases(nullptr), leaf_of(nullptr), size(static_cast<position>(size)),
        leaves(static_cast<position>(leaves)), per_leaf(static_cast<position>(per_leaf)) {}

  WDX_HD cursor<position> root() const { return {0, 0}; }

  /// Rank of the first entry of a leaf; `size` behind the last leaf.
  WDX_HD position first_rank(std::uint64_t leaf) const {
    return bases != nullptr ? bases[leaf] : leaf < leaves ? static_cast<position>(leaf * per_leaf) : size;
  }

  /// Entries of a leaf.
  WDX_HD position count(std::uint64_t leaf) const { return first_rank(leaf + 1) - first_rank(leaf); }

  /// The slot behind the last entry, where searches for larger keys end.
  WDX_HD position end() const { return size == 0 ? 0 : (leaves - 1) * Slots + count(leaves - 1); }

  WDX_HD position rank(position slot) const {
    return (bases != nullptr ? bases[slot / Slots] : slot / Slots * per_leaf) + slot % Slots;
  }
  WDX_HD position slot_of(position rank) const {
    if (per_leaf == Slots) return rank;
    if (bases == nullptr) return rank / per_leaf * Slots + rank % per_leaf;
    position leaf = leaf_of[rank / Slots];
    position last = rank / Slots < (size - 1) / Slots ? leaf_of[rank / Slots + 1] : leaves - 1;
    while (leaf < last) {
      position const middle = last - (last - leaf) / 2;
      if (rank < bases[middle]) last = middle - 1;
      else leaf = middle;
    }
    return leaf * Slots + (rank - bases[leaf]);
  }

  WDX_HD static constexpr int stretches() { return 1; }
  WDX_HD stretch<position> stretch_of(int, position first, position last) const {
    return {slot_of(first), last == size ? end() : slot_of(last)};
  }

  /// Slots in memory.
  WDX_HD std::uint64_t slot_count() const { return std::uint64_t{leaves} * Slots; }

  /// The last key of a leaf.
  WDX_HD key_type last_key(std::uint64_t leaf) const { return pairs.key(leaf * Slots + count(leaf) - 1); }

 protected:
  /// The keys of inner nodes, as pairs of which only the keys are read.
  WDX_HD static soa_pairs<key_type, row_type> keys_at(key_type const* keys) { return {keys, nullptr}; }

  /// Ends a search in leaf number `leaf`.
  template <class Group>
  WDX_HD void search_leaf(Group group, cursor<position>& at, std::uint64_t leaf, key_type target) const {
    int const before = count_less<Slots>(group, pairs.pool, pairs.place(leaf * Slots), target);
    at.slot = static_cast<position>(leaf * Slots) + static_cast<position>(before);
  }

  WDX_HD WDX_INLINE void prefetch_leaf(std::uint64_t leaf) const {
    prefetch_keys<Slots>(pairs.pool, pairs.place(leaf * Slots));
  }
};

}  // namespace warpdex
