// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ray_scene.hpp>

#include <string>

namespace warpdex {

/// How large a scene is, for the limits of tracers.
struct scene_extent {
  scene_kind kind;
  std::uint64_t buckets;
  int bucket_bits;  ///< log2 of the entries of a bucket
  bool many_rows;
  bool many_planes;

  /// @return a number above all slots of primitives
  std::uint64_t slots() const { return kind == scene_kind::plain ? buckets : buckets * most_in_bucket(); }

  /// @return the end of a message: an index over the same keys that has at most that many primitives. RX has no
  /// buckets, so there it is cgRX.
  std::string fitting(std::uint64_t most) const {
    int bits = bucket_bits + 1;
    while ((((buckets - 1) >> (bits - bucket_bits)) + 1) * most_in_bucket() > most) ++bits;
    std::string const bucket = "bucket=" + std::to_string(std::uint64_t{1} << bits);
    return (kind == scene_kind::plain ? "cgRX(" + bucket + ")" : bucket) + " fits";
  }

 private:
  /// A representative, and markers of a row and of a plane.
  std::uint64_t most_in_bucket() const { return std::uint64_t{1} + (many_rows ? 1 : 0) + (many_planes ? 1 : 0); }
};

}  // namespace warpdex
