// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/view.hpp>

/// @file
/// Lookups in any view with ranks, for host loops and for use inside kernels ("singular lookups").
///
/// All lanes of `group` call a lookup together and get the same result. Targets are codes of keys (`encode` in
/// codec.hpp). A search costs the visits that the view's own comment states.
namespace warpdex {

/// @return the slot of the first key not less than `target`; `view.end()` if there is none
///
/// Cost: one search.
template <ranked_view View, class Group = single_lane>
WDX_HD typename View::position lower_bound(View const& view, typename View::key_type target, Group group = {}) {
  return run_from_start(view, view.start(target), group).slot;
}

/// @return the slot of the first key greater than `target`; `view.end()` if there is none
///
/// Cost: one search.
template <ranked_view View, class Group = single_lane>
WDX_HD typename View::position upper_bound(View const& view, typename View::key_type target, Group group = {}) {
  auto const next = successor_of(target);
  auto const slot = lower_bound(view, next.key, group);  // for every key, so that groups of a warp stay in step
  return next.exists ? slot : view.end();
}

/// @return the smallest row id of the key; all bits set if the key does not exist
///
/// Cost: one search, and one read of an entry; of its row alone if the view `tells_matches`.
template <ranked_view View, class Group = single_lane>
WDX_HD typename View::row_type find(View const& view, typename View::key_type key, Group group = {}) {
  auto const found = run_from_start(view, view.start(key), group);
  bool hit = false;
  if constexpr (View::traits.tells_matches) hit = view.matches(found);
  else hit = found.slot < view.end() && view.pairs.key(found.slot) == key;
  return hit ? view.pairs.row(found.slot) : static_cast<typename View::row_type>(-1);
}

/// @return the ranks [begin, end) of the entries with lower <= key <= upper; empty if lower > upper
///
/// Cost: two searches; for the strings with a prefix, one and a half if the view `finds_prefixes`.
template <ranked_view View, class Group = single_lane>
WDX_HD stretch<typename View::position> equal_range(View const& view, typename View::key_type lower,
                                                    typename View::key_type upper, Group group = {}) {
  if constexpr (View::traits.finds_prefixes)
    if (is_prefix_range(lower, upper)) return view.prefix_range(group, lower);
  auto const begin = view.rank(lower_bound(view, lower, group));
  auto const end = view.rank(upper_bound(view, upper, group));
  return {begin, static_cast<typename View::position>(begin + ranks_between(begin, end))};
}

/// Calls visit(slot) for every entry with lower <= key <= upper, one stretch after another. Entries are in key order
/// within a stretch. In the Eytzinger order this is the level-by-level scan of paper 000, section 3.2; the ends of the
/// stretch on each level follow from the ranks of the two bounds.
/// Cost: two searches, and one read per slot of the range if the view has gaps.
template <ranked_view View, class Visit>
WDX_HD void scan(View const& view, typename View::key_type lower, typename View::key_type upper, Visit visit) {
  auto const ranks = equal_range(view, lower, upper);
  if (ranks.begin == ranks.end) return;
  for (int s = 0; s < view.stretches(); ++s) {
    auto const run = view.stretch_of(s, ranks.begin, ranks.end);
    for (auto slot = run.begin; slot < run.end; ++slot) {
      if constexpr (View::traits.gaps)
        if (view.pairs.row(slot) == static_cast<typename View::row_type>(-1)) continue;
      visit(slot);
    }
  }
}

}  // namespace warpdex
