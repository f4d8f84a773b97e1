// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

#include <bit>

namespace warpdex {

/// The levels of a pivot tree. They follow from its fan-out and size.
template <class Position> struct pivot_levels {
  static constexpr int max_levels = sizeof(Position) * 8;  ///< enough for any number of entries

  /// The nodes of one level.
  struct level_info {
    std::uint64_t child_span;  ///< number of entries below each child of a node
    Position first_pivot;      ///< offset of the level in `pivots`
    Position last_child;       ///< number of the last node on the next level
  };

  Position size;                          ///< number of entries
  int levels;                             ///< number of levels of pivots, stored or not
  int stored_levels;                      ///< number of upper levels that `pivots` holds
  level_info info[unsigned{max_levels}];  ///< per level, from the root down

  /// Not initialised.
  pivot_levels() = default;
  /// @param fanout children per node @param held_levels levels that `pivots` holds, at most
  pivot_levels(unsigned fanout, std::uint64_t entries, int held_levels)
      : size(static_cast<Position>(entries)), levels(0), stored_levels(0), info{} {
    std::uint64_t span = fanout - 1;
    for (; span < entries; span *= fanout) ++levels;
    stored_levels = held_levels < levels ? held_levels : levels;
    std::uint64_t first = 0;
    for (int level = 0; level < levels; ++level) {
      span /= fanout;
      info[level] = {span, static_cast<Position>(first), static_cast<Position>((entries + span - 1) / span - 1)};
      first += nodes_on(level) * (fanout - 1);
    }
  }

  /// @return the number of keys on the first levels
  WDX_HD std::uint64_t pivots_of(int first_levels, unsigned fanout) const {
    return first_levels == 0 ? 0 : info[first_levels - 1].first_pivot + nodes_on(first_levels - 1) * (fanout - 1);
  }

  /// @param node_bits log2 of the number of pivots per node
  /// @return the rank of the entry whose key pivot number `i` copies (paper 000, section 3.5: p)
  WDX_HD std::uint64_t source_of(std::uint64_t i, int node_bits) const {
    int level = 0;
    while (level + 1 < stored_levels && info[level + 1].first_pivot <= i) ++level;
    std::uint64_t const on_level = i - info[level].first_pivot;
    std::uint64_t const child = on_level + (on_level >> node_bits);  // the last child of a node has no pivot
    std::uint64_t const source = (child + 1) * info[level].child_span - 1;
    return source < size ? source : size - 1;
  }

 private:
  WDX_HD std::uint64_t nodes_on(int level) const {
    return level == 0 ? 1 : std::uint64_t{info[level - 1].last_child} + 1;
  }
};

/// The pivots of a pivot tree, as copies of keys.
template <class Position, class Entries> struct copied_pivots {
  pivot_levels<Position> levels;  ///< the geometry of the tree
  int node_bits;                  ///< log2 of the pivots of a node
  Entries entries;                ///< a view of the entries
  /// @return pivot number i
  WDX_HD auto operator()(std::uint64_t i) const { return entries.pairs.key(levels.source_of(i, node_bits)); }
};

/// AO+PB+BS (K = 2) and AO+PB+KS(K): pairs in ascending key order below a pivot buffer
/// (paper 000, sections 3.3, 3.4, 4.5).
///
/// The pairs are cut into leaves of K-1 pairs. A node has K children and K-1 pivots. Pivot j is a copy of the last key
/// below child j. Levels are stored from the root down, each padded to whole nodes. Links need no memory: child c of
/// node v is node vK+c of the next level.
///
///     K = 3     pivots   [k7 k17]                       level 0
///                        [k1 k3][k9 k11][k19 k21]       level 1 ...
///               leaves   k0 k1 | k2 k3 | k4 k5 | ...    the sorted pairs, K-1 each
///
/// Pivots beyond the last key are copies of it. A search that passes them stays at the last child, so no key value is
/// reserved. The buffer may hold fewer levels than the tree has; searches then read the lower pivots from the sorted
/// pairs, which hold these keys anyway (section 4.5).
///
/// Cost of a search of n pairs: ceil(log_K(n / (K-1))) visits to nodes and one to a leaf. Each visit reads K-1 keys.
/// They are adjacent, except for those of levels that are not stored.
template <int K, class Pairs>
struct pivot_tree : pivot_levels<typename Pairs::position>,
                    slots_are_ranks<pivot_tree<K, Pairs>, typename Pairs::position> {
  static_assert(K >= 2);
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  using search = level_search<key_type, position>;
  using pinned_type = key_type;
  static constexpr view_traits traits{.in_key_order = true, .pinnable = true, .lanes = K - 1};
  /// @}
  /// The base that has the geometry.
  using geometry = pivot_levels<position>;
  /// What it has: see `pivot_levels`.
  using geometry::info;
  using geometry::levels;
  using geometry::size;
  using geometry::stored_levels;

  Pairs pairs;             ///< keys and rows by slot
  key_type const* pivots;  ///< aligned to 16 bytes

  /// Not initialised.
  pivot_tree() = default;

  /// @param held_levels number of levels that `held_pivots` holds; at most the levels of the tree are used
  pivot_tree(Pairs stored, key_type const* held_pivots, std::uint64_t entries, int held_levels)
      : geometry(K, entries, held_levels), pairs(stored), pivots(held_pivots) {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type target) const { return {target, 0, 0, 0}; }

  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    key_type const target = at.target;
    if (at.level < stored_levels) {
      auto const node = read_node<Group::lanes, K - 1>(pivots + first_key(at));
      go_to_child(at, group.template count<K - 1>([&](int j) { return is_less(node[j], target); }));
    } else if (at.level < levels) {
      std::uint64_t const span = info[at.level].child_span;
      std::uint64_t const first_end = (std::uint64_t{at.node} * K + 1) * span;  // where the first child ends
      go_to_child(at, group.template count<K - 1>([&](int j) {
        std::uint64_t const end = first_end + static_cast<std::uint64_t>(j) * span;
        return end < size && pairs.key(end - 1) < target;
      }));
    } else {
      std::uint64_t const first = std::uint64_t{at.node} * (K - 1);
      auto const is_before = [&](int j) {  // the last leaf may be short
        std::uint64_t const slot = first + static_cast<unsigned>(j);
        return slot < size && pairs.key(slot) < target;
      };
      int smaller;
      if (Group::lanes == 1 && first + (K - 1) <= size)  // wide loads; with more lanes each reads one key anyway
        smaller = group.template count<K - 1>([leaf = pairs.template node<K - 1, Group::lanes>(first), target](int j) {
          return is_less(leaf(j), target);
        });
      else smaller = group.template count<K - 1>(is_before);
      at.slot = static_cast<position>(first) + static_cast<position>(smaller);
    }
    return ++at.level > levels;
  }

  WDX_HD int depth() const { return levels + 1; }
  WDX_HD int pinnable_levels() const { return stored_levels; }

  /// @return the number of keys on the first levels; they are the front of the pivot buffer
  WDX_HD std::uint64_t pinned_values(int first_levels) const { return this->pivots_of(first_levels, K); }
  WDX_HD key_type pinned_value(std::uint64_t i) const { return pivots[i]; }
  template <class Group> WDX_HD bool visit_pinned(Group group, search& at, key_type const* pinned) const {
    key_type const target = at.target;
    auto const node = read_node<Group::lanes, K - 1>(pinned + first_key(at));
    go_to_child(at, group.template count<K - 1>([&](int j) { return is_less(node[j], target); }));
    ++at.level;
    return false;  // leaves are never pinned
  }
  WDX_HD std::uint64_t pinned_end(search const& at) const { return first_key(at) + (K - 1); }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    int const level = at.level;
    if (level < stored_levels) warpdex::prefetch<(K - 1) * sizeof(key_type)>(pivots + first_key(at));
    else if (level == stored_levels || level == levels) {
      // Below the stored levels a search stays in one partition of the pairs. The first visit there brings its lines.
      std::uint64_t const first = level == levels ? std::uint64_t{at.node} * (K - 1)
                                                  : (std::uint64_t{at.node} * K + 1) * info[level].child_span - 1;
      if (first < size) warpdex::prefetch<(K - 1) * Pairs::key_stride>(pairs.key_address(first));
    }
  }
  /// @}

  /// @return the number of keys in the pivot buffer
  WDX_HD std::uint64_t pivot_count() const { return pinned_values(stored_levels); }

  /// @param entries in any layout
  /// @return a function that computes pivot number i. Builds and checks use the same one.
  template <class Entries> auto pivot_rule(Entries const& entries) const {
    static_assert(((K - 1) & (K - 2)) == 0);
    geometry const& tree = *this;
    return copied_pivots<position, Entries>{tree, std::countr_zero(static_cast<unsigned>(K - 1)), entries};
  }

 private:
  /// @return the offset in `pivots` of the node to visit
  WDX_HD std::uint64_t first_key(search const& at) const {
    return info[at.level].first_pivot + std::uint64_t{at.node} * (K - 1);
  }

  WDX_HD void go_to_child(search& at, int pivots_below) const {
    std::uint64_t const child = std::uint64_t{at.node} * K + static_cast<std::uint64_t>(pivots_below);
    position const last = info[at.level].last_child;
    at.node = child < last ? static_cast<position>(child) : last;
  }
};

}  // namespace warpdex
