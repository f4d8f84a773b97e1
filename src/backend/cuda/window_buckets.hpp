// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/common.hpp>

#include <cstdint>
#include <vector>

/// @file
/// How the keys of an index are cut into buckets, each an interval of keys, or for an unordered one of hashes. Depends
/// on the index alone, so it is made once, with the structure.
namespace warpdex::cuda {

/// Buckets are numbered in key order; bucket = parent * children + child. With one level, all are parents.
struct bucket_geometry {
  std::uint32_t parents = 1;
  int child_bits = 0;

  std::uint32_t children() const { return std::uint32_t{1} << child_bits; }
  std::uint32_t buckets() const { return parents << child_bits; }
  int levels() const { return child_bits == 0 ? 1 : 2; }
};

/// Both numbers are powers of two. @param key_bytes 4 or 8
bucket_geometry bucket_geometry_of(std::uint64_t size, std::size_t key_bytes);

/// Buckets of equal width between the smallest key and the largest: bucket = (key - lowest) * scale, scale
/// being a fraction of 32 or 64 bits. Keys outside belong to the first and the last bucket.
template <class Key> struct linear_map {
  Key lowest = 0;
  Key span = 0;
  std::uint64_t scale = 0;
};

template <class Key> linear_map<Key> make_linear_map(Key lowest, Key highest, std::uint32_t buckets);

/// Bucket of all levels together.
template <class Key> WDX_HD std::uint32_t bucket_of(linear_map<Key> const& map, Key key) {
  Key const offset = key < map.lowest ? Key{0} : static_cast<Key>(key - map.lowest);
  Key const inside = offset < map.span ? offset : map.span;
  if constexpr (sizeof(Key) == 4) return static_cast<std::uint32_t>(inside * map.scale >> 32);
  else return static_cast<std::uint32_t>(u128{inside} * map.scale >> 64);
}

/// Buckets of equal size, for keys that are not spread evenly: bucket = number of splitters less than the
/// key. The first `parents` entries are the tree of the parents' splitters, then follow the trees of each
/// parent's children. A tree is a complete binary search tree in level order, its root at entry 1.
/// @param samples the keys of ranks i * size / buckets for each bucket i
template <class Key>
std::vector<Key> make_splitter_trees(std::vector<Key> const& samples, bucket_geometry const& geometry);

/// The buckets of one index. Without a map there are none.
template <class Key> struct window_buckets {
  bucket_geometry geometry;
  linear_map<Key> map;
  std::uint64_t largest = 0;  ///< keys of the largest bucket
  buffer borders;             ///< 64-bit rank of the first key of each bucket, and the index's size; none of hashes
  buffer splitters;           ///< empty if the borders are linear

  bool present() const { return map.scale != 0; }
  bool linear() const { return splitters.bytes() == 0; }
  std::size_t bytes() const { return borders.bytes() + splitters.bytes(); }
};

}  // namespace warpdex::cuda
