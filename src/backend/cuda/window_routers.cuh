// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/window_buckets.hpp"

/// @file
/// Routers: from an encoded key to its bucket of one level. Each never falls where keys rise.
/// `cheap` ones are asked again where a bucket is needed, the answers of others are kept.
namespace warpdex::cuda {

template <class Key> struct linear_router {
  static constexpr bool cheap = true;
  linear_map<Key> map;
  int shift;               ///< what the levels below take off
  std::uint32_t children;  ///< of one parent; 0 for the first level
  std::uint32_t first = 0;

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ void begin(Key*, std::uint32_t parent) { first = parent * children; }
  __device__ std::uint32_t operator()(Key key) const { return (bucket_of(map, key) >> shift) - first; }
};

template <class Key> struct splitter_router {
  static constexpr bool cheap = false;
  Key const* trees;  ///< one of 2^depth entries for each parent
  int depth;
  Key const* tree = nullptr;

  __host__ __device__ std::size_t shared_bytes() const { return sizeof(Key) << depth; }

  /// The block copies its tree; the caller synchronises.
  __device__ void begin(Key* copy, std::uint32_t parent) {
    Key const* const from = trees + (std::uint64_t{parent} << depth);
    for (unsigned i = threadIdx.x; i < 1u << depth; i += blockDim.x) copy[i] = from[i];
    tree = copy;
  }
  __device__ std::uint32_t operator()(Key key) const {
    std::uint32_t node = 1;
    for (int level = 0; level < depth; ++level) node = 2 * node + (tree[node] < key ? 1 : 0);
    return node - (1u << depth);
  }
};

}  // namespace warpdex::cuda
