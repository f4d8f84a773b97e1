// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>

#include <cstdint>

/// @file
/// Batches: what a call asks of a structure, free of types and memory spaces. All pointers lie where the
/// index's backend can reach them; on the host they may have any address.
namespace warpdex {

enum class point_op : std::uint8_t { contains, find, lower_bound, upper_bound, floor };

/// One answer a probe.
struct point_batch {
  point_op op;
  key_codec codec;
  void const* probes;  ///< `size` keys, not yet encoded
  std::uint64_t size;
  void* out;   ///< contains: bytes; find, floor: row ids; bounds: 64-bit ranks
  void* keys;  ///< floor: keys, decoded; may be null

  /// Null if answers are wanted in the order of the probes. Else answers come in any order, and this tells
  /// the position of each answer's probe; then `size` is below 2^32.
  std::uint32_t* positions = nullptr;
  std::uint32_t first_position = 0;  ///< of the first probe

  /// Whether the probes of an unordered view are hashes already, under its seed.
  bool hashed = false;
};

/// Two bounds a range. `count` and `retrieve` use the probes as both; nothing else is asked of unordered views.
struct range_batch {
  key_codec codec;
  void const* lower;
  void const* upper;
  std::uint64_t size;
  std::uint64_t* counts;  ///< entries in each range; may be null
  std::uint64_t* first;   ///< rank of each range's first entry, in unordered views its place; may be null
  std::uint64_t* sums;    ///< sum of each range's row ids; may be null
};

/// Writes the rows of ranges found before to their places.
struct fill_batch {
  std::uint64_t const* first;    ///< as a range batch wrote them
  std::uint64_t const* offsets;  ///< size + 1 places in `rows`
  std::uint64_t size;
  void* rows;
};

}  // namespace warpdex
