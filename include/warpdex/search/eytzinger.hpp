// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

namespace warpdex {

/// EO+BS (K = 2) and EO+KS(K): pairs in K-ary Eytzinger order (paper 000, sections 3.2, 3.4, 3.5).
/// The complete K-ary search tree, level by level, without pointers: node v holds K-1 pairs and its
/// children are the nodes vK+1 ... vK+K. No bytes beyond the pairs, but for padding of the last node.
///
///     K = 3     node 0    node 1    node 2    node 3    node 4
///     slot     [0   1]   [2   3]   [4   5]   [6   7]   [8   9] ...
///              level 0    level 1 (children of 0) ...   level 2 (children of 1) ...
///
/// All levels are full but the last, whose `leaves` pairs lie at its left end. The tree without its last
/// level is perfect, which gives slots and ranks in closed form: the leaves stand between the inner
/// entries, K-1 before each of the first ones.
template <int K, class Pairs> struct eytzinger {
  static_assert(K >= 2);
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = position_of<row_type>;
  using pairs_type = Pairs;
  static constexpr int fanout = K;
  static constexpr bool in_key_order = false;  ///< whether slots are ranks

  /// With one pair a node, the pairs start one slot into a cache line, so that both children of a node
  /// share a line (paper 000, figure 4).
  static constexpr int leading_slots = K == 2 ? 1 : 0;

  Pairs pairs;  ///< padded to whole nodes with copies of the largest entry
  position size;
  position nodes;
  position leaves;      ///< pairs on the last level
  position first_leaf;  ///< slot; one less than K^(levels - 1)
  int levels;

  eytzinger() = default;
  eytzinger(Pairs pairs, std::uint64_t size)
      : pairs(pairs), size(static_cast<position>(size)), nodes(static_cast<position>((size + K - 2) / (K - 1))),
        leaves(0), first_leaf(0), levels(0) {
    for (std::uint64_t above = 0; above < size; above = above * K + (K - 1)) {
      ++levels;
      first_leaf = static_cast<position>(above);
      leaves = static_cast<position>(size - above);
    }
  }

  WDX_HD int depth() const { return levels; }
  WDX_HD cursor<position> root() const { return {0, size}; }

  template <class Group> WDX_HD void descend(Group group, cursor<position>& at, int, key_type target) const {
    visit(group, at, target, pairs.template node<K - 1, Group::lanes>(first_slot(at)));
  }

  WDX_HD int pinnable_levels() const { return levels; }

  /// The keys of the first levels: those of the first slots.
  WDX_HD std::uint64_t pinned_keys(int first_levels) const {
    std::uint64_t const above = power(first_levels) - 1;
    return above < std::uint64_t{nodes} * (K - 1) ? above : std::uint64_t{nodes} * (K - 1);
  }
  WDX_HD key_type pinned_key(std::uint64_t i) const { return pairs.key(i); }
  template <class Group>
  WDX_HD void descend_pinned(Group group, cursor<position>& at, int, key_type target, key_type const* pinned) const {
    visit(group, at, target,
          [node = read_node<Group::lanes, K - 1>(pinned + first_slot(at))](int j) { return node[j]; });
  }
  WDX_HD std::uint64_t pinned_end(cursor<position> const& at, int) const { return first_slot(at) + (K - 1); }

  WDX_HD WDX_INLINE void prefetch_node(cursor<position> const& at, int) const {
    prefetch<(K - 1) * (Pairs::kind == layout::soa ? sizeof(key_type) : Pairs::bytes_per_pair)>(
        pairs.key_address(first_slot(at)));
  }

  /// Paper 000, section 3.5: q and its correction c. @param slot at most `size`
  WDX_HD position rank(position slot) const {
    if (slot >= size) return size;
    if (slot >= first_leaf) return slot - first_leaf + (slot - first_leaf) / (K - 1);
    int level = 0;
    std::uint64_t width = 1;  // K^level, so the level begins at slot width - 1
    while (width * K - 1 <= slot) {
      width *= K;
      ++level;
    }
    auto const i = static_cast<position>(slot - (width - 1));
    position const inner = static_cast<position>(power(levels - 2 - level) * (1 + std::uint64_t{i} + i / (K - 1)) - 1);
    return inner + leaves_before(inner);
  }

  /// Inverse of `rank`. @param rank at most `size`
  WDX_HD position slot_of(position rank) const {
    if (rank >= size) return size;
    position const interleaved = rank - rank / K;  // leaves among the smaller entries, as long as there are leaves
    if (rank % K != K - 1 && interleaved < leaves) return first_leaf + interleaved;
    position inner = rank - select<position>(interleaved < leaves, interleaved, leaves) + 1;  // counted from 1
    position width = (first_leaf + 1) / K;  // K^level, so the level begins at slot width - 1
    while (inner % K == 0) {
      inner /= K;
      width /= K;
    }
    return width - 1 + inner - 1 - inner / K;
  }

  /// Each level holds one stretch of a range.
  WDX_HD int stretches() const { return levels; }
  WDX_HD stretch<position> stretch_of(int level, position first, position last) const {
    auto const begin = static_cast<position>(power(level) - 1);
    return {begin + on_level_below(level, first), begin + on_level_below(level, last)};
  }

  /// Slots in memory, padding included.
  std::uint64_t padded_size() const { return std::uint64_t{nodes} * (K - 1); }

 private:
  /// First slot of the node to visit. On the last level, which need not be full, there may be none: then
  /// the root's, so that what is read is always there.
  WDX_HD std::uint64_t first_slot(cursor<position> const& at) const {
    return std::uint64_t{select<position>(at.node < nodes, at.node, 0)} * (K - 1);
  }

  template <class Group, class Node>
  WDX_HD void visit(Group group, cursor<position>& at, key_type target, Node node) const {
    bool const exists = at.node < nodes;
    auto const smaller = static_cast<unsigned>(group.template count<K - 1>([&](int j) { return node(j) < target; }));
    std::uint64_t const slot = std::uint64_t{at.node} * (K - 1) + smaller;
    bool const turns_here = exists & (smaller < K - 1) & (slot < size);
    at.slot = select<position>(turns_here, static_cast<position>(slot), at.slot);
    std::uint64_t const child = std::uint64_t{at.node} * K + 1 + smaller;
    at.node = static_cast<position>(select<std::uint64_t>(exists & (child < nodes), child, nodes));
  }

  WDX_HD static std::uint64_t power(int exponent) {
    if constexpr (K == 2) return std::uint64_t{1} << exponent;
    std::uint64_t product = 1;
    for (int i = 0; i < exponent; ++i) product *= K;
    return product;
  }

  /// Leaves smaller than inner entry number `inner`.
  WDX_HD position leaves_before(position inner) const {
    std::uint64_t const complete = (std::uint64_t{inner} + 1) * (K - 1);
    return complete < leaves ? static_cast<position>(complete) : leaves;
  }

  /// Leaves among the `rank` smallest entries: all but each K-th, as long as there are leaves.
  WDX_HD position leaves_below(position rank) const {
    position const interleaved = rank - rank / K;
    return interleaved < leaves ? interleaved : leaves;
  }

  /// Entries of one level among the `rank` smallest entries.
  WDX_HD position on_level_below(int level, position rank) const {
    position below = leaves_below(rank);
    if (level == levels - 1) return below;
    below = rank - below;
    for (int l = level; l < levels - 2; ++l) below /= K;
    return below - below / K;
  }
};

}  // namespace warpdex
