// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/tree_leaves.hpp>

namespace warpdex {

/// Harmonia(Keys): a B+tree whose keys and links lie in two regions (Yan et al., Harmonia: a high throughput B+tree
/// for GPUs, PPoPP 2019; compared with in paper 002), over leaves of `Keys` slots (tree_leaves.hpp).
///
/// A node has up to Keys + 1 children; its key j is a copy of the last key below child j. All nodes are numbered in
/// breadth-first order, the leaves behind the inner ones. The key region has the keys of the inner nodes in this order,
/// the child region one number a node, that of its first child: child j of node i is children[i] + j. The children of a
/// level are dealt out evenly, so that no node of it has two more than another, and how many a node has is known from
/// the child region alone.
///
///     Keys = 2   pivots    | k5 k11 | k1 k3 | k7 k9 | k13 k15 |          nodes 0 | 1 | 2 | 3
///                children  |   1    |   4   |   7   |   10    |
///                leaves    k0 k1 | k2 k3 | k4 k5 | k6 k7 | ...           4 | 5 | 6 | 7 ...
///
/// A node that has fewer children repeats its last key; a search that passes the last key of all is held at the last
/// node of each level, so no key value is reserved. Fewer lanes than there are keys search a node, the narrowed thread
/// groups of Harmonia (see count_less).
template <int Keys, class Pairs> struct harmonia : tree_leaves<Keys, Pairs> {
  static_assert(Keys >= 16);
  using base = tree_leaves<Keys, Pairs>;
  using base::leaves;
  using base::size;
  using typename base::key_type;
  using typename base::position;
  static constexpr int lanes = 8;          ///< of a group: one sector of 4-byte keys
  static constexpr bool any_group = true;  ///< of more or fewer lanes may search too
  static constexpr int max_levels = 16;

  struct level_info {
    position last_node;      ///< its number
    position children_each;  ///< of its nodes
    position one_more;       ///< so many of its first nodes have one child more
  };

  key_type const* pivots;    ///< the key region, aligned to 16 bytes
  position const* children;  ///< the child region
  position inner_nodes;
  int levels;  ///< of inner nodes
  level_info info[max_levels];

  harmonia() = default;

  /// The geometry of a tree, without arrays.
  /// @param per_leaf 0 if leaves hold any number of entries
  harmonia(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : base(size, leaves, per_leaf), pivots(nullptr), children(nullptr), inner_nodes(0), levels(0), info{} {
    for (std::uint64_t nodes = leaves; nodes > 1; nodes = parents_of(nodes)) ++levels;
    std::uint64_t nodes = leaves;
    for (int level = levels - 1; level >= 0; --level) {
      std::uint64_t const parents = parents_of(nodes);
      info[level] = {static_cast<position>(parents), static_cast<position>(nodes / parents),
                     static_cast<position>(nodes % parents)};
      inner_nodes += static_cast<position>(parents);
      nodes = parents;
    }
    std::uint64_t passed = 0;  // by now `last_node` counts the nodes of its level
    for (int level = 0; level < levels; ++level) {
      passed += info[level].last_node;
      info[level].last_node = static_cast<position>(passed - 1);
    }
    info[levels].last_node = static_cast<position>(passed + leaves - 1);
  }

  WDX_HD int depth() const { return size == 0 ? 0 : levels + 1; }

  template <class Group> WDX_HD void descend(Group group, cursor<position>& at, int level, key_type target) const {
    if (level == levels) return this->search_leaf(group, at, at.node - inner_nodes, target);
    position const first_child = children[at.node];
    go_to_child(at, level, first_child, smaller_in_node(group, pivots, at, target));
  }

  WDX_HD int pinnable_levels() const { return levels; }

  /// The keys of the first levels: those at the front of the key region.
  WDX_HD std::uint64_t pinned_keys(int first_levels) const {
    return first_levels == 0 ? 0 : (std::uint64_t{info[first_levels - 1].last_node} + 1) * Keys;
  }
  WDX_HD key_type pinned_key(std::uint64_t i) const { return pivots[i]; }
  template <class Group>
  WDX_HD void descend_pinned(Group group, cursor<position>& at, int level, key_type target,
                             key_type const* pinned) const {
    position const first_child = children[at.node];
    go_to_child(at, level, first_child, smaller_in_node(group, pinned, at, target));
  }
  WDX_HD std::uint64_t pinned_end(cursor<position> const& at, int) const { return (std::uint64_t{at.node} + 1) * Keys; }

  WDX_HD WDX_INLINE void prefetch_node(cursor<position> const& at, int level) const {
    if (level == levels) return this->prefetch_leaf(at.node - inner_nodes);
    prefetch(children + at.node);
    prefetch_keys<Keys>(base::keys_at(pivots), std::uint64_t{at.node} * Keys);
  }

  /// Keys in the key region, and what number `i` of them must be.
  WDX_HD std::uint64_t pivot_count() const { return std::uint64_t{inner_nodes} * Keys; }
  WDX_HD key_type pivot(std::uint64_t i) const {
    std::uint64_t const node = i / Keys;
    int level = level_of(node);
    std::uint64_t const place = node - first_node(level);
    std::uint64_t const child = first_child(level, place) + i % Keys;
    std::uint64_t const last = first_child(level, place + 1) - 1;
    // The end of the child, on its level and on each below, down to the leaves.
    std::uint64_t end = (child < last ? child : last) + 1;
    while (++level < levels) end = first_child(level, end);
    return this->last_key(end - 1);
  }

  /// Numbers in the child region, and what number `i` of them must be.
  WDX_HD std::uint64_t child_count() const { return inner_nodes; }
  WDX_HD position child(std::uint64_t i) const {
    int const level = level_of(i);
    return static_cast<position>(first_node(level + 1) + first_child(level, i - first_node(level)));
  }

 private:
  static std::uint64_t parents_of(std::uint64_t nodes) { return (nodes + Keys) / (Keys + 1); }

  WDX_HD std::uint64_t first_node(int level) const {
    return level == 0 ? 0 : std::uint64_t{info[level - 1].last_node} + 1;
  }
  WDX_HD int level_of(std::uint64_t node) const {
    int level = 0;
    while (info[level].last_node < node) ++level;
    return level;
  }

  /// Place on the next level of the first child of node `place` of a level.
  WDX_HD std::uint64_t first_child(int level, std::uint64_t place) const {
    std::uint64_t const with_one_more = place < info[level].one_more ? place : std::uint64_t{info[level].one_more};
    return place * info[level].children_each + with_one_more;
  }

  /// Keys of the node to visit that are smaller than the target. @param keys the key region, or its beginning
  template <class Group>
  WDX_HD static int smaller_in_node(Group group, key_type const* keys, cursor<position> const& at, key_type target) {
    return count_less<Keys>(group, base::keys_at(keys), std::uint64_t{at.node} * Keys, target);
  }

  WDX_HD void go_to_child(cursor<position>& at, int level, position first_child, int smaller) const {
    position const child = first_child + static_cast<position>(smaller);
    position const last = info[level + 1].last_node;
    at.node = child < last ? child : last;
  }
};

}  // namespace warpdex
