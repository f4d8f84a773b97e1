// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

namespace warpdex {

/// AO+BS: pairs in ascending key order, searched by binary search (paper 000, section 3.1). A search goes from the end
/// towards the front in steps of falling powers of two. It takes no bytes beyond the pairs.
///
///     slot    0    1    2   ...   n-1   n (virtual, above all keys)
///     key    k0 <= k1 <= k2  ...  k(n-1)
///                          <------- step 2^s
///
/// The search starts at the virtual slot n, so a probe above the largest key ends there. Listing 1 of the paper starts
/// at the last entry and cannot tell such a probe apart.
///
/// Cost of a search: floor(log2 n) + 1 visits, each of which reads one key.
template <class Pairs> struct sorted_array : slots_are_ranks<sorted_array<Pairs>, typename Pairs::position> {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  using search = level_search<key_type, position>;
  using pinned_type = key_type;
  static constexpr view_traits traits{.in_key_order = true, .pinnable = true, .spread_top = true, .widest_key = 16};
  /// @}

  Pairs pairs;    ///< keys and rows by slot
  position size;  ///< number of entries
  int steps;      ///< visits per search; the first step is 2^(steps-1) slots wide

  /// Not initialised.
  sorted_array() = default;
  /// @param stored pairs in key order @param entries number of them
  sorted_array(Pairs stored, std::uint64_t entries) : pairs(stored), size(static_cast<position>(entries)), steps(0) {
    while (entries >> steps != 0) ++steps;
  }

  /// @return a search among all entries
  WDX_HD search start(key_type target) const { return {target, 0, size, 0}; }

  /// @return a search for an answer that is known to be in the slots [first, last]
  /// @param last at most `size`
  WDX_HD search start_between(key_type target, position first, position last) const {
    int level = steps - 1;
    while (level > 0 && step_at(level - 1) <= last - first) --level;
    return {target, first, last, level};
  }

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  template <class Group> WDX_HD bool visit(Group, search& at) const {
    position const step = step_at(at.level);
    bool const inside = step <= at.slot;
    return move(at, step, inside & !(pairs.key(select<position>(inside, at.slot - step, 0)) < at.target));
  }

  WDX_HD int depth() const { return steps; }
  WDX_HD int pinnable_levels() const { return steps; }

  /// @return the number of keys that the first `levels` steps read; the copy holds them in the order of a binary heap
  WDX_HD std::uint64_t pinned_values(int levels) const { return (std::uint64_t{1} << levels) - 1; }
  WDX_HD key_type pinned_value(std::uint64_t i) const {
    int level = 0;
    while ((std::uint64_t{2} << level) - 1 <= i) ++level;
    std::uint64_t const back = (2 * (i + 1 - (std::uint64_t{1} << level)) + 1) * step_at(level);
    return pairs.key(back <= size ? size - back : 0);
  }
  template <class Group> WDX_HD bool visit_pinned(Group, search& at, key_type const* pinned) const {
    position const step = step_at(at.level);
    return move(at, step, (step <= at.slot) & !(pinned[pinned_end(at) - 1] < at.target));
  }
  WDX_HD std::uint64_t pinned_end(search const& at) const {
    std::uint64_t const taken = std::uint64_t{size - at.slot} >> (steps - at.level);
    return (std::uint64_t{1} << at.level) + taken;
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    position const step = step_at(at.level);
    warpdex::prefetch(pairs.key_address(select<position>(step <= at.slot, at.slot - step, 0)));
  }
  /// @}

 private:
  WDX_HD position step_at(int level) const { return position{1} << (steps - 1 - level); }
  WDX_HD bool move(search& at, position step, bool back) const {
    at.slot = select<position>(back, at.slot - step, at.slot);
    return ++at.level == steps;
  }
};

}  // namespace warpdex
