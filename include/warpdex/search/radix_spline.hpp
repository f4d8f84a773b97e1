// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/segments.hpp>

namespace warpdex {

/// Cells of equally many keys each, from `origin` on. Keys before belong to the first cell, keys after to the last.
template <class Key, class Position> struct radix_grid {
  Key origin;      ///< the first key of the first cell
  int shift;       ///< log2 of the keys per cell
  Position cells;  ///< number of cells; not 0

  /// @return the cell of a key
  WDX_HD Position cell_of(Key key) const {
    Key const cell = static_cast<Key>(key - (key < origin ? key : origin)) >> shift;
    return cell < cells ? static_cast<Position>(cell) : cells - 1;
  }
};

/// RS(bits, eps): pairs in ascending key order under a spline, and a radix table over the keys of its points (paper
/// 002, section 2.3; Kipf et al., RadixSpline, 2020).
///
///     table     | t0 | t1 | t2 | ...            by the upper bits of key - origin
///                 |    |
///     spline    [ k0  k3 | k9  k12 k14 | ..]    points in a cell: those of numbers t0 to t1
///     pairs     k0 k1 ...   ^ rank +- eps
///
/// The table covers the middle of the points: few points come before `origin` or after the last cell, and count to the
/// first and the last cell. So a few keys far from all others do not make the other cells crowded.
///
/// Cost of a search: one visit to the table, about log2(points in the cell / node) visits to the points, and about
/// log2(2 eps / node) visits to the pairs.
template <class Pairs> struct radix_spline : learned_array<Pairs> {
  using base = learned_array<Pairs>;  ///< what learned indexes share
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using typename base::key_type;
  using typename base::position;
  using typename base::search;
  /// @}

  segments<key_type, position> spline;  ///< the points, as segments
  position const* table;  ///< per cell: the number of points in the cells before it; at the end the number of all
  radix_grid<key_type, position> grid;  ///< which cell a key is in

  /// Not initialised.
  radix_spline() = default;
  /// Sets the error and leaves the arrays null. @param size number of pairs @param eps largest error of the spline
  radix_spline(Pairs pairs, std::uint64_t size, std::uint64_t eps)
      : base(pairs, size), spline{nullptr, nullptr, 0, base::size, static_cast<position>(eps)},
        table(nullptr), grid{0, 0, 1} {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type target) const { return {target, {0, 0}, this->size, 2}; }

  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    if (at.level == 0) return this->visit_entries(group, at);
    if (at.level == 1) return this->visit_segments(group, spline, at);
    position const cell = grid.cell_of(at.target);
    position const last = table[cell + 1] < spline.count ? table[cell + 1] : spline.count;
    at.window = {table[cell] < last ? table[cell] : last, last};
    at.level = 1;
    return false;
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.level == 0) this->prefetch_entries(at);
    else if (at.level == 1) this->prefetch_segments(spline, at);
    else warpdex::prefetch(table + grid.cell_of(at.target));
  }
  /// @}
};

}  // namespace warpdex
