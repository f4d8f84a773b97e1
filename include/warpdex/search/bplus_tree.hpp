// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/tree_leaves.hpp>

namespace warpdex {

/// The inner nodes of a B+tree. They follow from its fan-out and number of leaves.
template <class Position> struct bplus_nodes {
  static constexpr int max_levels = 12;  ///< enough for 2^48 leaves and 16 children per node

  int levels;                           ///< of inner nodes; 0 if there is one leaf, or none
  Position first_node[max_levels + 1];  ///< number of the first node of each level; at the end, of all nodes

  /// No geometry; not initialised.
  bplus_nodes() = default;
  /// @param fanout children per node @param leaves number of leaves
  bplus_nodes(unsigned fanout, std::uint64_t leaves) : levels(0), first_node{} {
    for (std::uint64_t span = 1; span < leaves; span *= fanout) ++levels;
    std::uint64_t span = 1;  // number of leaves below a node
    for (int level = 0; level < levels; ++level) span *= fanout;
    for (int level = 0; level < levels; ++level, span /= fanout)
      first_node[level + 1] = static_cast<Position>(first_node[level] + (leaves + span - 1) / span);
  }

  /// @return the number of keys on the first levels
  WDX_HD std::uint64_t pivots_of(int first_levels, unsigned fanout) const {
    return std::uint64_t{first_node[first_levels]} * fanout;
  }

  /// @return the number of leaves up to the end of the child of pivot number `i`. It exceeds the number of all leaves
  /// if the node is not full and has no such child.
  WDX_HD std::uint64_t leaves_up_to(std::uint64_t i, unsigned fanout) const {
    int level = 0;
    while (pivots_of(level + 1, fanout) <= i) ++level;
    std::uint64_t up_to = i - pivots_of(level, fanout) + 1;  // counts children of the level, then leaves
    for (int l = level + 1; l < levels; ++l) up_to *= fanout;
    return up_to;
  }
};

/// The pivots of a B+tree.
template <class Position, class Leaves> struct bplus_pivots {
  bplus_nodes<Position> nodes;  ///< the geometry of the tree
  unsigned fanout;              ///< children per node
  Leaves leaves;                ///< the leaves, in any layout
  /// @return pivot number i
  WDX_HD auto operator()(std::uint64_t i) const {
    std::uint64_t const up_to = nodes.leaves_up_to(i, fanout);
    return up_to < leaves.leaves ? leaves.last_key(up_to - 1) : static_cast<typename Leaves::key_type>(-1);
  }
};

/// B+(16) and B+(page=4096): pairs in leaves of `Slots` slots (tree_leaves.hpp) under nodes of `Fanout` children
/// (papers 000, 002 and 003 compare with such trees).
///
/// Pivot j of a node is the last key below child j, so a search always ends at an entry. If the last leaf of the tree
/// or no leaf is below child j, pivot j is the largest key of the type. Inner nodes are stored from the root down, and
/// all but the last of each level are full. So links need no memory: child c of node v is node v * Fanout + c of the
/// next level.
///
/// Cost of a search: one visit per level and one to the leaf. There are ceil(log_Fanout of the number of leaves)
/// levels. A visit reads one node, or a part of one (see count_less).
///
///     Fanout = 4, 3 entries per leaf
///
///     pivots   [k11 max max max]                                      level 0
///              [k2  k5  k8  k11] [k14 max max max]                    level 1
///     leaves   |k0 k1 k2 -| |k3 k4 k5 -| |k6 k7 k8 -| |k9 k10 k11 -| |k12 k13 k14 -| |k15 - - -|
template <int Fanout, int Slots, class Pairs> struct bplus_tree : tree_leaves<Slots, Pairs> {
  static_assert((Fanout & (Fanout - 1)) == 0);
  using base = tree_leaves<Slots, Pairs>;  ///< the leaves
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using typename base::key_type;
  using typename base::position;
  using typename base::search;
  using pinned_type = key_type;
  static constexpr view_traits traits{.in_leaves = true,
                                      .gaps = true,
                                      .pinnable = true,
                                      .lanes = Fanout == 16 ? 8 : 32,
                                      .any_lanes = searched_by_any_lanes<Pairs>};
  /// @}

  key_type const* pivots;       ///< aligned to 16 bytes
  bplus_nodes<position> nodes;  ///< the geometry of the inner nodes

  /// Not initialised.
  bplus_tree() = default;

  /// Sets the geometry and leaves the arrays null.
  /// @param per_leaf 0 if leaves hold any number of entries
  bplus_tree(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : base(size, leaves, per_leaf), pivots(nullptr), nodes(Fanout, leaves) {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    bool const is_leaf = at.level == nodes.levels;
    if (is_leaf) this->search_leaf(group, at, at.node);
    else go_to_child(at, count_less<Fanout>(group, base::keys_at(pivots), first_pivot(at), at.target));
    return is_leaf;
  }

  WDX_HD int depth() const { return this->size == 0 ? 0 : nodes.levels + 1; }
  WDX_HD int pinnable_levels() const { return nodes.levels; }

  /// @return the number of keys on the first levels; they are the front of the pivots
  WDX_HD std::uint64_t pinned_values(int first_levels) const { return nodes.pivots_of(first_levels, Fanout); }
  WDX_HD key_type pinned_value(std::uint64_t i) const { return pivots[i]; }
  template <class Group> WDX_HD bool visit_pinned(Group group, search& at, key_type const* pinned) const {
    go_to_child(at, count_less<Fanout>(group, base::keys_at(pinned), first_pivot(at), at.target));
    return false;  // leaves are never pinned
  }
  WDX_HD std::uint64_t pinned_end(search const& at) const { return first_pivot(at) + Fanout; }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.level < nodes.levels) prefetch_keys<Fanout>(base::keys_at(pivots), first_pivot(at));
    else this->prefetch_leaf(at.node);
  }
  /// @}

  /// @return the number of keys of all inner nodes
  WDX_HD std::uint64_t pivot_count() const { return pinned_values(nodes.levels); }

  /// @param leaves in any layout
  /// @return a function that computes pivot number i. Builds and checks use the same one.
  template <class Leaves> auto pivot_rule(Leaves const& leaves) const {
    return bplus_pivots<position, Leaves>{nodes, Fanout, leaves};
  }

 private:
  WDX_HD std::uint64_t first_pivot(search const& at) const {
    return (std::uint64_t{nodes.first_node[at.level]} + at.node) * Fanout;
  }

  WDX_HD static void go_to_child(search& at, int child) {
    ++at.level;
    at.node = at.node * Fanout + static_cast<position>(child);
  }
};

}  // namespace warpdex
