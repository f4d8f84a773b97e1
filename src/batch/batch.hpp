// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/lookups.hpp>
#include <warpdex/search/codec.hpp>

#include <cstdint>

/// @file
/// Batches: the requests that a call makes of a structure, without C++ types of keys and rows. All pointers lead to
/// memory that the index's backend can reach. On the host they need not be aligned.
namespace warpdex {

/// @return whether the operation finds a key that need not equal the probe, and so answers keys too
constexpr bool finds_nearest(search_op op) noexcept {
  return op == search_op::floor || op == search_op::ceil || op == search_op::nearest;
}

/// Which of the keys next to a probe is its match (`search_op::nearest`). A key that equals the probe always is. Keys
/// are numbers of at most 8 bytes, and distances are those of their codes.
struct nearest_rule {
  bool below = false;       ///< whether smaller keys match
  bool above = false;       ///< whether larger keys match
  bool later = false;       ///< whether the larger one matches at equal distance
  bool last_below = false;  ///< of equal keys not above the probe the largest row id matches, not the smallest
  bool last_above = false;  ///< the same of keys not below it
  std::uint64_t limit = ~std::uint64_t{0};  ///< the largest distance of a match
  std::uint64_t group = 0;                  ///< bits that a match shares with its probe
};

/// What is known of the order of probes. Answers do not depend on it.
enum class probe_order : std::uint8_t {
  unknown,
  ascending,  ///< so that adjacent searches share their paths already
};

/// A batch of points: one answer per probe.
struct point_batch {
  search_op op;
  key_codec codec;
  void const* probes;  ///< `size` keys, not yet encoded
  std::uint64_t size;
  void* out;   ///< contains: bytes; find, floor, ceil, nearest: row ids; bounds: 64-bit ranks
  void* keys;  ///< floor, ceil: keys, decoded; may be null

  /// If null, answers are in the order of the probes. Otherwise answers come in any order, positions[i] receives the
  /// position of the probe of answer i, and `size` is below 2^32.
  std::uint32_t* positions = nullptr;
  std::uint32_t first_position = 0;  ///< position of the first probe

  /// Whether the probes are already hashes under the view's seed; only for views without ranks.
  bool hashed = false;

  /// The order in which to search the probes, as positions in the batch: of windows by reference. Null for the order
  /// of the probes.
  std::uint32_t const* order = nullptr;
  bool answers_in_order = false;  ///< whether answers are in that order too, or at the places of their probes

  probe_order sorted = probe_order::unknown;  ///< what is known of `probes` as they are given

  nearest_rule rule = {};  ///< of `nearest`
};

/// A batch of ranges: two bounds per range, both included. `count` and `retrieve` pass their probes as both bounds.
/// Views without ranks get batches of these two only. If one array is both bounds, `first` counts for found keys alone.
struct range_batch {
  key_codec codec;
  void const* lower;
  void const* upper;
  std::uint64_t size;
  std::uint64_t* counts;  ///< entries in each range; may be null
  std::uint64_t* first;   ///< rank of each range's first entry, in views without ranks its place; may be null
  std::uint64_t* sums;    ///< sum of each range's row ids; may be null

  /// The order in which to search the ranges, as positions in the batch, and of their answers: of windows by reference.
  /// Null for the order of the ranges.
  std::uint32_t const* order = nullptr;
};

/// A batch that writes the row ids of ranges whose bounds are known.
struct fill_batch {
  std::uint64_t const* first;    ///< `range_batch::first`
  std::uint64_t const* offsets;  ///< size + 1 offsets into `rows`: range i fills [offsets[i], offsets[i + 1])
  std::uint64_t size;
  void* rows;
};

}  // namespace warpdex
