// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/common.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

/// @file
/// The window buckets of an index: its keys, or the hashes of its keys if it has no ranks, are cut into intervals. They
/// depend on the index alone, so they are made once, with the structure.
namespace warpdex::cuda {

/// Numbers of buckets. Buckets are numbered in key order: bucket = parent * children + child. With one level, all
/// buckets are parents.
struct bucket_geometry {
  std::uint32_t parents = 1;
  int child_bits = 0;

  std::uint32_t children() const { return std::uint32_t{1} << child_bits; }
  std::uint32_t buckets() const { return parents << child_bits; }
  int levels() const { return child_bits == 0 ? 1 : 2; }
};

/// Chooses the numbers of parents and children, both powers of two.
/// @param size entries of the index
/// @param key_bytes 4 or 8
bucket_geometry bucket_geometry_of(std::uint64_t size, std::size_t key_bytes);

/// Buckets of equal width between the smallest key and the largest: bucket = (key - lowest) * scale, where `scale` is
/// a binary fraction of 32 or 64 bits. Keys outside belong to the first and the last bucket.
template <class Key> struct linear_map {
  Key lowest = 0;
  Key span = 0;
  std::uint64_t scale = 0;
};

/// The part of a key by which buckets with linear borders are told apart. Keys of 16 bytes are hashes here, whose upper
/// halves are spread evenly.
template <class Key> using leading_type = std::conditional_t<sizeof(Key) == 16, std::uint64_t, Key>;
template <class Key> WDX_HD leading_type<Key> leading_part(Key key) {
  if constexpr (sizeof(Key) == 16) return static_cast<std::uint64_t>(key >> 64);
  else return key;
}

template <class Key> linear_map<Key> make_linear_map(Key lowest, Key highest, std::uint32_t buckets);

/// @return the bucket of a key among the buckets of all levels
template <class Key> WDX_HD std::uint32_t bucket_of(linear_map<Key> const& map, Key key) {
  Key const offset = key < map.lowest ? Key{0} : static_cast<Key>(key - map.lowest);
  Key const inside = offset < map.span ? offset : map.span;
  if constexpr (sizeof(Key) == 4) return static_cast<std::uint32_t>(inside * map.scale >> 32);
  else return static_cast<std::uint32_t>(u128{inside} * map.scale >> 64);
}

/// Buckets of equal size, for keys that are not spread evenly: bucket = number of splitters less than the key. The
/// first `parents` entries hold the tree of the parents' splitters; the trees of each parent's children follow. A tree
/// is a complete binary search tree in level order with its root at entry 1.
///
///     | parents' tree: parents entries | tree of parent 0: children entries | tree of parent 1 | ... |
///
/// @param samples the keys of ranks i * size / buckets for each bucket i
template <class Key>
std::vector<Key> make_splitter_trees(std::vector<Key> const& samples, bucket_geometry const& geometry);

/// The buckets of one index, or none (`present`).
template <class Key> struct window_buckets {
  bucket_geometry geometry;
  linear_map<leading_type<Key>> map;
  std::uint64_t largest = 0;  ///< keys in the largest bucket
  buffer borders;             ///< per bucket the 64-bit rank of its first key, and at the end the size of the index;
                              ///< empty for buckets of hashes
  buffer splitters;           ///< empty if the borders are linear
  std::vector<std::uint64_t> host_borders;  ///< `borders` on the host, for keys in host memory; otherwise empty

  bool present() const { return map.scale != 0; }
  bool linear() const { return splitters.bytes() == 0; }
  std::size_t bytes() const { return borders.bytes() + splitters.bytes(); }
};

}  // namespace warpdex::cuda
