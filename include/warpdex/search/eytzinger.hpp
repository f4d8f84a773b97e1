// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/eytzinger_order.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

namespace warpdex {

/// EO+BS (K = 2) and EO+KS(K): pairs in K-ary Eytzinger order (paper 000, sections 3.2, 3.4, 3.5).
///
/// The array is a complete K-ary search tree, stored level by level without pointers. Node v holds K-1 pairs, and its
/// children are the nodes vK+1 ... vK+K. The only bytes beyond the pairs pad the last node.
///
///     K = 3     node 0    node 1    node 2    node 3    node 4
///     slot     [0   1]   [2   3]   [4   5]   [6   7]   [8   9] ...
///              level 0    level 1 (children of 0) ...   level 2 (children of 1) ...
///
/// Cost of a search of n pairs: ceil(log_K(n + 1)) visits, each of which reads the K-1 keys of one node.
template <int K, class Pairs> struct eytzinger {
  static_assert(K >= 2);
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  using search = level_search<key_type, position>;
  using pinned_type = key_type;
  static constexpr view_traits traits{.level_fanout = K, .one_stretch = false, .pinnable = true, .lanes = K - 1};
  /// @}

  Pairs pairs;                      ///< copies of the largest entry pad the last node
  position size;                    ///< number of entries
  position nodes;                   ///< number of nodes, the last of which need not be full
  eytzinger_order<position> order;  ///< from slots to ranks and back

  /// Not initialised.
  eytzinger() = default;
  /// Sets the geometry. @param stored pairs in this order @param entries number of them
  eytzinger(Pairs stored, std::uint64_t entries)
      : pairs(stored), size(static_cast<position>(entries)), nodes(static_cast<position>(eytzinger_nodes(K, entries))),
        order(K, entries) {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type target) const { return {target, 0, size, 0}; }

  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    return visit_node(group, at, pairs.template node<K - 1, Group::lanes>(first_slot(at)));
  }

  WDX_HD int depth() const { return order.levels; }
  WDX_HD int pinnable_levels() const { return order.levels; }

  /// @return the number of keys on the first levels; they are in the first slots
  WDX_HD std::uint64_t pinned_values(int first_levels) const {
    std::uint64_t const above = eytzinger_power(K, first_levels) - 1;
    return above < std::uint64_t{nodes} * (K - 1) ? above : std::uint64_t{nodes} * (K - 1);
  }
  WDX_HD key_type pinned_value(std::uint64_t i) const { return pairs.key(i); }
  template <class Group> WDX_HD bool visit_pinned(Group group, search& at, key_type const* pinned) const {
    return visit_node(group, at,
                      [node = read_node<Group::lanes, K - 1>(pinned + first_slot(at))](int j) { return node[j]; });
  }
  WDX_HD std::uint64_t pinned_end(search const& at) const { return first_slot(at) + (K - 1); }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    warpdex::prefetch<(K - 1) * Pairs::key_stride>(pairs.key_address(first_slot(at)));
  }
  /// @}

  WDX_HD position end() const { return size; }  ///< the slot after all entries

  /// @param slot at most `size` @return its rank
  WDX_HD position rank(position slot) const { return slot >= size ? size : order.rank_of(slot, position{K}); }

  /// The inverse of `rank`. @param rank at most `size`
  WDX_HD position slot_of(position rank) const { return rank >= size ? size : order.slot_of(rank, position{K}); }

  /// A range has one stretch per level.
  WDX_HD int stretches() const { return order.levels; }
  /// @return the slots of a level that have ranks in [first, last)
  WDX_HD stretch<position> stretch_of(int level, position first, position last) const {
    auto const begin = static_cast<position>(eytzinger_power(K, level) - 1);
    return {begin + on_level_below(level, first), begin + on_level_below(level, last)};
  }

  /// @return the number of slots in memory, padding included
  std::uint64_t padded_size() const { return eytzinger_slots(K, size); }

 private:
  /// @return the first slot of the node to visit. On the last level, which need not be full, the node may not exist.
  /// The result is then the first slot of the root, so the visit reads valid memory.
  WDX_HD std::uint64_t first_slot(search const& at) const {
    return std::uint64_t{select<position>(at.node < nodes, at.node, 0)} * (K - 1);
  }

  template <class Group, class Node> WDX_HD bool visit_node(Group group, search& at, Node node) const {
    key_type const target = at.target;
    auto const smaller =
        static_cast<unsigned>(group.template count<K - 1>([&](int j) { return is_less(node(j), target); }));
    std::uint64_t const slot =
        std::uint64_t{at.node} * (K - 1) + smaller;  // at least `size` if the node does not exist
    at.slot = select<position>((smaller < K - 1) & (slot < size), static_cast<position>(slot), at.slot);
    std::uint64_t const child = std::uint64_t{at.node} * K + 1 + smaller;
    at.node = static_cast<position>(select<std::uint64_t>(child < nodes, child, nodes));
    return ++at.level == order.levels;
  }

  /// @return the number of entries of a level among the `rank` smallest entries
  WDX_HD position on_level_below(int level, position rank) const {
    position below = order.leaves_below(rank, position{K});
    if (level == order.levels - 1) return below;
    below = rank - below;
    for (int l = level; l < order.levels - 2; ++l) below /= K;
    return below - below / K;
  }
};

}  // namespace warpdex
