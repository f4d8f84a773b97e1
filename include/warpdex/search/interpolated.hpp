// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

#include <cmath>

namespace warpdex {

/// AO+IS: pairs in ascending key order, searched by interpolation (Peterson, Addressing for random-access storage,
/// 1957; the steps are those of Perl and Reingold, 1977). It takes no bytes beyond the pairs.
///
///     slot    first         guess    guess + s              last
///     key       |  <          |  <       |  >=       ...      |         s: the square root of last - first
///
/// The answer of a search is between the slots `first` and `last`, and the search keeps their keys. It guesses the slot
/// of the target as if the keys in between were evenly spread. It steps from there by the square root of the distance,
/// and then guesses again between the last two slots that it has read.
///
/// Cost of a search: the first visit reads two keys, each further visit one key. Evenly spread keys take about
/// log2(log2 n) guesses. Every third visit halves the remaining range, so no search makes more than three times the
/// visits of a binary search.
template <class Pairs> struct interpolated : slots_are_ranks<interpolated<Pairs>, typename Pairs::position> {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  static constexpr view_traits traits{.equal_depth = false, .in_key_order = true};
  /// @}

  /// After the first visit key(first) < target <= key(last).
  struct search {
    key_type target;     ///< the key that is looked for
    key_type first_key;  ///< key of the slot `first`
    key_type last_key;   ///< key of the slot `last`
    position first;      ///< the answer is after it
    position last;       ///< the answer is not after it
    position next;       ///< slot to visit next
    position slot;       ///< once the search is over: the answer
    int visits;          ///< number of visits made, plus one from the first on
  };

  Pairs pairs;    ///< keys and rows by slot
  position size;  ///< number of entries

  /// Not initialised.
  interpolated() = default;
  /// @param stored pairs in key order @param entries number of them
  interpolated(Pairs stored, std::uint64_t entries) : pairs(stored), size(static_cast<position>(entries)) {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type target) const { return {target, 0, 0, 0, 0, 0, size, 0}; }

  template <class Group> WDX_HD bool visit(Group, search& at) const {
    if (at.visits++ == 0) return visit_ends(at);
    key_type const key = pairs.key(at.next);
    bool const is_before = key < at.target;
    position const width = at.last - at.first;
    at.first = select<position>(is_before, at.next, at.first);
    at.last = select<position>(is_before, at.last, at.next);
    at.first_key = select<key_type>(is_before, key, at.first_key);
    at.last_key = select<key_type>(is_before, at.last_key, key);
    at.slot = at.last;
    if (at.last - at.first <= 1) return true;
    switch (at.visits % 3) {
      case 0: at.next = step_from_guess(at, is_before, width); break;
      case 1: at.next = at.first + (at.last - at.first) / 2; break;
      default: at.next = guess(at);
    }
    return false;
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const { warpdex::prefetch(pairs.key_address(at.next)); }
  /// @}

 private:
  /// Makes the first visit. All searches read the same two keys.
  WDX_HD bool visit_ends(search& at) const {
    at.last = size - 1;
    at.first_key = pairs.key(0);
    at.last_key = pairs.key(at.last);
    at.slot = !(at.first_key < at.target) ? 0 : at.last_key < at.target ? size : at.last;
    if (at.slot != at.last || at.last <= 1) return true;
    ++at.visits;
    at.next = guess(at);
    return false;
  }

  /// @return the slot, strictly between `first` and `last`, of the target if keys are evenly spread
  WDX_HD static position guess(search const& at) {
    position const width = at.last - at.first;
    auto const part = static_cast<double>(at.target - at.first_key) / static_cast<double>(at.last_key - at.first_key);
    return between(at, static_cast<position>(part * static_cast<double>(width)));
  }

  /// @param width the distance of `first` and `last` before the guess was visited
  /// @return the slot at the distance sqrt(width) from the guess, which is now `first` or `last`, towards the target
  WDX_HD static position step_from_guess(search const& at, bool was_before, position width) {
    auto const step = static_cast<position>(std::sqrt(static_cast<float>(width)));
    position const left = at.last - at.first;
    return between(at, was_before ? step : left - (step < left ? step : left));
  }

  WDX_HD static position between(search const& at, position offset) {
    position const left = at.last - at.first;
    return at.first + (offset < 1 ? 1 : offset < left ? offset : left - 1);
  }
};

}  // namespace warpdex
