// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"
#include "base/validity_bits.hpp"
#include "clients/encoder/place_steps.hpp"
#include "clients/join/distance.hpp"
#include "clients/sharded/sharded_steps.hpp"
#include "index/sorted.hpp"

/// @file
/// What joins do with each probe of a part, for host and device. Arrays are within reach of the backend.
namespace warpdex {

namespace join_steps {

/// `range_batch::first` of a probe without a match that has a pair all the same.
inline constexpr std::uint64_t unmatched = ~std::uint64_t{0};

/// Gives a probe that no entry matches a pair all the same.
struct count_unmatched {
  std::uint64_t* counts;
  std::uint64_t* first;

  WDX_HD void operator()(std::uint64_t i) const {
    if (counts[i] != 0) return;
    counts[i] = 1;
    first[i] = unmatched;
  }
};

/// Takes the entries from a probe that has no row.
struct clear_count {
  row_array rows;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    if (rows.get(i) == rows.none()) counts[i] = 0;
  }
};

/// Writes 0 for the key of a probe that has no row.
struct blank_key {
  row_array rows;
  void* keys;
  std::size_t width;
  WDX_HD void operator()(std::uint64_t i) const {
    if (rows.get(i) == rows.none()) detail::store_bytes(keys, width, i, 0);
  }
};

/// Writes whether probe i has a match.
struct flag_match {
  std::uint64_t const* counts;
  std::uint8_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = counts[i] != 0; }
};

/// Cuts the pairs of probe i to those in [begin, end), and writes the probe's number where its pairs begin. There is
/// one call more than probes.
struct cut_pairs {
  std::uint64_t const* offsets;  ///< pairs before each probe
  std::uint64_t const* first;
  std::uint64_t probes;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t* cut_offsets;  ///< null if all pairs remain
  std::uint64_t* cut_first;    ///< null as `cut_offsets`
  row_array left;
  std::uint64_t number;  ///< of the first probe

  WDX_HD std::uint64_t place(std::uint64_t pair) const {
    return (pair < begin ? begin : pair < end ? pair : end) - begin;
  }
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = place(offsets[i]);
    if (cut_offsets != nullptr) cut_offsets[i] = at;
    if (i == probes) return;
    if (cut_first != nullptr)
      cut_first[i] = first[i] == unmatched ? 0 : first[i] + (offsets[i] < begin ? begin - offsets[i] : 0);
    if (place(offsets[i + 1]) != at) left.set(at, number + i);
  }
};

/// Writes `no_row` for probe i if it is without a match and its pair is among those that were cut out.
struct clear_unmatched {
  std::uint64_t const* first;
  std::uint64_t const* cut_offsets;
  row_array right;
  WDX_HD void operator()(std::uint64_t i) const {
    if (first[i] == unmatched && cut_offsets[i + 1] != cut_offsets[i]) right.set(cut_offsets[i], right.none());
  }
};

/// Writes the row of pair i, from lists of the rows of each probe. Pairs of probes whose list is empty get none.
struct copy_listed {
  std::uint64_t const* offsets;  ///< pairs before each probe
  std::uint64_t probes;
  std::uint64_t const* skipped;  ///< rows of each probe without a pair
  std::uint64_t const* lists;    ///< where the rows of each probe begin
  std::size_t width;
  void const* from;
  void* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const probe = sharded_steps::split_rank::upper_bound_of(offsets, probes, i) - 1;
    std::uint64_t const at = lists[probe] + skipped[probe] + (i - offsets[probe]);
    if (at < lists[probe + 1]) detail::store_bytes(to, width, i, detail::load_bytes(from, width, at));
  }
};

/// Writes the number of probe i.
struct number_probe {
  row_array left;
  std::uint64_t number;  ///< of the first probe
  WDX_HD void operator()(std::uint64_t i) const { left.set(i, number + i); }
};

/// Flags valid values.
struct flag_valid {
  validity_bits a;
  validity_bits b;
  std::uint8_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = a(i) && b(i); }
};

/// Writes a byte of validity bits: which of 8 rows have a value in both of two columns.
struct both_valid {
  validity_bits first;
  validity_bits second;
  std::uint64_t size;
  std::uint8_t* bits;
  WDX_HD void operator()(std::uint64_t byte) const {
    unsigned valid = 0;
    for (unsigned bit = 0; bit < values_per_byte && byte * values_per_byte + bit < size; ++bit)
      if (std::uint64_t const i = byte * values_per_byte + bit; first(i) && second(i)) valid |= 1u << bit;
    bits[byte] = static_cast<std::uint8_t>(valid);
  }
};

/// Whether a row has a valid value that is not among the first ones.
struct is_new {
  row_array found;  ///< row among the first ones, or `no_row`
  validity_bits valid;
  std::uint64_t first;  ///< how many are the first ones
  WDX_HD bool operator()(std::uint64_t i) const { return i >= first && valid(i) && found.get(i) == found.none(); }
};

/// Marks the values of 8 rows that are valid, and among the first ones or new.
struct mark_new {
  is_new of;
  std::uint64_t size;
  std::uint8_t* bits;
  WDX_HD void operator()(std::uint64_t byte) const {
    unsigned marks = 0;
    for (unsigned bit = 0; bit < values_per_byte && byte * values_per_byte + bit < size; ++bit) {
      std::uint64_t const i = byte * values_per_byte + bit;
      if (of(i) || (i < of.first && of.valid(i))) marks |= 1u << bit;
    }
    bits[byte] = static_cast<std::uint8_t>(marks);
  }
};

/// Turns the rank of a bound to that of the entry next to it, and offsets to those of one row per probe. There is one
/// call more than probes.
struct pick_entry {
  std::uint64_t* ranks;
  std::uint64_t probes;
  std::uint64_t size;      ///< of the index
  bool before;             ///< the entry before the bound, or after it
  std::uint8_t* missing;   ///< 1 for probes without such an entry; null if all have one
  std::uint64_t* offsets;  ///< may be null
  WDX_HD void operator()(std::uint64_t i) const {
    if (offsets != nullptr) offsets[i] = i;
    if (i == probes) return;
    bool const exists = before ? ranks[i] != 0 : ranks[i] < size;
    if (missing != nullptr) missing[i] = exists ? 0 : 1;
    ranks[i] = exists ? ranks[i] - (before ? 1 : 0) : 0;
  }
};

/// Writes `no_row` for probes without an entry.
struct clear_missing {
  std::uint8_t const* missing;
  row_array rows;
  WDX_HD void operator()(std::uint64_t i) const {
    if (missing[i] != 0) rows.set(i, rows.none());
  }
};

/// Writes whether a row is among the rows of some pairs.
struct mark_row {
  row_array rows;
  std::uint8_t* marks;
  WDX_HD void operator()(std::uint64_t i) const {
    if (rows.get(i) != rows.none()) marks[rows.get(i)] = 1;
  }
};

/// Writes `no_row`.
struct fill_none {
  row_array rows;
  WDX_HD void operator()(std::uint64_t i) const { rows.set(i, rows.none()); }
};

/// Copies a row to an array of another type.
struct copy_row {
  row_array from;
  row_array to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const row = from.get(i);
    to.set(i, row == from.none() ? to.none() : row);
  }
};

/// Copies element rows[i] to place i.
struct gather {
  void const* from;
  std::size_t width;
  row_array rows;
  void* to;
  WDX_HD void operator()(std::uint64_t i) const {
    detail::store_bytes(to, width, i, detail::load_bytes(from, width, rows.get(i)));
  }
};

/// The largest distances of matches: one for all probes, one for each, or a part of each probe, whichever is larger.
struct distance_limits {
  distance all;
  void const* each;  ///< a number of type i64 or f64 per probe; null if there is one for all
  key_type type;
  validity_bits valid;  ///< a probe whose distance is null has no match
  double relative;      ///< the part of a probe's magnitude that is a distance, too
  measure by;
  std::uint64_t unit;  ///< of distances that are integers

  WDX_HD distance limit(std::uint64_t i, key_type probe_type, u128 probe) const {
    distance found = all;
    if (each != nullptr) found = of(type, detail::load_bytes(each, sizeof(std::uint64_t), i));
    if (relative == 0) return found;
    double const magnitude = detail::real_of(probe_type, probe);
    distance const part = of_real((magnitude < 0 ? -magnitude : magnitude) * relative);
    return found < part ? part : found;
  }

 private:
  WDX_HD distance of_real(double length) const {
    if (by == measure::reals) return {0, length};
    return {length < 0x1p127 ? static_cast<u128>(length) : ~u128{0}, 0};
  }
  WDX_HD distance of(key_type kind, u128 bits) const {
    if (kind == key_type::f64) return of_real(detail::real_of(kind, bits) * static_cast<double>(unit));
    auto const whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits));
    if (by == measure::reals) return {0, static_cast<double>(whole)};
    return {static_cast<u128>(whole) * unit, 0};
  }
};

/// Whether a number of type i64 or f64 that is not null is no distance: negative, or NaN.
struct is_no_distance {
  void const* each;
  key_type type;
  validity_bits valid;
  WDX_HD bool operator()(std::uint64_t i) const {
    return valid(i) && !(detail::real_of(type, detail::load_bytes(each, sizeof(std::uint64_t), i)) >= 0);
  }
};

/// The entries around a probe: one of them, or none, is its match.
struct choose_match {
  key_type probe_type;
  key_type key_type_;
  void const* probes;
  void const* below_keys;  ///< key of the entry below each probe
  row_array below;         ///< its row; without an array nothing below matches
  void const* above_keys;
  row_array above;
  bool later;  ///< whether the entry above matches at equal distance
  distance_limits limits;
  row_array rows;
  std::size_t place_width;   ///< bytes per place; 0 if places are not wanted
  void* places;              ///< place of the entry below each probe, to be replaced if the one above matches
  void const* above_places;  ///< null if only one side counts

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t row = rows.none();
    u128 const probe = detail::load_bytes(probes, size_of(probe_type), i);
    distance const limit = limits.limit(i, probe_type, probe);
    distance nearest = limit;
    auto const consider = [&](row_array const& candidates, void const* keys, bool wins_ties) {
      std::uint64_t const candidate = candidates.data == nullptr ? row : candidates.get(i);
      if (candidate == rows.none() || candidates.data == nullptr || !limits.valid(i)) return false;
      distance const d = distance_of(probe_type, probe, key_type_, detail::load_bytes(keys, size_of(key_type_), i));
      bool const first = row == rows.none();
      if (first ? limit < d : wins_ties ? nearest < d : !(d < nearest)) return false;
      row = candidate;
      nearest = d;
      return true;
    };
    consider(below, below_keys, true);
    if (consider(above, above_keys, later) && place_width != 0 && above_places != nullptr)
      detail::store_bytes(places, place_width, i, detail::load_bytes(above_places, place_width, i));
    rows.set(i, row);
  }
};

/// What is added to values: to integers and times a whole number, to floats a real one.
struct value_offset {
  std::int64_t whole = 0;
  double real = 0;
};

/// The sum of a value and an offset, or the end of the type that is nearest to it.
struct moved_value {
  u128 bits;
  bool fits;  ///< whether it is the sum
};

/// @param type of at most 8 bytes
WDX_HD inline moved_value move_value(key_type type, u128 bits, value_offset const& by) {
  if (type == key_type::f64) return {__builtin_bit_cast(std::uint64_t, detail::real_of(type, bits) + by.real), true};
  if (type == key_type::f32)
    return {__builtin_bit_cast(std::uint32_t, static_cast<float>(detail::real_of(type, bits) + by.real)), true};
  std::uint64_t const code = code_of_value(type, bits);
  std::uint64_t const largest = size_of(type) == 4 ? ~std::uint32_t{0} : ~std::uint64_t{0};
  bool const down = by.whole < 0;
  std::uint64_t const length = down ? 0 - static_cast<std::uint64_t>(by.whole) : static_cast<std::uint64_t>(by.whole);
  bool const fits = length <= (down ? code : largest - code);
  return {value_of_code(type, !fits ? (down ? 0 : largest) : down ? code - length : code + length), fits};
}

/// Adds an offset to probe i.
struct move_probe {
  key_type type;
  void const* probes;
  value_offset by;
  void* moved;
  WDX_HD void operator()(std::uint64_t i) const {
    std::size_t const width = size_of(type);
    detail::store_bytes(moved, width, i, move_value(type, detail::load_bytes(probes, width, i), by).bits);
  }
};

/// Writes `no_row` for probe i if its sum with an offset is beyond its type.
struct clear_moved {
  key_type type;
  void const* probes;
  value_offset by;
  row_array rows;
  WDX_HD void operator()(std::uint64_t i) const {
    if (!move_value(type, detail::load_bytes(probes, size_of(type), i), by).fits) rows.set(i, rows.none());
  }
};

/// Keeps the probes with a match, or those without one, and writes their pairs.
/// @tparam Answer a byte (`contains`), or a row id (`find`)
template <class Answer> struct keep_answer {
  Answer const* answers;
  bool hits;  ///< whether probes with a match are kept, or those without
  row_array left;
  std::uint64_t number;     ///< of the first probe
  Answer* right = nullptr;  ///< null if not wanted

  WDX_HD bool operator()(std::uint64_t i) const {
    Answer const answer = answers[i];
    bool const match = sizeof(Answer) == 1 ? answer != 0 : answer != no_row<Answer>;
    return match == hits;
  }
  WDX_HD void write(std::uint64_t i, std::uint64_t at) const {
    left.set(at, number + i);
    if (right != nullptr) right[at] = answers[i];
  }
};

struct all
    : steps::list<steps::runs<count_unmatched, clear_count, blank_key, flag_match, cut_pairs, clear_unmatched,
                              copy_listed, number_probe, flag_valid, both_valid, mark_new, pick_entry, clear_missing,
                              mark_row, fill_none, copy_row, gather, choose_match, move_probe, clear_moved>,
                  steps::selects<keep_answer<std::uint8_t>, keep_answer<std::uint32_t>, keep_answer<std::uint64_t>>,
                  steps::finds_first<is_no_distance, is_new>> {};
all list_of_step(...);

}  // namespace join_steps
}  // namespace warpdex
