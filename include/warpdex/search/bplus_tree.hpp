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

/// B+(16) and B+(page=4096): pairs in leaves of `Slots` slots under nodes of `Fanout` children
/// (papers 000, 002 and 003 compare with such trees).
///
/// Leaves hold `per_leaf` entries each, the last one the rest. The slots that a leaf leaves free are at its end;
/// they hold the largest key and the row id that no index holds. Pivot j of a node
/// is the last key below child j, so a search always ends at an entry; it is the largest key of the type where
/// the last leaf of the tree, or nothing, is below. Inner nodes are full but for the last of each level, and
/// stored from the root down, so a child has a number and needs no pointer: child c of node v is node
/// v * Fanout + c of the next level.
///
///     Fanout = 4, Slots = 4, 3 entries a leaf
///
///     pivots   [k11 max max max]                                      level 0
///              [k2  k5  k8  k11] [k14 max max max]                    level 1
///     leaves   |k0 k1 k2 -| |k3 k4 k5 -| |k6 k7 k8 -| |k9 k10 k11 -| |k12 k13 k14 -| |k15 - - -|
///     slot       0  1  2      4  5  6      8  9 10     12  13  14      16  17  18      20
///
/// After an update in place, leaves hold any number of entries but none, and lie anywhere in the pool:
///
///     leaf_at  [0 5 2 3 4 6]    where each leaf lies
///     bases    [0 3 7 10 13 16 18]    rank of each leaf's first entry, and the number of all
///     leaf_of  [0 1 2 3 5]    leaf of every rank that is a multiple of Slots
template <int Fanout, int Slots, class Pairs> struct bplus_tree {
  static_assert((Fanout & (Fanout - 1)) == 0 && (Slots & (Slots - 1)) == 0);
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = position_of<row_type>;
  using pairs_type = Pairs;
  static constexpr bool in_key_order = false;  ///< slots are not ranks
  static constexpr bool has_gaps = true;
  static constexpr int lanes = Fanout < 32 ? Fanout : 32;
  static constexpr int slots = Slots;
  static constexpr int max_levels = 12;  ///< 2^48 entries, 16 children a node

  leaf_pairs<Slots, Pairs> pairs;
  key_type const* pivots;   ///< aligned to 16 bytes
  position const* bases;    ///< null if all leaves but the last hold `per_leaf` entries
  position const* leaf_of;  ///< the same
  position size;
  position leaves;
  position per_leaf;
  int levels;                           ///< of inner nodes
  position first_node[max_levels + 1];  ///< of each level; behind the last, the number of all nodes

  bplus_tree() = default;

  /// The geometry of a tree, without arrays.
  /// @param per_leaf 0 if leaves hold any number of entries
  bplus_tree(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : pairs{}, pivots(nullptr), bases(nullptr), leaf_of(nullptr), size(static_cast<position>(size)),
        leaves(static_cast<position>(leaves)), per_leaf(static_cast<position>(per_leaf)), levels(0), first_node{} {
    for (std::uint64_t span = 1; span < leaves; span *= Fanout) ++levels;
    std::uint64_t span = 1;  // leaves below a node
    for (int level = 0; level < levels; ++level) span *= Fanout;
    for (int level = 0; level < levels; ++level, span /= Fanout)
      first_node[level + 1] = static_cast<position>(first_node[level] + (leaves + span - 1) / span);
  }

  WDX_HD int depth() const { return size == 0 ? 0 : levels + 1; }
  WDX_HD cursor<position> root() const { return {0, 0}; }

  template <class Group> WDX_HD void descend(Group group, cursor<position>& at, int level, key_type target) const {
    if (level < levels)
      go_to_child(at, count_less<Fanout>(group, stored_pivots(pivots), first_pivot(at, level), target));
    else {
      std::uint64_t const first = std::uint64_t{at.node} * Slots;
      int const before = count_less<Slots>(group, pairs.pool, pairs.place(first), target);
      at.slot = static_cast<position>(first) + static_cast<position>(before);
    }
  }

  WDX_HD int pinnable_levels() const { return levels; }

  /// The keys of the first levels: those at the front of the pivots.
  WDX_HD std::uint64_t pinned_keys(int first_levels) const { return std::uint64_t{first_node[first_levels]} * Fanout; }
  WDX_HD key_type pinned_key(std::uint64_t i) const { return pivots[i]; }
  template <class Group>
  WDX_HD void descend_pinned(Group group, cursor<position>& at, int level, key_type target,
                             key_type const* pinned) const {
    go_to_child(at, count_less<Fanout>(group, stored_pivots(pinned), first_pivot(at, level), target));
  }
  WDX_HD std::uint64_t pinned_end(cursor<position> const& at, int level) const {
    return first_pivot(at, level) + Fanout;
  }

  /// Of a page, asks for the key that its search compares first.
  WDX_HD WDX_INLINE void prefetch_node(cursor<position> const& at, int level) const {
    if (level < levels) prefetch_keys<Fanout>(stored_pivots(pivots), first_pivot(at, level));
    else prefetch_keys<Slots>(pairs.pool, pairs.place(std::uint64_t{at.node} * Slots));
  }

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

  WDX_HD int stretches() const { return 1; }
  WDX_HD stretch<position> stretch_of(int, position first, position last) const {
    return {slot_of(first), last == size ? end() : slot_of(last)};
  }

  /// Slots in memory.
  WDX_HD std::uint64_t slot_count() const { return std::uint64_t{leaves} * Slots; }

  WDX_HD std::uint64_t pivot_count() const { return pinned_keys(levels); }

  /// What pivot number `i` must be.
  WDX_HD key_type pivot(std::uint64_t i) const {
    int level = 0;
    while (pinned_keys(level + 1) <= i) ++level;
    std::uint64_t below = i - pinned_keys(level) + 1;  // children of the level up to this one, then leaves
    for (int l = level + 1; l < levels; ++l) below *= Fanout;
    if (below >= leaves) return static_cast<key_type>(-1);
    std::uint64_t const leaf = below - 1;
    return pairs.key(leaf * Slots + count(leaf) - 1);
  }

 private:
  WDX_HD static soa_pairs<key_type, row_type> stored_pivots(key_type const* keys) { return {keys, nullptr}; }

  WDX_HD std::uint64_t first_pivot(cursor<position> const& at, int level) const {
    return (std::uint64_t{first_node[level]} + at.node) * Fanout;
  }

  WDX_HD static void go_to_child(cursor<position>& at, int child) {
    at.node = at.node * Fanout + static_cast<position>(child);
  }

  template <int Count, class Keys> WDX_HD WDX_INLINE static void prefetch_keys(Keys const& keys, std::uint64_t first) {
    constexpr int slot_bytes = Keys::kind == layout::soa ? sizeof(key_type) : Keys::bytes_per_pair;
    if constexpr (Count <= 16) prefetch<Count * slot_bytes>(keys.key_address(first));
    else prefetch(keys.key_address(first + Count / 2 - 1));
  }
};

}  // namespace warpdex
