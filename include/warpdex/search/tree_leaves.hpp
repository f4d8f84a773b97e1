// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/node_search.hpp>
#include <warpdex/search/ordered.hpp>

#include <bit>

namespace warpdex {

/// Slots per leaf, a power of two. `Slots` = 0 means a number known at run time.
template <int Slots> struct leaf_width {
  static_assert(Slots > 0 && (Slots & (Slots - 1)) == 0);
  static constexpr int slot_bits = std::countr_zero(static_cast<unsigned>(Slots));  ///< log2 of the slots
};
/// Slots per leaf that are known at run time.
template <> struct leaf_width<0> {
  int slot_bits;  ///< log2 of the slots
};

/// Pairs in leaves. Leaves may be anywhere in a pool; slots are numbered in key order of the leaves.
template <int Slots, class Pairs> struct leaf_pairs : leaf_width<Slots> {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  static constexpr layout kind = Pairs::kind;
  /// @}

  Pairs pool;               ///< the pairs of all leaves
  position const* leaf_at;  ///< where each leaf is in the pool; null if they are in key order

  /// @return the position of a slot in the pool
  WDX_HD std::uint64_t place(std::uint64_t slot) const {
    int const bits = this->slot_bits;
    return leaf_at == nullptr
               ? slot
               : (std::uint64_t{leaf_at[slot >> bits]} << bits) + (slot & ((std::uint64_t{1} << bits) - 1));
  }
  /// @return the pair in a slot, as the pool has it
  WDX_HD auto at(std::uint64_t slot) const { return pool.at(place(slot)); }
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD key_type key(std::uint64_t slot) const { return pool.key(place(slot)); }
  WDX_HD row_type row(std::uint64_t slot) const { return pool.row(place(slot)); }
  WDX_HD std::size_t row_bytes() const { return pool.row_bytes(); }
  WDX_HD std::size_t pair_bytes() const { return pool.pair_bytes(); }
  WDX_HD void const* key_address(std::uint64_t slot) const { return pool.key_address(place(slot)); }
  WDX_HD void const* row_address(std::uint64_t slot) const { return pool.row_address(place(slot)); }
  /// @}
};

/// The leaves of B+trees. They offer everything that a view with ranks needs, except for the search among inner nodes.
///
/// A leaf has `Slots` slots; `Slots` = 0 means a number known at run time. Each leaf holds `per_leaf` entries, and the
/// last leaf holds the rest. Free slots are at the end of a leaf. They hold the largest key and the row id `no_row`.
///
///     Slots = 4, 3 entries per leaf
///
///     leaves   |k0 k1 k2 -| |k3 k4 k5 -| |k6 k7 k8 -| |k9 k10 k11 -| |k12 k13 k14 -| |k15 - - -|
///     slot       0  1  2      4  5  6      8  9 10     12  13  14      16  17  18      20
///
/// After an update in place, leaves hold any number of entries from 1 to `Slots`, and may be anywhere in the pool:
///
///     leaf_at  [0 5 2 3 4 6]    where each leaf is
///     bases    [0 3 7 10 13 16 18]    rank of the first entry of each leaf, and the number of all entries
///     leaf_of  [0 1 2 3 5]    leaf of every rank that is a multiple of Slots
template <int Slots, class Pairs> struct tree_leaves {
  using key_type = typename Pairs::key_type;        ///< type of the keys
  using row_type = typename Pairs::row_type;        ///< type of the row ids
  using position = typename Pairs::position;        ///< type of slots, leaves and ranks
  using pairs_type = Pairs;                         ///< where pairs are
  using search = level_search<key_type, position>;  ///< the state of a search
  static constexpr int leaf_slots = Slots;          ///< slots of a leaf; 0 if they are known at run time

  leaf_pairs<Slots, Pairs> pairs;  ///< keys and rows by slot
  position const* bases;           ///< null if all leaves but the last hold `per_leaf` entries
  position const* leaf_of;         ///< null if `bases` is
  position size;                   ///< number of entries
  position leaves;                 ///< number of leaves
  position per_leaf;               ///< entries of a leaf; 0 if leaves hold any number

  /// Not initialised.
  tree_leaves() = default;

  /// Sets the geometry and leaves the arrays null.
  /// @param in_leaf entries per leaf; 0 if leaves hold any number
  tree_leaves(std::uint64_t entries, std::uint64_t all_leaves, int in_leaf)
      : pairs{}, bases(nullptr), leaf_of(nullptr), size(static_cast<position>(entries)),
        leaves(static_cast<position>(all_leaves)), per_leaf(static_cast<position>(in_leaf)) {}

  /// @return a search that begins at the root
  WDX_HD search start(key_type target) const { return {target, 0, 0, 0}; }

  /// @return the position of a leaf in the pool
  WDX_HD std::uint64_t pool_leaf(std::uint64_t leaf) const {
    return pairs.leaf_at == nullptr ? leaf : std::uint64_t{pairs.leaf_at[leaf]};
  }

  WDX_HD std::uint64_t slots() const { return std::uint64_t{1} << pairs.slot_bits; }  ///< per leaf
  /// @return the leaf that has a slot
  template <class Number> WDX_HD Number leaf_with(Number slot) const { return slot >> pairs.slot_bits; }
  /// @return the first slot of a leaf
  template <class Number> WDX_HD Number first_slot(Number leaf) const { return leaf << pairs.slot_bits; }
  /// @return the position of a slot in its leaf
  template <class Number> WDX_HD Number in_leaf(Number slot) const { return slot & static_cast<Number>(slots() - 1); }

  /// @return the rank of the first entry of a leaf; `size` after the last leaf
  WDX_HD position first_rank(std::uint64_t leaf) const {
    return bases != nullptr ? bases[leaf] : leaf < leaves ? static_cast<position>(leaf * per_leaf) : size;
  }

  /// @return the number of entries in a leaf
  WDX_HD position count(std::uint64_t leaf) const { return first_rank(leaf + 1) - first_rank(leaf); }

  /// @return the slot after the last entry; searches for larger keys end there
  WDX_HD position end() const { return size == 0 ? 0 : first_slot(leaves - 1) + count(leaves - 1); }

  /// @return whether all leaves are full and in key order
  bool leaves_are_full() const { return bases == nullptr && pairs.leaf_at == nullptr && per_leaf == slots(); }

  /// @return the rank of the entry in a slot
  WDX_HD position rank(position slot) const {
    position const leaf = leaf_with(slot);
    return (bases != nullptr ? bases[leaf] : leaf * per_leaf) + in_leaf(slot);
  }
  /// The inverse of `rank`. @param rank less than `size`
  WDX_HD position slot_of(position rank) const {
    if (per_leaf == slots()) return rank;
    if (bases == nullptr) return first_slot(rank / per_leaf) + rank % per_leaf;
    position const list = leaf_with(rank);
    position leaf = leaf_of[list];
    position last = list < leaf_with(size - 1) ? leaf_of[list + 1] : leaves - 1;
    while (leaf < last) {
      position const middle = last - (last - leaf) / 2;
      if (rank < bases[middle]) last = middle - 1;
      else leaf = middle;
    }
    return first_slot(leaf) + (rank - bases[leaf]);
  }

  WDX_HD static constexpr int stretches() { return 1; }  ///< one: a range is adjacent, but for free slots
  /// @return the slots of the entries with ranks in [first, last)
  WDX_HD stretch<position> stretch_of(int, position first, position last) const {
    return {slot_of(first), last == size ? end() : slot_of(last)};
  }

  /// @return the number of slots of all leaves, free slots included
  WDX_HD std::uint64_t slot_count() const { return first_slot(std::uint64_t{leaves}); }

  /// @return the last key of a leaf
  WDX_HD key_type last_key(std::uint64_t leaf) const { return pairs.key(first_slot(leaf) + count(leaf) - 1); }

 protected:
  /// Wraps the keys of inner nodes as pairs whose rows are never read.
  WDX_HD static soa_pairs<key_type, position> keys_at(key_type const* keys) { return {keys, {}}; }

  /// Makes the last visit of a search, in leaf number `leaf`.
  template <class Group> WDX_HD void search_leaf(Group group, search& at, std::uint64_t leaf) const {
    std::uint64_t const first = first_slot(leaf);
    int const before = count_less<Slots>(group, pairs.pool, pairs.place(first), at.target);
    at.slot = static_cast<position>(first) + static_cast<position>(before);
  }

  /// Asks for the keys of a leaf.
  WDX_HD WDX_INLINE void prefetch_leaf(std::uint64_t leaf) const {
    prefetch_keys<Slots>(pairs.pool, pairs.place(first_slot(leaf)));
  }
};

}  // namespace warpdex
