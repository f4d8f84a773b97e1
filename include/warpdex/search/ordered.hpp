// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

/// @file
/// Lookups over any ordered view, for host loops and for use inside kernels ("singular lookups").
///
/// An ordered view V is a trivially copyable description of n entries, each with a slot (where it lies)
/// and a rank (its place in key order, ties in row order). It offers:
///
///     V::key_type V::row_type V::position       size, pairs
///     int       depth()                         levels of a search, the same for all probes
///     cursor    root()                          a search not yet begun
///     void      descend(group, at, level, t)    visits one node on the way to the first key >= t
///     void      prefetch_node(at, level)        asks for what that visit will read
///     int       pinnable_levels()               how many of the first levels may be read from a copy
///     uint64_t  pinned_keys(levels)             number of keys that the first levels read
///     key_type  pinned_key(i)                   key number i of that copy
///     void      descend_pinned(group, at, level, t, copy)   the visit, reading the copy
///     uint64_t  pinned_end(at, level)           how many keys the copy must have for that visit
///     position  rank(slot), slot_of(rank)       inverse to each other on [0, n); rank(n) = n
///     int       stretches()                     a range of ranks lies in so many runs of adjacent slots
///     stretch   stretch_of(s, first, last)      run s of the entries with ranks in [first, last)
///
/// and, if not all slots below `size` hold entries:
///
///     position  end()                           the slot behind all entries; `size` without this
///     bool      V::has_gaps                     stretches contain slots whose row id is `no_row`: no entries
///
/// Searches look for the first key not less than a target, and nothing else: upper bounds use the
/// target's successor. Slots and ranks are 32-bit for 32-bit row ids.
namespace warpdex {

/// Adjacent slots [begin, end).
template <class Position> struct stretch {
  Position begin;
  Position end;
};

/// The slot behind all entries.
template <class View> WDX_HD typename View::position end_of(View const& view) {
  if constexpr (requires { view.end(); }) return view.end();
  else return view.size;
}

/// Whether every range is one stretch.
template <class View> inline constexpr bool in_one_stretch = requires { requires(View::stretches() == 1); };

/// Whether ranges pass slots without entries.
template <class View> inline constexpr bool has_gaps = requires { requires View::has_gaps; };

/// @return the slot of the first key not less than `target`, `end_of(view)` if there is none
/// Cost: `view.depth()` node visits.
template <class View, class Group = single_lane>
WDX_HD typename View::position lower_bound(View const& view, typename View::key_type target, Group group = {}) {
  auto at = view.root();
  for (int level = 0; level < view.depth(); ++level) view.descend(group, at, level, target);
  return at.slot;
}

/// @return the slot of the first key greater than `target`, `end_of(view)` if there is none
template <class View, class Group = single_lane>
WDX_HD typename View::position upper_bound(View const& view, typename View::key_type target, Group group = {}) {
  auto const successor = static_cast<typename View::key_type>(target + 1);
  auto const slot = lower_bound(view, successor, group);  // whatever the key, or groups of a warp would part
  return successor == 0 ? end_of(view) : slot;
}

/// @return the smallest row id of the key, all bits set if it is not there
template <class View, class Group = single_lane>
WDX_HD typename View::row_type find(View const& view, typename View::key_type key, Group group = {}) {
  auto const slot = lower_bound(view, key, group);
  if (slot < end_of(view) && view.pairs.key(slot) == key) return view.pairs.row(slot);
  return static_cast<typename View::row_type>(-1);
}

/// Ranks of the entries with lower <= key <= upper: [begin, end), empty if lower > upper.
template <class View, class Group = single_lane>
WDX_HD stretch<typename View::position> rank_range(View const& view, typename View::key_type lower,
                                                   typename View::key_type upper, Group group = {}) {
  auto const begin = view.rank(lower_bound(view, lower, group));
  auto const end = view.rank(upper_bound(view, upper, group));
  if (upper < lower) return {0, 0};
  return {begin, end};
}

/// Calls visit(slot) for every entry with lower <= key <= upper, run of slots by run of slots; key order
/// within a run. In the Eytzinger order this is the level-by-level scan of paper 000, section 3.2, with
/// the borders of each level computed from the ranks of the two bounds.
template <class View, class Visit>
WDX_HD void scan(View const& view, typename View::key_type lower, typename View::key_type upper, Visit visit) {
  auto const ranks = rank_range(view, lower, upper);
  if (ranks.begin == ranks.end) return;
  for (int s = 0; s < view.stretches(); ++s) {
    auto const run = view.stretch_of(s, ranks.begin, ranks.end);
    for (auto slot = run.begin; slot < run.end; ++slot) {
      if constexpr (has_gaps<View>)
        if (view.pairs.row(slot) == static_cast<typename View::row_type>(-1)) continue;
      visit(slot);
    }
  }
}

}  // namespace warpdex
