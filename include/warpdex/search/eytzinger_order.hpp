// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

namespace warpdex {

/// @return the number of nodes of a K-ary tree of `size` entries; the last node need not be full
constexpr std::uint64_t eytzinger_nodes(std::uint64_t fanout, std::uint64_t size) {
  return size / (fanout - 1) + (size % (fanout - 1) != 0 ? 1 : 0);
}

/// @return the number of slots of these nodes
constexpr std::uint64_t eytzinger_slots(std::uint64_t fanout, std::uint64_t size) {
  return eytzinger_nodes(fanout, size) * (fanout - 1);
}

/// @return the number of unused slots before the first. With one pair per node, the pairs start one slot into a cache
/// line, so both children of a node share a line (paper 000, figure 4).
constexpr std::uint64_t eytzinger_lead(std::uint64_t fanout) { return fanout == 2 ? 1 : 0; }

/// @return `fanout` to the power of `exponent`
template <class Fanout> WDX_HD std::uint64_t eytzinger_power(Fanout fanout, int exponent) {
  if (fanout == 2) return std::uint64_t{1} << exponent;
  std::uint64_t product = 1;
  for (int i = 0; i < exponent; ++i) product *= static_cast<std::uint64_t>(fanout);
  return product;
}

/// The Eytzinger order: maps the ranks of sorted entries to the slots of a complete K-ary search tree, and back. Slots
/// are numbered level by level (paper 000, section 3.5).
///
///     K = 3, 7 entries      slot   0  1   2  3   4  5   6
///                           rank   2  5   0  1   3  4   6
///
/// All levels but the last are full. The `leaves` entries of the last level are at its left end. Without its last level
/// the tree is perfect, so slots and ranks have a closed form: in key order, K-1 leaves come before each of the first
/// inner entries, until the leaves run out. In a tree of a single node, slots are ranks.
///
/// An inner entry is one that is not a leaf. Inner entries are numbered in key order.
template <class Position> struct eytzinger_order {
  Position leaves = 0;      ///< number of entries on the last level
  Position first_leaf = 0;  ///< slot of the first leaf: K^(levels - 1) - 1
  int levels = 0;           ///< levels of the tree; 0 without entries

  /// That of no entries.
  eytzinger_order() = default;
  /// @param fanout children per node @param size number of entries
  constexpr eytzinger_order(std::uint64_t fanout, std::uint64_t size) {
    for (std::uint64_t above = 0; above < size; above = above * fanout + (fanout - 1)) {
      ++levels;
      first_leaf = static_cast<Position>(above);
      leaves = static_cast<Position>(size - above);
    }
  }

  // The functions below take the `fanout` of the constructor as a constant, or as a `divisor` if it is known only at
  // run time.

  /// @return the number of leaves among the `rank` smallest entries: min(rank - rank / K, leaves)
  template <class Fanout> WDX_HD Position leaves_below(Position rank, Fanout fanout) const {
    Position const interleaved = rank - rank / fanout;
    return interleaved < leaves ? interleaved : leaves;
  }

  /// @return the number of leaves smaller than inner entry number `inner`: min((inner + 1) (K - 1), leaves)
  template <class Fanout> WDX_HD Position leaves_before(Position inner, Fanout fanout) const {
    std::uint64_t const complete = (std::uint64_t{inner} + 1) * (fanout - 1);
    return complete < leaves ? static_cast<Position>(complete) : leaves;
  }

  /// @return the slot of inner entry number `inner`
  template <class Fanout> WDX_HD Position inner_slot(Position inner, Fanout fanout) const {
    Position number = inner + 1;
    Position width = (first_leaf + 1) / fanout;  // K^level; the level begins at slot width - 1
    if (fanout == 2) {
      int const zeros = trailing_zeros(number);
      number >>= zeros;
      width >>= zeros;
    } else {
      while (number % fanout == 0) {
        number = number / fanout;
        width = width / fanout;
      }
    }
    return width - 1 + number - 1 - number / fanout;
  }

  /// @param rank less than the size @return the slot of the entry
  template <class Fanout> WDX_HD Position slot_of(Position rank, Fanout fanout) const {
    Position const below = leaves_below(rank, fanout);
    if (below < leaves && rank % fanout != fanout - 1) return first_leaf + below;
    return inner_slot(rank - below, fanout);
  }

  /// The inverse of `slot_of`: q and its correction c in the paper.
  /// @param slot less than the size @return the rank of the entry
  template <class Fanout> WDX_HD Position rank_of(Position slot, Fanout fanout) const {
    if (slot >= first_leaf) return slot - first_leaf + (slot - first_leaf) / (fanout - 1);
    int level = 0;
    std::uint64_t width = 1;  // K^level
    while (width * fanout - 1 <= slot) {
      width *= fanout;
      ++level;
    }
    auto const i = static_cast<Position>(slot - (width - 1));
    std::uint64_t const stride = eytzinger_power(fanout, levels - 2 - level);  // from one entry of the node to the next
    auto const inner = static_cast<Position>(stride * (1 + std::uint64_t{i} + i / (fanout - 1)) - 1);
    return inner + leaves_before(inner, fanout);
  }
};

}  // namespace warpdex
