// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/codec.hpp>

#include <cstdint>

#include "backend/steps.hpp"
#include "base/block_levels.hpp"
#include "base/prefix.hpp"
#include "base/validity_bits.hpp"
#include "clients/join/distance.hpp"
#include "clients/join/join_steps.hpp"
#include "index/sorted.hpp"

/// @file
/// What intervals do per interval and per probe, for host and device. Arrays are within reach of the backend.
///
/// The place of an interval is its number by start, then row. Its end rank is its number by end, then place. A probe
/// has two numbers: how many intervals `started`, which are the first places, and how many `ended`, which are the first
/// end ranks. So it matches the places below `started` whose end rank is not below `ended`.
namespace warpdex {

/// Two columns of one type, compared value by value.
struct column_pair {
  key_type type;
  void const* a;
  void const* b;

  /// @return a negative number if value i of `a` comes before that of `b`, 0 if they are equal
  WDX_HD int compare(std::uint64_t i) const {
    if (type == key_type::bytes)
      return warpdex::compare(static_cast<byte_key const*>(a)[i], static_cast<byte_key const*>(b)[i]);
    u128 const x = code(a, i);
    u128 const y = code(b, i);
    return x < y ? -1 : x == y ? 0 : 1;
  }

  /// @return the distance of both values, which are no strings
  WDX_HD distance length(std::uint64_t i) const { return distance_of(type, bits(a, i), type, bits(b, i)); }

  /// @return whether one of both values is NaN
  WDX_HD bool has_nan(std::uint64_t i) const {
    return is_real(type) && (detail::is_nan(type, bits(a, i)) || detail::is_nan(type, bits(b, i)));
  }

  /// @return whether the values are no interval: the second one comes before the first, or one is NaN
  WDX_HD bool is_no_interval(std::uint64_t i) const { return compare(i) > 0 || has_nan(i); }

 private:
  WDX_HD u128 bits(void const* of, std::uint64_t i) const { return detail::load_bytes(of, size_of(type), i); }
  WDX_HD u128 code(void const* of, std::uint64_t i) const {
    return type == key_type::u128 ? bits(of, i) : code_of_value(type, bits(of, i));
  }
};

/// The end ranks of all places, and the maxima of blocks of them (base/block_levels.hpp). So a search for the next
/// match of a probe skips whole blocks without one, however many intervals there are between.
template <class Row> struct end_tree {
  Row const* level[most_block_levels + 1];

  /// @return the last place before `at` whose end rank is not below `ended`. There must be one
  WDX_HD std::uint64_t last_before(std::uint64_t at, std::uint64_t ended) const {
    int up = 0;
    for (;; ++up) {
      std::uint64_t const first = at & ~(block_size - 1);
      while (at != first && level[up][at - 1] < ended) --at;
      if (at != first) break;
      at /= block_size;
    }
    for (--at; up != 0;) {
      --up;
      at = at * block_size + block_size - 1;
      while (level[up][at] < ended) --at;
    }
    return at;
  }

  /// @return the first place not before `at` whose end rank is not below `ended`. There must be one
  WDX_HD std::uint64_t first_from(std::uint64_t at, std::uint64_t ended) const {
    int up = 0;
    for (;; ++up) {
      std::uint64_t const last = (at | (block_size - 1)) + 1;
      while (at != last && level[up][at] < ended) ++at;
      if (at != last) break;
      at /= block_size;
    }
    for (; up != 0;) {
      --up;
      at *= block_size;
      while (level[up][at] < ended) ++at;
    }
    return at;
  }
};

/// The least length that intervals have in common with a probe, if it counts.
struct least_length {
  bool counts = false;
  distance of = {};

  bool is_zero() const { return of.whole == 0 && of.real == 0; }

  WDX_HD bool has(column_pair const& ends, std::uint64_t i) const { return !counts || !(ends.length(i) < of); }
};

namespace interval_steps {

/// Whether interval i has values that are no interval.
struct is_no_interval {
  column_pair ends;  ///< starts, and ends
  validity_bits start_valid;
  validity_bits end_valid;
  WDX_HD bool operator()(std::uint64_t i) const { return start_valid(i) && end_valid(i) && ends.is_no_interval(i); }
};

/// Keeps interval i if it has values and, where ends do not belong to intervals, a length.
struct keep_interval {
  column_pair ends;
  validity_bits start_valid;
  validity_bits end_valid;
  validity_bits group_valid;
  bool keeps_empty;
  least_length least;
  std::uint64_t first;  ///< row of interval 0
  row_array rows;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const row = first + i;
    if (!start_valid(row) || !end_valid(row) || !group_valid(row)) return false;
    return (keeps_empty || ends.compare(row) != 0) && least.has(ends, row);
  }
  WDX_HD void write(std::uint64_t i, std::uint64_t k) const { rows.set(k, first + i); }
};

/// Writes the end rank of the place that has end rank i.
template <class Row> struct write_end_rank {
  Row const* places;  ///< by end rank
  Row* end_ranks;     ///< by place
  WDX_HD void operator()(std::uint64_t i) const { end_ranks[places[i]] = static_cast<Row>(i); }
};

/// Makes a level of maxima from the one below.
template <class Row> struct write_maximum {
  Row const* from;
  std::uint64_t size;
  Row* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * block_size;
    std::uint64_t const last = first + block_size < size ? first + block_size : size;
    Row most = 0;
    for (std::uint64_t at = first; at < last; ++at) most = most < from[at] ? from[at] : most;
    to[i] = most;
  }
};

/// Lets a probe match nothing if it is null or no interval, or has no length although its ends do not count.
struct clear_empty {
  column_pair bounds;
  validity_bits lower_valid;
  validity_bits upper_valid;
  bool keeps_points;
  least_length least;
  std::uint8_t const* missing[2];  ///< of probes within groups: whether the lower or the upper bound has no place
  std::uint64_t const* started;
  std::uint64_t* ended;
  WDX_HD void operator()(std::uint64_t i) const {
    bool const placed = missing[0] == nullptr || (missing[0][i] | missing[1][i]) == 0;
    bool const valid = placed && lower_valid(i) && upper_valid(i) && !bounds.is_no_interval(i);
    if (!valid || (!keeps_points && bounds.compare(i) == 0) || !least.has(bounds, i)) ended[i] = started[i];
  }
};

struct count_matches {
  std::uint64_t const* started;
  std::uint64_t const* ended;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const { store_element(counts, i, started[i] - ended[i]); }
};

/// Writes the row of the first match of probe i, or `no_row`.
template <class Row> struct first_match {
  end_tree<Row> tree;
  Row const* rows;
  std::uint64_t const* started;
  std::uint64_t const* ended;
  void* out;
  WDX_HD void operator()(std::uint64_t i) const {
    bool const found = started[i] != ended[i];
    store_element(out, i, found ? rows[tree.first_from(0, ended[i])] : no_row<Row>);
  }
};

/// Lists the rows of the matches of probe i, from the last one on: that one is mostly near the last start.
template <class Row> struct list_matches {
  end_tree<Row> tree;
  Row const* rows;
  std::uint64_t const* started;
  std::uint64_t const* ended;
  std::uint64_t const* skipped;  ///< first matches that are left out; null for none
  std::uint64_t const* offsets;
  Row* out;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t place = started[i];
    std::uint64_t const before = ended[i];
    std::uint64_t const first = offsets[i];
    std::uint64_t left = place - before;  // matches that are not found yet
    if (left == 0) return;
    std::uint64_t const least = skipped == nullptr ? 0 : skipped[i];
    std::uint64_t const most = least + (offsets[i + 1] - first);
    while (left > least) {
      place = tree.last_before(place, before);
      --left;
      if (left < most) out[first + (left - least)] = rows[place];
    }
  }
};

struct all : steps::list<steps::runs<write_end_rank<std::uint32_t>, write_end_rank<std::uint64_t>,
                                     write_maximum<std::uint32_t>, write_maximum<std::uint64_t>, clear_empty,
                                     count_matches, first_match<std::uint32_t>, first_match<std::uint64_t>>,
                         steps::runs_lists<list_matches<std::uint32_t>, list_matches<std::uint64_t>>,
                         steps::finds_first<is_no_interval>, steps::selects<keep_interval>> {};
all list_of_step(...);

}  // namespace interval_steps
}  // namespace warpdex
