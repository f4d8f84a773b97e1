// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/data.hpp"

/// @file
/// Key sets that are not uniform. They imitate columns of tables, above all those of the SOSD benchmark. A key is a
/// function of seed and position. Keys may repeat, and their order is random.
namespace warpdex::bench {

enum class key_shape {
  gaps,       ///< dense, with gaps: 4 of 5 ids in each range of 1000, one range in three missing
  lognormal,  ///< lognormal with sigma 2
  normal,     ///< normal around the middle of all values
  outlier,    ///< as user ids: uniform in a small part of all values, and 16 keys far away
  osm,        ///< as cells of places: Z-order of points in a few thousand clusters of different sizes
  wiki,       ///< as times of edits: bursts, each second up to some edits
  piecewise,  ///< 64 dense pieces whose steps differ by powers of two
  stairs,     ///< runs of equal keys, of 1 to 64 entries
  prefix,     ///< 4096 shared prefixes, each with random values below
  isbn        ///< ISBN-13 as numbers: publishers of different sizes, each with consecutive titles; u64 alone
};

/// @return the shape with this name; none if there is no such shape
std::optional<key_shape> shape_named(std::string_view name);

/// @return the names of all shapes, separated by `|`
std::string shape_names();

/// Makes `n` keys in random order. @tparam Key u32 or u64
template <class Key> key_set<Key> make_shape(key_shape shape, std::uint64_t n, std::uint64_t seed);

}  // namespace warpdex::bench
