// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

namespace warpdex {

/// @return nodes of a K-ary tree of `size` entries, the last perhaps not full
constexpr std::uint64_t eytzinger_nodes(std::uint64_t fanout, std::uint64_t size) {
  return size / (fanout - 1) + (size % (fanout - 1) != 0 ? 1 : 0);
}

/// @return slots of these nodes
constexpr std::uint64_t eytzinger_slots(std::uint64_t fanout, std::uint64_t size) {
  return eytzinger_nodes(fanout, size) * (fanout - 1);
}

/// @return unused slots before the first: with one pair a node, the pairs start one slot into a cache line, so that
/// both children of a node share a line (paper 000, figure 4)
constexpr std::uint64_t eytzinger_lead(std::uint64_t fanout) { return fanout == 2 ? 1 : 0; }

/// @return `fanout` to the power of `exponent`; a shift for K = 2
template <class Fanout> WDX_HD std::uint64_t eytzinger_power(Fanout fanout, int exponent) {
  if (fanout == 2) return std::uint64_t{1} << exponent;
  std::uint64_t product = 1;
  for (int i = 0; i < exponent; ++i) product *= fanout;
  return product;
}

/// In which slots of a complete K-ary search tree, level by level, sorted entries lie (paper 000, section 3.5).
///
///     K = 3, 7 entries      slot   0  1   2  3   4  5   6
///                           rank   2  5   0  1   3  4   6
///
/// All levels are full but the last, whose `leaves` entries lie at its left end. The tree without its last level is
/// perfect, which gives slots and ranks in closed form: the leaves stand between the inner entries, K-1 before each of
/// the first ones. A tree whose only node takes all entries has them in the order of their ranks.
template <class Position> struct eytzinger_order {
  Position leaves = 0;      ///< entries on the last level
  Position first_leaf = 0;  ///< slot; one less than K^(levels - 1)
  int levels = 0;

  eytzinger_order() = default;
  constexpr eytzinger_order(std::uint64_t fanout, std::uint64_t size) {
    for (std::uint64_t above = 0; above < size; above = above * fanout + (fanout - 1)) {
      ++levels;
      first_leaf = static_cast<Position>(above);
      leaves = static_cast<Position>(size - above);
    }
  }

  // `fanout` is that of the constructor: a constant, or a `divisor` if it is known at run time only. Inner entries are
  // those that are not leaves; their numbers are in the order of their keys.

  /// @return leaves among the `rank` smallest entries: all but each K-th, as long as there are leaves
  template <class Fanout> WDX_HD Position leaves_below(Position rank, Fanout fanout) const {
    Position const interleaved = rank - rank / fanout;
    return interleaved < leaves ? interleaved : leaves;
  }

  /// @return leaves smaller than inner entry number `inner`
  template <class Fanout> WDX_HD Position leaves_before(Position inner, Fanout fanout) const {
    std::uint64_t const complete = (std::uint64_t{inner} + 1) * (fanout - 1);
    return complete < leaves ? static_cast<Position>(complete) : leaves;
  }

  /// @return the slot of inner entry number `inner`
  template <class Fanout> WDX_HD Position inner_slot(Position inner, Fanout fanout) const {
    Position number = inner + 1;
    Position width = (first_leaf + 1) / fanout;  // K^level, so the level begins at slot width - 1
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

  /// @param rank less than the size
  template <class Fanout> WDX_HD Position slot_of(Position rank, Fanout fanout) const {
    Position const below = leaves_below(rank, fanout);
    if (below < leaves && rank % fanout != fanout - 1) return first_leaf + below;
    return inner_slot(rank - below, fanout);
  }

  /// Inverse of `slot_of`: q and its correction c in the paper. @param slot less than the size
  template <class Fanout> WDX_HD Position rank_of(Position slot, Fanout fanout) const {
    if (slot >= first_leaf) return slot - first_leaf + (slot - first_leaf) / (fanout - 1);
    int level = 0;
    std::uint64_t width = 1;  // K^level
    while (width * fanout - 1 <= slot) {
      width *= fanout;
      ++level;
    }
    auto const i = static_cast<Position>(slot - (width - 1));
    std::uint64_t const stride = eytzinger_power(fanout, levels - 2 - level);  // inner entries to the next of its node
    auto const inner = static_cast<Position>(stride * (1 + std::uint64_t{i} + i / (fanout - 1)) - 1);
    return inner + leaves_before(inner, fanout);
  }
};

}  // namespace warpdex
