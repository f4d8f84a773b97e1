// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/tree_leaves.hpp>

namespace warpdex {

/// The inner nodes of a Harmonia with `Keys` keys per node. They follow from the number of leaves.
template <int Keys, class Position> struct harmonia_nodes {
  static constexpr int max_levels = 16;  ///< enough for any number of leaves

  /// The nodes of one level.
  struct level_info {
    Position last_node;      ///< number of the last node of the level
    Position children_each;  ///< children per node
    Position one_more;       ///< number of nodes, at the beginning of the level, that have one child more
  };

  Position count;               ///< number of inner nodes
  int levels;                   ///< levels of inner nodes; 0 if there is one leaf, or none
  level_info info[max_levels];  ///< per level; at the end that of the leaves

  /// Not initialised.
  harmonia_nodes() = default;
  /// @param leaves number of leaves
  explicit harmonia_nodes(std::uint64_t leaves) : count(0), levels(0), info{} {
    for (std::uint64_t nodes = leaves; nodes > 1; nodes = parents_of(nodes)) ++levels;
    std::uint64_t nodes = leaves;
    for (int level = levels - 1; level >= 0; --level) {
      std::uint64_t const parents = parents_of(nodes);
      info[level] = {static_cast<Position>(parents), static_cast<Position>(nodes / parents),
                     static_cast<Position>(nodes % parents)};
      count += static_cast<Position>(parents);
      nodes = parents;
    }
    std::uint64_t passed = 0;  // up to here `last_node` holds the number of nodes of its level
    for (int level = 0; level < levels; ++level) {
      passed += info[level].last_node;
      info[level].last_node = static_cast<Position>(passed - 1);
    }
    info[levels].last_node = static_cast<Position>(passed + leaves - 1);
  }

  /// @return the number of leaves up to the end of the child of pivot number `i`. A node with fewer children repeats
  /// its last pivot.
  WDX_HD std::uint64_t leaves_up_to(std::uint64_t i) const {
    std::uint64_t const node = i / Keys;
    int level = level_of(node);
    std::uint64_t const position = node - first_node(level);
    std::uint64_t const child = first_child(level, position) + i % Keys;
    std::uint64_t const last = first_child(level, position + 1) - 1;
    // The end of the child on its own level, then on each level below, down to the leaves.
    std::uint64_t end = (child < last ? child : last) + 1;
    while (++level < levels) end = first_child(level, end);
    return end;
  }

  /// @return the value that number `i` of the child region must have
  WDX_HD Position child(std::uint64_t i) const {
    int const level = level_of(i);
    return static_cast<Position>(first_node(level + 1) + first_child(level, i - first_node(level)));
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

  /// @param position that of a node on its level
  /// @return the position of its first child on the next level
  WDX_HD std::uint64_t first_child(int level, std::uint64_t position) const {
    std::uint64_t const with_one_more =
        position < info[level].one_more ? position : std::uint64_t{info[level].one_more};
    return position * info[level].children_each + with_one_more;
  }
};

/// The keys of a Harmonia's inner nodes.
template <class Nodes, class Leaves> struct harmonia_pivots {
  Nodes nodes;    ///< the geometry of the tree
  Leaves leaves;  ///< the leaves, in any layout
  /// @return pivot number i
  WDX_HD auto operator()(std::uint64_t i) const { return leaves.last_key(nodes.leaves_up_to(i) - 1); }
};

/// Harmonia(Keys): a B+tree whose keys and links are in two regions (Yan et al., Harmonia: a high throughput B+tree for
/// GPUs, PPoPP 2019; paper 002 compares with it). Its leaves have `Keys` slots (tree_leaves.hpp).
///
/// A node has up to Keys + 1 children. Its key j is a copy of the last key below child j. All nodes are numbered in
/// breadth-first order, leaves after inner nodes. The key region holds the keys of the inner nodes in this order. The
/// child region holds the number of each inner node's first child: child j of node i is children[i] + j. The nodes of a
/// level share their children evenly, so their numbers of children differ by at most one, and the child region alone
/// tells how many children a node has.
///
///     Keys = 2   pivots    | k5 k11 | k1 k3 | k7 k9 | k13 k15 |          nodes 0 | 1 | 2 | 3
///                children  |   1    |   4   |   7   |   10    |
///                leaves    k0 k1 | k2 k3 | k4 k5 | k6 k7 | ...           4 | 5 | 6 | 7 ...
///
/// A node with fewer children repeats its last key. A search that passes the last key of all stays at the last node of
/// each level, so no key value is reserved. Usually a node has more keys than its group has lanes; these are the
/// narrowed thread groups of Harmonia (see count_less).
///
/// Cost of a search: one visit per level and one to the leaf. There are ceil(log_(Keys + 1) of the number of leaves)
/// levels. A visit to an inner node reads its keys and one link.
template <int Keys, class Pairs> struct harmonia : tree_leaves<Keys, Pairs> {
  static_assert(Keys >= 16);
  using base = tree_leaves<Keys, Pairs>;  ///< the leaves
  using typename base::key_type;
  using typename base::position;
  using typename base::search;
  using pinned_type = key_type;  ///< type of pinned values
  /// Properties of the view.
  static constexpr view_traits traits{
      // a group of 8 reads one sector of 4-byte keys
      .in_leaves = true, .gaps = true, .pinnable = true, .lanes = 8, .any_lanes = searched_by_any_lanes<Pairs>,
      .links = true};

  key_type const* pivots;                ///< the key region, aligned to 16 bytes
  position const* children;              ///< the child region
  harmonia_nodes<Keys, position> nodes;  ///< the geometry of the inner nodes

  /// Not initialised.
  harmonia() = default;

  /// Sets the geometry and leaves the arrays null.
  /// @param per_leaf 0 if leaves hold any number of entries
  harmonia(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : base(size, leaves, per_leaf), pivots(nullptr), children(nullptr), nodes(leaves) {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    bool const is_leaf = at.level == nodes.levels;
    if (is_leaf) this->search_leaf(group, at, at.node - nodes.count);
    else visit_inner(group, at, pivots);
    return is_leaf;
  }

  WDX_HD int depth() const { return this->size == 0 ? 0 : nodes.levels + 1; }
  WDX_HD int pinnable_levels() const { return nodes.levels; }

  /// @return the number of keys on the first levels; they are the front of the key region
  WDX_HD std::uint64_t pinned_values(int first_levels) const {
    return first_levels == 0 ? 0 : (std::uint64_t{nodes.info[first_levels - 1].last_node} + 1) * Keys;
  }
  WDX_HD key_type pinned_value(std::uint64_t i) const { return pivots[i]; }
  template <class Group> WDX_HD bool visit_pinned(Group group, search& at, key_type const* pinned) const {
    visit_inner(group, at, pinned);
    return false;  // leaves are never pinned
  }
  WDX_HD std::uint64_t pinned_end(search const& at) const { return (std::uint64_t{at.node} + 1) * Keys; }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.level == nodes.levels) return this->prefetch_leaf(at.node - nodes.count);
    warpdex::prefetch(children + at.node);
    prefetch_keys<Keys>(base::keys_at(pivots), std::uint64_t{at.node} * Keys);
  }
  /// @}

  /// @return the number of keys in the key region
  WDX_HD std::uint64_t pivot_count() const { return std::uint64_t{nodes.count} * Keys; }

  /// @param leaves in any layout
  /// @return a function that computes pivot number i. Builds and checks use the same one.
  template <class Leaves> auto pivot_rule(Leaves const& leaves) const {
    return harmonia_pivots<decltype(nodes), Leaves>{nodes, leaves};
  }

  /// @return the number of links in the child region
  WDX_HD std::uint64_t child_count() const { return nodes.count; }

 private:
  /// @param keys the key region, or a copy of its beginning
  template <class Group> WDX_HD void visit_inner(Group group, search& at, key_type const* keys) const {
    position const first_child = children[at.node];
    int const smaller = count_less<Keys>(group, base::keys_at(keys), std::uint64_t{at.node} * Keys, at.target);
    position const child = first_child + static_cast<position>(smaller);
    position const last = nodes.info[++at.level].last_node;
    at.node = child < last ? child : last;
  }
};

}  // namespace warpdex
