// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/view.hpp>

namespace warpdex {

/// The marks of adjacent slots, one bit per slot, and the number of all marks before them. One load reads both.
template <class Row> struct alignas(2 * sizeof(Row)) mark_block {
  static constexpr unsigned slots = 8 * sizeof(Row);  ///< marks of a block

  Row marks;   ///< bit j belongs to slot j of the block
  Row before;  ///< number of marks in earlier blocks

  /// @return whether a slot of this block has a mark
  WDX_HD bool has(std::uint64_t slot) const { return (marks >> slot % slots & 1) != 0; }

  /// @return the number of marks before a slot of this block
  WDX_HD std::uint64_t rank(std::uint64_t slot) const {
    auto const below = static_cast<Row>((Row{1} << slot % slots) - 1);
    return std::uint64_t{before} + static_cast<unsigned>(count_ones(static_cast<Row>(marks & below)));
  }

  /// Calls visit(slot, rank) for each marked slot among the `Count` slots of this block from `first` on.
  template <unsigned Count, class Visit> WDX_HD void for_each_marked(std::uint64_t first, Visit const& visit) const {
    constexpr Row all = static_cast<Row>(-1) >> (slots - Count);
    Row left = marks >> first % slots & all;
    if (left == 0) return;
    std::uint64_t number = rank(first);
    for (; left != 0; left &= left - 1) visit(first + static_cast<unsigned>(trailing_zeros(left)), number++);
  }
};

/// The rows of those keys of a hash table that have several. Each of these keys has a row list: all its rows, in
/// ascending order. The slot of a key holds its smallest row, whether there are others or not. So a search for one row
/// looks at nothing but the slot, and no row id has a special meaning. A mark tells that the key in a slot has a list:
///
///     slot       0  1  2  3  4  5 |  6  7  8  9 10 11      here a block has the marks of 6 slots
///     hash      02 11 24 -- 35 38 | 44 -- 61 70 -- --
///     row       r4 r0 r7 -- r5 r1 | r3 -- r9 r2 -- --      the smallest row of each key
///     mark       1  0  0  0  0  0 |  1  0  0  1  0  0      keys 02, 44 and 70 have several rows
///     before     0                |  1                     marks in earlier blocks
///
///     starts    0       2           5        7
///     rows      | r4 r6 | r3 r8 r10 | r2 r11 |             one list per mark, in the order of the slots
///
/// Marks take 2 bits per slot. A list takes a start, and all its rows.
template <class Row> struct row_lists {
  mark_block<Row> const* marks;  ///< null if each key has one row
  Row const* starts;             ///< where each list begins in `rows`, and where the last one ends
  Row const* rows;               ///< all lists, one after the other

  /// @return where the list of the key in a slot begins and ends in `rows`; {0, 0} if it has none
  WDX_HD stretch<std::uint64_t> list_of(std::uint64_t slot) const {
    if (marks == nullptr) return {0, 0};
    mark_block<Row> const block = marks[slot / mark_block<Row>::slots];
    if (!block.has(slot)) return {0, 0};
    std::uint64_t const list = block.rank(slot);
    return {starts[list], starts[list + 1]};
  }

  // `list_of` reads twice: each of these prefetches the memory of a read. The second needs what the first reads.
  /// Asks for the memory that `list_of` reads first.
  WDX_HD WDX_INLINE void prefetch_mark(std::uint64_t slot) const {
    if (marks != nullptr) prefetch(marks + slot / mark_block<Row>::slots);
  }
  /// Asks for what it reads then, but reads the former itself.
  WDX_HD WDX_INLINE void prefetch_start(std::uint64_t slot) const {
    if (marks == nullptr) return;
    mark_block<Row> const block = marks[slot / mark_block<Row>::slots];
    if (block.has(slot)) prefetch(starts + block.rank(slot));
  }
};

}  // namespace warpdex
