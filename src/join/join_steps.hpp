// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "join/distance.hpp"

/// @file
/// What joins do with each probe of a part, for host and device. Arrays lie within reach of the backend.
namespace warpdex {

/// Validity bits from that of some value on.
struct validity_bits {
  std::uint8_t const* bits = nullptr;  ///< null if all values are valid
  std::uint64_t offset = 0;

  WDX_HD bool operator()(std::uint64_t i) const {
    return bits == nullptr || (bits[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0;
  }
  validity_bits from(std::uint64_t i) const { return {bits, offset + i}; }
};

/// An array of row numbers of 4 or 8 bytes.
struct row_array {
  void* data = nullptr;
  std::size_t width = 4;

  WDX_HD std::uint64_t none() const { return width == 4 ? no_row<std::uint32_t> : no_row<std::uint64_t>; }
  WDX_HD std::uint64_t get(std::uint64_t i) const {
    return width == 4 ? load_element<std::uint32_t>(data, i) : load_element<std::uint64_t>(data, i);
  }
  WDX_HD void set(std::uint64_t i, std::uint64_t row) const {
    if (width == 4) store_element(data, i, static_cast<std::uint32_t>(row));
    else store_element(data, i, row);
  }
};

namespace join_steps {

/// `range_batch::first` of a probe without a match that has a pair all the same.
inline constexpr std::uint64_t unmatched = ~std::uint64_t{0};

/// Turns the ranks of the bounds of range i to where it begins and its number of entries.
struct count_ranks {
  std::uint64_t* first;   ///< rank of the first entry; on return the same, or 0 without a lower bound
  std::uint64_t* counts;  ///< rank behind the last entry; on return the number of entries
  bool has_lower;
  bool has_upper;
  std::uint64_t size;  ///< of the index

  WDX_HD void operator()(std::uint64_t i) const {
    if (!has_lower) first[i] = 0;
    std::uint64_t const end = has_upper ? counts[i] : size;
    counts[i] = end > first[i] ? end - first[i] : 0;
  }
};

/// Turns the number of entries that match probe i to its number of pairs.
struct count_pairs {
  validity_bits lower;
  validity_bits upper;
  bool lists_unmatched;
  std::uint64_t* counts;
  std::uint64_t* first;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t count = lower(i) && upper(i) ? counts[i] : 0;
    if (count == 0 && lists_unmatched) {
      count = 1;
      first[i] = unmatched;
    }
    counts[i] = count;
  }
};

/// Writes whether probe i has a match.
struct flag_match {
  validity_bits lower;
  validity_bits upper;
  std::uint64_t const* counts;
  std::uint8_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = lower(i) && upper(i) && counts[i] != 0; }
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

/// Makes the pair of probe i, which has exactly one: its row is already there. Without an array on the left it only
/// makes nulls miss.
struct pair_probe {
  validity_bits valid;
  row_array left;
  std::uint64_t number;  ///< of the first probe
  row_array right;
  WDX_HD void operator()(std::uint64_t i) const {
    if (left.data != nullptr) left.set(i, number + i);
    if (!valid(i)) right.set(i, right.none());
  }
};

/// Flags valid values.
struct flag_valid {
  validity_bits a;
  validity_bits b;
  std::uint8_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = a(i) && b(i); }
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

/// Decodes key i in its place.
struct decode_key {
  key_codec codec;
  std::size_t width;
  void* keys;
  WDX_HD void operator()(std::uint64_t i) const {
    u128 const code = detail::load_bytes(keys, width, i);
    if (width == 4) store_element(keys, i, decode(codec, static_cast<std::uint32_t>(code)));
    else if (width == 8) store_element(keys, i, decode(codec, static_cast<std::uint64_t>(code)));
  }
};

/// The entries around a probe: one of them, or none, is its match.
struct choose_match {
  key_type probe_type;
  key_type key_type_;
  void const* probes;
  validity_bits valid;
  void const* below_keys;  ///< key of the entry below each probe; may be null unless distances count
  row_array below;         ///< its row; without an array nothing below matches
  void const* above_keys;
  row_array above;
  bool measures;  ///< whether distances count
  bool later;     ///< whether the entry above matches at equal distance
  distance limit;
  row_array rows;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t row = rows.none();
    distance nearest = limit;
    auto const consider = [&](row_array const& candidates, void const* keys, bool wins_ties) {
      std::uint64_t const candidate = candidates.data == nullptr ? row : candidates.get(i);
      if (candidate == rows.none() || candidates.data == nullptr) return;
      if (!measures) {
        row = candidate;
        return;
      }
      std::size_t const key_width = size_of(key_type_);
      distance const d = distance_of(probe_type, detail::load_bytes(probes, size_of(probe_type), i), key_type_,
                                     detail::load_bytes(keys, key_width, i));
      bool const first = row == rows.none();
      if (first ? limit < d : wins_ties ? nearest < d : !(d < nearest)) return;
      row = candidate;
      nearest = d;
    };
    if (valid(i)) {
      consider(below, below_keys, true);
      consider(above, above_keys, later);
    }
    rows.set(i, row);
  }
};

/// Packs the number of a group and the rank of a key.
struct pack_place {
  std::uint64_t const* groups;  ///< number of the group of probe i, or `no_row`
  std::uint64_t const* ranks;
  bool before;         ///< whether the rank before `ranks[i]` is meant
  std::uint64_t keys;  ///< number of ranks
  int bits;            ///< of a rank
  std::uint64_t* packed;
  std::uint8_t* missing;  ///< 1 for probes with no such place; may be null

  WDX_HD void operator()(std::uint64_t i) const {
    bool const none = groups[i] == no_row<std::uint64_t> || (before ? ranks[i] == 0 : ranks[i] == keys);
    packed[i] = none ? 0 : groups[i] << bits | (ranks[i] - (before ? 1 : 0));
    if (missing != nullptr) missing[i] = none;
  }
};

/// Keeps the entry that was found for a packed place if it is of the same group, and gets its key.
struct keep_in_group {
  std::uint64_t const* packed;
  std::uint8_t const* missing;
  std::uint64_t const* found;  ///< packed place of the entry
  int bits;
  row_array rows;
  void const* distinct;  ///< keys by their ranks
  std::size_t width;
  void* keys;
  WDX_HD void operator()(std::uint64_t i) const {
    if (rows.get(i) == rows.none()) return;
    if (missing[i] != 0 || found[i] >> bits != packed[i] >> bits) return rows.set(i, rows.none());
    std::uint64_t const rank = found[i] & ((std::uint64_t{1} << bits) - 1);
    detail::store_bytes(keys, width, i, detail::load_bytes(distinct, width, rank));
  }
};

}  // namespace join_steps

using join_step =
    std::variant<join_steps::count_ranks, join_steps::count_pairs, join_steps::flag_match, join_steps::cut_pairs,
                 join_steps::clear_unmatched, join_steps::pair_probe, join_steps::flag_valid, join_steps::gather,
                 join_steps::decode_key, join_steps::choose_match, join_steps::pack_place, join_steps::keep_in_group>;

}  // namespace warpdex
