// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/segments.hpp>

namespace warpdex {

/// PGM(eps, eps_internal): pairs in ascending key order under a piecewise linear model, and models of the models'
/// keys above it up to a single segment (paper 001, section III; Ferragina and Vinciguerra, The PGM-index, 2020).
///
///     level 3                    [ k0 ]                                 one segment
///     level 2         [ k0      k6000       k9100 ]                     error: eps_internal
///     level 1   [ k0  k870 .. k6000 k7020 .. k9100 .. ]                 error: eps_internal
///     pairs     k0 k1 ...              ^ rank +- eps                    error: eps
///
/// All levels are in one array of first keys and one of lines, level 1 first, each padded to whole nodes.
///
/// Cost of a search: one visit to each level whose window of 2 eps_internal keys is in one node, and about log2(2 eps /
/// node) visits to the pairs.
template <class Pairs> struct pgm : learned_array<Pairs> {
  using base = learned_array<Pairs>;  ///< what learned indexes share
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using typename base::key_type;
  using typename base::position;
  using typename base::search;
  /// @}

  /// Each level has about twice as many segments as the one above it, or more.
  static constexpr int most_levels = 34;

  key_type const* keys;          ///< the first keys of all segments
  line<position> const* lines;   ///< their lines
  position eps;                  ///< largest error of the segments of the pairs
  position eps_internal;         ///< largest error of the levels above
  int levels;                    ///< levels of segments; at least 1, but 0 in an empty index
  position counts[most_levels];  ///< segments per level, level 1 first
  position begins[most_levels];  ///< the first slot of each level in `keys` and `lines`

  /// Not initialised.
  pgm() = default;
  /// Sets the errors and leaves the arrays null. @param entries number of pairs
  pgm(Pairs stored, std::uint64_t entries, std::uint64_t error, std::uint64_t internal_error)
      : base(stored, entries), keys(nullptr), lines(nullptr), eps(static_cast<position>(error)),
        eps_internal(static_cast<position>(internal_error)), levels(0), counts{}, begins{} {}

  /// @param number from 1 on
  WDX_HD segments<key_type, position> level(int number) const {
    bool const is_first = number == 1;
    position const begin = begins[number - 1];
    return {keys + begin, lines + begin, counts[number - 1], is_first ? this->size : counts[number - 2],
            is_first ? eps : eps_internal};
  }

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type target) const { return {target, {1, 1}, this->size, levels}; }

  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    if (at.level == 0) return this->visit_entries(group, at);
    return this->visit_segments(group, level(at.level), at);
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.level == 0) this->prefetch_entries(at);
    else this->prefetch_segments(level(at.level), at);
  }
  /// @}
};

}  // namespace warpdex
