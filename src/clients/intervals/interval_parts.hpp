// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/intervals.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "base/made_once.hpp"
#include "clients/encoder/places.hpp"
#include "clients/intervals/interval_steps.hpp"
#include "clients/intervals/measure_steps.hpp"
#include "request/batches.hpp"
#include "request/lookup_batches.hpp"
#include "request/staged_ranges.hpp"
#include "request/staging.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// Probes within reach of the backend: points in the lower bounds, or intervals.
struct interval_batch {
  range_array bounds;
  std::uint64_t size;
  probe_array groups = {};  ///< of intervals within groups

  bool are_points() const { return bounds.form == probe_form::keys; }

  /// @return the lower or the upper bounds as points
  interval_batch points(bool upper) const {
    return {{probe_form::keys, upper ? bounds.upper : bounds.lower}, size, groups};
  }
};

/// Per probe the intervals that started by then, and those that ended before (interval_steps.hpp).
struct bounds_found {
  buffer started;
  buffer ended;

  bounds_found(std::uint64_t size, execution const& exec)
      : started(size * sizeof(std::uint64_t), exec), ended(size * sizeof(std::uint64_t), exec) {}

  std::uint64_t* starts() const { return started.as<std::uint64_t>(); }
  std::uint64_t* ends() const { return ended.as<std::uint64_t>(); }
};

/// Per probe the first place of its group, and the one after the last. These are its end ranks too.
struct group_places {
  buffer first;  ///< without groups none
  buffer last;
};

/// A length in units of the keys.
struct least_overlap {
  least_length length;
  join_steps::value_offset forward;  ///< by which a value is moved
  join_steps::value_offset backward;

  /// @throws invalid_argument for a length that is negative or NaN, or not of the keys' kind; unsupported for keys
  /// without lengths of 64 bits
  least_overlap(char const* call, asof_tolerance const& least, key_type keys);
};

/// AO+BS over starts or ends.
struct sorted_column {
  std::unique_ptr<structure> entries;
  buffer copied;               ///< row ids, if they are in no array of their own
  void const* rows = nullptr;  ///< by rank

  /// @param keys within reach @param given rows; null for positions
  sorted_column(column keys, row_column const* given, row_type row, execution const& exec);

  sorted_column(std::unique_ptr<structure> sorted, execution const& exec);

  /// @return what all of them are made by
  static std::unique_ptr<plan> plan_of(index_shape const& shape);

  row_array row_ids() const { return {const_cast<void*>(rows), size_of(entries->shape().rows)}; }

  std::uint64_t bytes() const { return entries->memory().total() + copied.bytes(); }
};

/// The stretches that the intervals cover (measure_steps.hpp).
struct interval_cover {
  std::uint64_t count = 0;
  buffer reach;
  buffer first;
  buffer covered;  ///< numbers of 64 bits, or of floats doubles: count + 1

  std::uint64_t bytes() const { return reach.bytes() + first.bytes() + covered.bytes(); }
};

/// What intervals are made of.
struct interval_parts {
  key_type keys;
  closed_ends closed;
  std::uint64_t all_rows = 0;          ///< number of rows of the columns, also of those that are left out
  std::optional<least_overlap> least;  ///< which probes must have in common with intervals
  std::string note = {};               ///< of the file that they come from
  std::optional<place_coder> coder;    ///< of intervals within groups, whose starts and ends are then places
  sorted_column starts;                ///< the row of a place is that of the interval
  sorted_column ends;                  ///< the row of an end rank is its place
  buffer end_ranks;                    ///< of all places, and the maxima of their blocks

  /// @param starts, ends of one type, within reach of the backend; strings as references
  /// @param rows those that are intervals; null if all are
  interval_parts(column starts, column ends, row_column const* rows, closed_ends closed, execution const& exec);

  /// Of what is sorted already. `grow_tree` comes next.
  interval_parts(key_type type, closed_ends closed_at, sorted_column starts_of, sorted_column ends_of)
      : keys(type), closed(closed_at), starts(std::move(starts_of)), ends(std::move(ends_of)) {}

  std::uint64_t bytes() const {
    interval_cover const* const cover = cover_.known();
    return starts.bytes() + ends.bytes() + end_ranks.bytes() + (cover == nullptr ? 0 : cover->bytes());
  }
  index_shape const& shape() const { return starts.entries->shape(); }
  template <class Row> Row const* rows() const { return static_cast<Row const*>(starts.rows); }
  template <class Row> end_tree<Row> tree() const;
  sorted_values values(sorted_column const& of) const;
  row_array end_rank_of_places() const { return {end_ranks.data(), size_of(shape().rows)}; }

  /// @param strings room for references to starts and to ends that are strings
  measure_steps::both_ends both_ends(least_overlap const* least, buffer (&strings)[2], execution const& exec) const;

  /// Checks the types and lengths of probes. @throws invalid_argument
  void expect(char const* call, interval_probes const& probes) const;

  /// @param closed which ends belong to the intervals, and to probes
  bounds_found find_bounds(interval_batch const& probes, closed_ends closed, execution const& exec) const;
  bounds_found find_bounds(interval_batch const& probes, execution const& exec) const {
    return find_bounds(probes, closed, exec);
  }

  /// The same of probes that may be between intervals or beside all of them, without a least overlap. A probe whose
  /// ends are equal has the bounds of its place, also if ends do not belong to intervals.
  bounds_found find_neighbours(interval_batch const& probes, closed_ends closed, group_places const& within,
                               execution const& exec) const;

  group_places find_groups(interval_batch const& probes, execution const& exec) const;
  group_range range_of(group_places const& within) const;

  /// @return what the intervals cover, found by the first call that asks
  interval_cover const& cover(execution const& exec) const;

  /// Makes the end ranks and the maxima of their blocks.
  void grow_tree(execution const& exec);

 private:
  /// Finds the bounds of intervals that have the least overlap with their matches: those are as long, start that long
  /// before the probe's end, and end that long after its start.
  bounds_found find_overlaps(interval_batch const& probes, execution const& exec) const;

  /// Searches for the places of probes. @param closed which ends belong to intervals @param missing two flags per
  /// probe: whether no key is above, or below
  bounds_found find_places(interval_batch const& probes, closed_ends closed, std::uint8_t* const (&missing)[2],
                           execution const& exec) const;

  made_once<interval_cover> cover_;
};

/// The same within groups.
/// @param groups of all rows; those that are left out may be null
std::unique_ptr<interval_parts> grouped_intervals(probe_array const& groups, column starts, column ends,
                                                  row_column const* kept, closed_ends closed, execution const& exec);

/// The probes of a call, which come within reach part by part, or at once.
class staged_intervals {
 public:
  staged_intervals(interval_probes const& probes, staging& stage);

  std::vector<batch_array> columns(staging& stage) const;
  interval_batch whole(staging& stage) const;

  /// @param at columns of the part @param first number of its first probe
  interval_batch part(void* const* at, std::uint64_t first, std::uint64_t size) const;

 private:
  std::optional<nullable_column> groups_;
  key_ranges ranges_;
  staged_ranges staged_;
  validity_bits valid_;  ///< of the groups
};

/// Runs a call that writes one answer per probe. @param answer answer(batch, out) writes those of a part
template <class Answer>
void run_probes(char const* call, interval_parts const& of, interval_probes const& probes, batch_array const& out,
                execution const& exec, Answer const& answer) {
  index_shape const& shape = of.shape();
  staging stage(call, shape.backend, shape.device, exec);
  if (probes.size() == 0) return;
  staged_intervals const staged(probes, stage);
  std::vector<batch_array> arrays = staged.columns(stage);
  std::size_t const last = arrays.size();
  arrays.push_back(out);
  std::uint64_t done = 0;
  stage.run(probes.size(), std::move(arrays), of.starts.entries->efficient_batch(),
            [&](void* const* at, std::uint64_t size) {
              answer(staged.part(at, done, size), at[last]);
              done += size;
            });
  backend_of(shape.backend).synchronize(exec);
}

/// Lists rows of all probes of a call: counts them, scans the counts to offsets, and writes the rows.
/// @param count, list count(batch, counts) and list(batch, offsets, found) write them; `found` has room for the rows
template <class Count, class List>
matches list_probes(char const* call, interval_parts const& of, interval_probes const& probes, execution const& exec,
                    Count const& count, List const& list) {
  index_shape const& shape = of.shape();
  staging stage(call, shape.backend, shape.device, exec);
  interval_batch const batch = staged_intervals(probes, stage).whole(stage);
  matches found = room_for_matches(probes.size(), shape.rows, exec);
  auto* const offsets = found.offsets.as<std::uint64_t>();
  count(batch, offsets);
  make_rows(call, found, exec);
  list(batch, offsets, found);
  backend_of(shape.backend).synchronize(exec);
  return found;
}

}  // namespace warpdex
