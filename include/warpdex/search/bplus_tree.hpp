// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/tree_leaves.hpp>

namespace warpdex {

/// B+(16) and B+(page=4096): pairs in leaves of `Slots` slots (tree_leaves.hpp) under nodes of `Fanout` children
/// (papers 000, 002 and 003 compare with such trees).
///
/// Pivot j of a node is the last key below child j, so a search always ends at an entry; it is the largest key of the
/// type where the last leaf of the tree, or nothing, is below. Inner nodes are full but for the last of each level, and
/// stored from the root down, so a child has a number and needs no pointer: child c of node v is node
/// v * Fanout + c of the next level.
///
///     Fanout = 4, 3 entries a leaf
///
///     pivots   [k11 max max max]                                      level 0
///              [k2  k5  k8  k11] [k14 max max max]                    level 1
///     leaves   |k0 k1 k2 -| |k3 k4 k5 -| |k6 k7 k8 -| |k9 k10 k11 -| |k12 k13 k14 -| |k15 - - -|
template <int Fanout, int Slots, class Pairs> struct bplus_tree : tree_leaves<Slots, Pairs> {
  static_assert((Fanout & (Fanout - 1)) == 0);
  using base = tree_leaves<Slots, Pairs>;
  using base::leaves;
  using base::size;
  using typename base::key_type;
  using typename base::position;
  static constexpr int lanes = Fanout == 16 ? 8 : 32;  ///< of a group, for nodes of 16 two keys a lane
  static constexpr bool any_group = true;              ///< of more or fewer lanes may search too
  static constexpr int max_levels = 12;                ///< 2^48 entries, 16 children a node

  key_type const* pivots;               ///< aligned to 16 bytes
  int levels;                           ///< of inner nodes
  position first_node[max_levels + 1];  ///< of each level; behind the last, the number of all nodes

  bplus_tree() = default;

  /// The geometry of a tree, without arrays.
  /// @param per_leaf 0 if leaves hold any number of entries
  bplus_tree(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : base(size, leaves, per_leaf), pivots(nullptr), levels(0), first_node{} {
    for (std::uint64_t span = 1; span < leaves; span *= Fanout) ++levels;
    std::uint64_t span = 1;  // leaves below a node
    for (int level = 0; level < levels; ++level) span *= Fanout;
    for (int level = 0; level < levels; ++level, span /= Fanout)
      first_node[level + 1] = static_cast<position>(first_node[level] + (leaves + span - 1) / span);
  }

  WDX_HD int depth() const { return size == 0 ? 0 : levels + 1; }

  template <class Group> WDX_HD void descend(Group group, cursor<position>& at, int level, key_type target) const {
    if (level < levels)
      go_to_child(at, count_less<Fanout>(group, base::keys_at(pivots), first_pivot(at, level), target));
    else this->search_leaf(group, at, at.node, target);
  }

  WDX_HD int pinnable_levels() const { return levels; }

  /// The keys of the first levels: those at the front of the pivots.
  WDX_HD std::uint64_t pinned_keys(int first_levels) const { return std::uint64_t{first_node[first_levels]} * Fanout; }
  WDX_HD key_type pinned_key(std::uint64_t i) const { return pivots[i]; }
  template <class Group>
  WDX_HD void descend_pinned(Group group, cursor<position>& at, int level, key_type target,
                             key_type const* pinned) const {
    go_to_child(at, count_less<Fanout>(group, base::keys_at(pinned), first_pivot(at, level), target));
  }
  WDX_HD std::uint64_t pinned_end(cursor<position> const& at, int level) const {
    return first_pivot(at, level) + Fanout;
  }

  WDX_HD WDX_INLINE void prefetch_node(cursor<position> const& at, int level) const {
    if (level < levels) prefetch_keys<Fanout>(base::keys_at(pivots), first_pivot(at, level));
    else this->prefetch_leaf(at.node);
  }

  WDX_HD std::uint64_t pivot_count() const { return pinned_keys(levels); }

  /// What pivot number `i` must be.
  WDX_HD key_type pivot(std::uint64_t i) const {
    int level = 0;
    while (pinned_keys(level + 1) <= i) ++level;
    std::uint64_t below = i - pinned_keys(level) + 1;  // children of the level up to this one, then leaves
    for (int l = level + 1; l < levels; ++l) below *= Fanout;
    return below < leaves ? this->last_key(below - 1) : static_cast<key_type>(-1);
  }

 private:
  WDX_HD std::uint64_t first_pivot(cursor<position> const& at, int level) const {
    return (std::uint64_t{first_node[level]} + at.node) * Fanout;
  }

  WDX_HD static void go_to_child(cursor<position>& at, int child) {
    at.node = at.node * Fanout + static_cast<position>(child);
  }
};

}  // namespace warpdex
