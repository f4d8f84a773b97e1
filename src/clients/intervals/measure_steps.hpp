// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clients/intervals/interval_steps.hpp"

/// @file
/// Steps of the questions about what is next to probes: which intervals are nearest, how much their union covers, and
/// which parts it leaves.
namespace warpdex {

/// The sorted starts or ends, as entries of an index have them.
struct sorted_values {
  key_type type;
  void const* codes;  ///< of values, or places of them
  bool are_places;
  tuple_steps::place_keys keys;

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

/// The intervals next to each probe: those that match it, those that ended before it and those that start after it.
struct neighbours {
  column_pair bounds;  ///< of probes; those of points are one column
  std::uint64_t const* started;
  std::uint64_t const* ended;
  group_range within;
  bool lists_matching;
  bool lists_before;
  bool lists_after;

  WDX_HD std::uint64_t matching(std::uint64_t i) const { return lists_matching ? started[i] - ended[i] : 0; }
  /// @return the first end rank among those that ended
  WDX_HD std::uint64_t first(std::uint64_t i) const { return lists_before ? within.first(i) : ended[i]; }
  /// @return the place after the last one among those that start
  WDX_HD std::uint64_t last(std::uint64_t i) const { return lists_after ? within.last(i) : started[i]; }
  WDX_HD std::uint64_t size(std::uint64_t i) const {
    if (within.first(i) == within.last(i)) return 0;
    return matching(i) + (ended[i] - first(i)) + (last(i) - started[i]);
  }
  WDX_HD u128 bits(void const* of, std::uint64_t i) const { return detail::load_bytes(of, size_of(bounds.type), i); }
};

/// Lists the rows of the intervals next to probe i: first those that match it, then others by distance.
template <class Row> struct list_nearest {
  neighbours near;
  end_tree<Row> tree;
  Row const* rows;
  Row const* places;  ///< of end ranks
  sorted_values starts;
  sorted_values ends;
  std::uint64_t const* offsets;
  Row* out;
  std::uint64_t* distances;  ///< as bits, null for none
  bool are_real;             ///< whether distances are floats

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
    std::uint64_t const ended = near.ended[i];
    std::uint64_t place = 0;
    for (std::uint64_t left = near.matching(i); left != 0 && at != last; --left) {
      place = tree.first_from(place, ended);
      write(at++, rows[place++], {});
    }
    key_type const type = near.bounds.type;
    u128 const low = near.bits(near.bounds.a, i), high = near.bits(near.bounds.b, i);
    std::uint64_t above = near.started[i];
    std::uint64_t run = ended, below = run, run_end = run;  // of equal ends, the first of which have been listed
    while (at != last) {
      if (below == run_end && run != near.first(i)) {
        run_end = run;
        below = run = same_end(run_end);
      }
      bool const has_below = below != run_end, has_above = above != near.last(i);
      distance const down = has_below ? ends.from(type, low, below) : distance{};
      distance const up = has_above ? starts.from(type, high, above) : distance{};
      bool const takes_above = has_above && (!has_below || up < down);
      write(at++, takes_above ? rows[above++] : rows[places[below++]], takes_above ? up : down);
    }
  }

 private:
  WDX_HD void write(std::uint64_t at, Row row, distance const& of) const {
    out[at] = row;
    if (distances == nullptr) return;
    distances[at] = are_real ? __builtin_bit_cast(std::uint64_t, of.real) : static_cast<std::uint64_t>(of.whole);
  }
};

/// Counts the intervals next to probe i: none are next to NaN, nor to what is no interval.
struct count_nearest {
  neighbours near;
  validity_bits lower_valid;
  validity_bits upper_valid;
  std::uint64_t most;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    bool const counts_any = lower_valid(i) && upper_valid(i) && !near.bounds.is_no_interval(i);
    std::uint64_t const size = counts_any ? near.size(i) : 0;
    counts[i] = size < most ? size : most;
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

/// The stretches at a probe.
struct stretches_within {
  std::uint64_t first;  ///< the first one that begins after the lower bound
  std::uint64_t last;   ///< the first one that begins after the upper bound
  bool covers_low;      ///< whether the one before `first` has the lower bound
  bool ends_inside;     ///< whether the one before `last` ends before the upper bound
};

/// Probes, and where their bounds are among the intervals.
template <class Row> struct placed_probes {
  stretches<Row> of;
  column_pair bounds;
  validity_bits lower_valid;
  validity_bits upper_valid;
  std::uint64_t const* lower_started;
  std::uint64_t const* lower_ended;
  std::uint64_t const* upper_started;
  std::uint64_t const* upper_ended;

  WDX_HD bool is_interval(std::uint64_t i) const {
    return lower_valid(i) && upper_valid(i) && !bounds.is_no_interval(i);
  }
  WDX_HD stretches_within at(std::uint64_t i) const {
    std::uint64_t const first = of.begun(lower_started[i]), last = of.begun(upper_started[i]);
    return {first, last, first != 0 && of.end_rank(first - 1) >= lower_ended[i],
            last != 0 && of.end_rank(last - 1) < upper_ended[i]};
  }
};

/// Writes how much of interval i of the probes the stretches cover.
template <class Row, class Number> struct measure_cover {
  placed_probes<Row> probes;
  Number const* covered;  ///< length of all stretches before each
  Number* out;

  WDX_HD Number cover(std::uint64_t i) const {
    if (!probes.is_interval(i)) return 0;
    stretches<Row> const& of = probes.of;
    key_type const type = of.starts.type;
    u128 const low = detail::load_bytes(probes.bounds.a, size_of(type), i);
    u128 const high = detail::load_bytes(probes.bounds.b, size_of(type), i);
    stretches_within const at = probes.at(i);
    if (at.last == 0) return 0;
    u128 const end = at.ends_inside ? of.ends.bits(of.end_rank(at.last - 1)) : high;
    Number head = 0, tail = 0;
    if (at.first == at.last) {
      if (at.covers_low) take_length(distance_of(type, end, type, low), head);
      return head;
    }
    if (at.covers_low) take_length(of.ends.from(type, low, of.end_rank(at.first - 1)), head);
    take_length(of.starts.from(type, end, of.first[at.last - 1]), tail);
    return head + (covered[at.last - 1] - covered[at.first]) + tail;
  }
  WDX_HD void operator()(std::uint64_t i) const { store_element(out, i, cover(i)); }
};

/// Counts the parts of probe i that no stretch covers: one before each stretch that begins within it, and one after the
/// last stretch.
template <class Row> struct count_gaps {
  placed_probes<Row> probes;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    stretches_within const at = probes.at(i);
    bool const is_free = at.first == at.last && !at.covers_low;
    counts[i] = probes.is_interval(i) ? at.last - at.first + (is_free || at.ends_inside ? 1 : 0) : 0;
  }
};

/// Lists these parts, as the rows of the intervals before and after them.
template <class Row> struct list_gaps {
  placed_probes<Row> probes;
  Row const* rows;
  Row const* places;  ///< of end ranks
  std::uint64_t const* offsets;
  Row* starts;
  Row* ends;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t at = offsets[i];
    std::uint64_t const last = offsets[i + 1];
    if (at == last) return;
    stretches<Row> const& of = probes.of;
    stretches_within const within = probes.at(i);
    Row before = within.covers_low ? rows[places[of.end_rank(within.first - 1)]] : no_row<Row>;
    for (std::uint64_t j = within.first; j != within.last; ++j) {
      starts[at] = before;
      ends[at++] = rows[of.first[j]];
      before = rows[places[of.end_rank(j)]];
    }
    if (at == last) return;
    starts[at] = before;
    ends[at] = no_row<Row>;
  }
};

/// Writes the rows of the intervals with the start and the end of stretch i, and the number of its intervals.
template <class Row> struct write_stretch {
  stretches<Row> of;
  Row const* rows;
  Row const* places;  ///< of end ranks
  Row* starts;
  Row* ends;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    starts[i] = rows[of.first[i]];
    ends[i] = rows[places[of.end_rank(i)]];
    counts[i] = (i + 1 < of.count ? of.first[i + 1] : of.size) - of.first[i];
  }
};

/// Writes the number of the stretch of place i to its row.
template <class Row> struct write_cluster {
  stretches<Row> of;
  Row const* rows;
  Row* clusters;
  WDX_HD void operator()(std::uint64_t i) const { clusters[rows[i]] = static_cast<Row>(of.begun(i + 1) - 1); }
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

/// The ends of all intervals; strings as references.
struct both_ends {
  sorted_values starts;
  sorted_values ends;
  bool keeps_empty;
  least_length least;

  /// @return whether an end is before its start, in another group or not far enough
  WDX_HD bool is_no_interval(std::uint64_t place, std::uint64_t end_rank) const {
    u128 const a = starts.code(place), b = ends.code(end_rank);
    if (!starts.are_places && starts.type == key_type::bytes)
      return compare(__builtin_bit_cast(byte_key, a), __builtin_bit_cast(byte_key, b)) > (keeps_empty ? 0 : -1);
    if (a > b || (a == b && !keeps_empty)) return true;
    if (starts.are_places && a >> starts.keys.bits != b >> starts.keys.bits) return true;
    if (!least.counts && !is_real(starts.type)) return false;
    u128 const from = starts.bits(place), to = ends.bits(end_rank);
    if (detail::is_nan(starts.type, from) || detail::is_nan(starts.type, to)) return true;
    return least.counts && distance_of(starts.type, from, starts.type, to) < least.of;
  }
};

/// Whether the numbers i of a file are wrong: the row of a place, or the place of an end rank or its ends.
struct is_no_entry {
  both_ends all;
  row_array places;  ///< of end ranks
  row_array rows;    ///< of places
  std::uint64_t size;
  std::uint64_t row_count;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const place = places.get(i);
    return rows.get(i) >= row_count || place >= size || all.is_no_interval(place, i);
  }
};

/// Whether place i is that of no end rank, or of several.
struct is_no_place_of_end {
  row_array end_ranks;  ///< as `write_end_rank` left them
  row_array places;
  std::uint64_t size;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const end = end_ranks.get(i);
    return end >= size || places.get(end) != i;
  }
};

/// Keeps place i if its interval has the least length.
struct keep_long {
  both_ends all;
  row_array end_ranks;
  std::uint64_t first;  ///< place 0 of this part
  row_array kept;
  WDX_HD bool operator()(std::uint64_t i) const { return !all.is_no_interval(first + i, end_ranks.get(first + i)); }
  WDX_HD void write(std::uint64_t i, std::uint64_t k) const { kept.set(k, first + i); }
};

using u32 = std::uint32_t;
using u64 = std::uint64_t;
struct all
    : steps::list<
          steps::runs<count_nearest, settle_bounds, clear_group, measure_stretch<u32, u64>,
                      measure_stretch<u32, double>, measure_stretch<u64, u64>, measure_stretch<u64, double>,
                      measure_cover<u32, u64>, measure_cover<u32, double>, measure_cover<u64, u64>,
                      measure_cover<u64, double>, count_gaps<u32>, count_gaps<u64>, write_stretch<u32>,
                      write_stretch<u64>, write_cluster<u32>, write_cluster<u64>, mark_match<u64>, mark_match<double>>,
          steps::runs_lists<list_nearest<u32>, list_nearest<u64>, list_gaps<u32>, list_gaps<u64>>,
          steps::selects<find_stretch<u32>, find_stretch<u64>, keep_long>,
          steps::finds_first<is_no_entry, is_no_place_of_end>> {};
all list_of_step(...);

}  // namespace measure_steps
}  // namespace warpdex
