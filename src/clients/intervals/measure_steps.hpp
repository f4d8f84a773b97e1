// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clients/intervals/interval_steps.hpp"

/// @file
/// Steps of the questions about intervals that need distances: which are nearest, and how much they cover.
namespace warpdex {

/// The sorted starts or ends, as entries of an index have them.
struct sorted_values {
  key_type type;
  void const* codes;  ///< of values, or places of them
  bool are_places;
  join_steps::place_keys keys;

  WDX_HD u128 code(std::uint64_t i) const {
    return detail::load_bytes(codes, are_places ? sizeof(std::uint64_t) : size_of(type), i);
  }
  WDX_HD u128 bits(std::uint64_t i) const {
    if (are_places) return keys.at(static_cast<std::uint64_t>(code(i)));
    if (type == key_type::u128) return code(i);
    return value_of_code(type, static_cast<std::uint64_t>(code(i)));
  }
  WDX_HD distance from(key_type other, u128 other_bits, std::uint64_t i) const {
    return distance_of(other, other_bits, type, bits(i));
  }
};

/// Lengths are integers, or floats.
WDX_HD inline void take_length(distance const& of, std::uint64_t& to) { to = static_cast<std::uint64_t>(of.whole); }
WDX_HD inline void take_length(distance const& of, double& to) { to = of.real; }

/// Stretches of places whose intervals touch each other, so that their union has no gap.
template <class Row> struct stretches {
  sorted_values starts;
  sorted_values ends;
  Row const* reach;            ///< per place the last end rank of all places up to it
  std::uint64_t const* first;  ///< place of each stretch's first interval
  std::uint64_t count;
  std::uint64_t size;  ///< number of intervals

  /// @return the end rank of a stretch's end
  WDX_HD std::uint64_t end_rank(std::uint64_t stretch) const {
    return reach[(stretch + 1 < count ? first[stretch + 1] : size) - 1];
  }
  /// @return the number of stretches that begin with the first `started` places
  WDX_HD std::uint64_t begun(std::uint64_t started) const {
    return end_of_prefix<std::uint64_t>(0, count, [&](std::uint64_t j) { return first[j] < started; });
  }
};

/// The places of the group of each probe, which are also its end ranks.
struct group_range {
  std::uint64_t const* firsts;  ///< null if all intervals are one group
  std::uint64_t const* lasts;
  std::uint64_t size;  ///< number of all intervals

  WDX_HD std::uint64_t first(std::uint64_t i) const { return firsts == nullptr ? 0 : firsts[i]; }
  WDX_HD std::uint64_t last(std::uint64_t i) const { return firsts == nullptr ? size : lasts[i]; }
};

namespace measure_steps {

/// Lists the rows of the intervals next to point i: first those that contain it, then others by distance.
template <class Row> struct list_nearest {
  end_tree<Row> tree;
  Row const* rows;
  Row const* places;  ///< of end ranks
  sorted_values starts;
  sorted_values ends;
  key_type type;
  void const* points;
  std::uint64_t const* started;
  std::uint64_t const* ended;
  group_range within;
  std::uint64_t const* offsets;
  Row* out;

  /// @return the first end rank whose end is that of the one before `end`; those of other groups have others
  WDX_HD std::uint64_t same_end(std::uint64_t end) const {
    u128 const code = ends.code(end - 1);
    if (end == 1 || ends.code(end - 2) != code) return end - 1;
    return end_of_prefix<std::uint64_t>(0, end - 1, [&](std::uint64_t j) { return ends.code(j) != code; });
  }

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t at = offsets[i];
    std::uint64_t const last = offsets[i + 1];
    if (at == last) return;
    std::uint64_t above = started[i];
    std::uint64_t place = 0;
    for (std::uint64_t left = above - ended[i]; left != 0 && at != last; --left) {
      place = tree.first_from(place, ended[i]);
      out[at++] = rows[place++];
    }
    u128 const point = detail::load_bytes(points, size_of(type), i);
    std::uint64_t run = ended[i], below = run, run_end = run;  // of equal ends, the first of which have been listed
    while (at != last) {
      if (below == run_end && run != within.first(i)) {
        run_end = run;
        below = run = same_end(run_end);
      }
      bool const takes_above = above != within.last(i) &&
                               (below == run_end || starts.from(type, point, above) < ends.from(type, point, below));
      out[at++] = takes_above ? rows[above++] : rows[places[below++]];
    }
  }
};

/// Counts the intervals next to point i: none are next to NaN.
struct count_nearest {
  key_type type;
  void const* points;
  validity_bits valid;
  group_range within;
  std::uint64_t most;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const size = within.last(i) - within.first(i);
    bool const counts_any = valid(i) && !detail::is_nan(type, detail::load_bytes(points, size_of(type), i));
    counts[i] = !counts_any ? 0 : size < most ? size : most;
  }
};

/// Gives probes beside all keys, which have no place on one side, their numbers: those of the ends of their groups.
struct settle_bounds {
  std::uint8_t const* above_missing;
  std::uint8_t const* below_missing;
  group_range within;
  std::uint64_t* started;
  std::uint64_t* ended;
  WDX_HD void operator()(std::uint64_t i) const {
    if (below_missing[i] != 0) started[i] = within.first(i);
    if (above_missing[i] != 0) ended[i] = within.last(i);
    if (within.first(i) == within.last(i)) started[i] = ended[i];
  }
};

/// Makes the places of probes without a group an empty range.
struct clear_group {
  std::uint8_t const* missing;
  std::uint64_t* first;
  std::uint64_t* last;
  WDX_HD void operator()(std::uint64_t i) const {
    if (missing[i] != 0) first[i] = last[i] = 0;
  }
};

/// Finds the places of intervals that touch none before them.
template <class Row> struct find_stretch {
  sorted_values starts;
  sorted_values ends;
  Row const* reach;
  std::uint64_t begin;  ///< place 0 of this part
  std::uint64_t* first;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const place = begin + i;
    return place == 0 || ends.code(reach[place - 1]) < starts.code(place);
  }
  WDX_HD void write(std::uint64_t i, std::uint64_t k) const { first[k] = begin + i; }
};

/// Writes the length of stretch i; 0 if it is infinite, since nothing ends after it and begins before.
template <class Row, class Number> struct measure_stretch {
  stretches<Row> of;
  Number* lengths;
  WDX_HD void operator()(std::uint64_t i) const {
    Number length;
    take_length(of.starts.from(of.ends.type, of.ends.bits(of.end_rank(i)), of.first[i]), length);
    bool const finite = length - length == 0;
    lengths[i] = finite ? length : 0;
  }
};

/// Writes how much of interval i of the probes the stretches cover.
template <class Row, class Number> struct measure_cover {
  stretches<Row> of;
  Number const* covered;  ///< length of all stretches before each
  column_pair bounds;
  validity_bits lower_valid;
  validity_bits upper_valid;
  std::uint64_t const* lower_started;
  std::uint64_t const* lower_ended;
  std::uint64_t const* upper_started;
  std::uint64_t const* upper_ended;
  Number* out;

  WDX_HD Number cover(std::uint64_t i) const {
    if (!lower_valid(i) || !upper_valid(i) || bounds.is_no_interval(i)) return 0;
    key_type const type = of.starts.type;
    u128 const low = detail::load_bytes(bounds.a, size_of(type), i);
    u128 const high = detail::load_bytes(bounds.b, size_of(type), i);
    std::uint64_t const before = of.begun(lower_started[i]);  // stretches that begin at the lower bound or before
    std::uint64_t const last = of.begun(upper_started[i]);
    if (last == 0) return 0;
    bool const ends_inside = of.end_rank(last - 1) < upper_ended[i];
    u128 const end = ends_inside ? of.ends.bits(of.end_rank(last - 1)) : high;
    bool const covers_low = before != 0 && of.end_rank(before - 1) >= lower_ended[i];
    Number head = 0, tail = 0;
    if (before == last) {
      if (covers_low) take_length(distance_of(type, end, type, low), head);
      return head;
    }
    if (covers_low) take_length(of.ends.from(type, low, of.end_rank(before - 1)), head);
    take_length(of.starts.from(type, end, of.first[last - 1]), tail);
    return head + (covered[last - 1] - covered[before]) + tail;
  }
  WDX_HD void operator()(std::uint64_t i) const { store_element(out, i, cover(i)); }
};

/// Writes 1 for a point with a match, else 0.
template <class Number> struct mark_match {
  std::uint64_t const* started;
  std::uint64_t const* ended;
  Number* out;
  WDX_HD void operator()(std::uint64_t i) const {
    store_element(out, i, static_cast<Number>(started[i] != ended[i] ? 1 : 0));
  }
};

using u32 = std::uint32_t;
using u64 = std::uint64_t;
struct all
    : steps::list<steps::runs<count_nearest, settle_bounds, clear_group, measure_stretch<u32, u64>,
                              measure_stretch<u32, double>, measure_stretch<u64, u64>, measure_stretch<u64, double>,
                              measure_cover<u32, u64>, measure_cover<u32, double>, measure_cover<u64, u64>,
                              measure_cover<u64, double>, mark_match<u64>, mark_match<double>>,
                  steps::runs_lists<list_nearest<u32>, list_nearest<u64>>,
                  steps::selects<find_stretch<u32>, find_stretch<u64>>> {};
all list_of_step(...);

}  // namespace measure_steps
}  // namespace warpdex
