// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/windows/window_buckets.hpp"
#include "backend/cuda/windows/window_tiles.cuh"

/// @file
/// Routers compute the bucket of an encoded key at one level. They are monotonic: a larger key never has a smaller
/// bucket. Kernels ask a `cheap` router again wherever they need a bucket, and keep the answers of other routers.
namespace warpdex::cuda {

/// Buckets of equal width.
template <class Key> struct linear_router {
  static constexpr bool cheap = true;
  linear_map<leading_type<Key>> map;
  int shift;               ///< bits of the bucket's number that the levels below decide
  std::uint32_t children;  ///< buckets per parent; 0 for the first level
  std::uint32_t first = 0;

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ void begin(Key*, std::uint32_t parent) { first = parent * children; }
  __device__ std::uint32_t operator()(Key key) const { return (bucket_of(map, leading_part(key)) >> shift) - first; }
  template <int Count> __device__ void operator()(Key const (&keys)[Count], std::uint32_t (&buckets)[Count]) const {
#pragma unroll
    for (int j = 0; j < Count; ++j) buckets[j] = (*this)(keys[j]);
  }
};

/// Buckets of equal size, cut by splitters.
template <class Key> struct splitter_router {
  static constexpr bool cheap = false;
  Key const* trees;  ///< one tree of 2^depth entries per parent
  int depth;
  Key const* tree = nullptr;

  __host__ __device__ std::size_t shared_bytes() const { return sizeof(Key) << depth; }

  /// Copies the parent's tree to shared memory. The caller must synchronise the block before it asks for a bucket.
  __device__ void begin(Key* copy, std::uint32_t parent) {
    Key const* const from = trees + (std::uint64_t{parent} << depth);
    for (unsigned i = threadIdx.x; i < 1u << depth; i += blockDim.x) copy[i] = from[i];
    tree = copy;
  }

  /// Computes the buckets of several keys, whose searches are in flight together.
  template <int Count> __device__ void operator()(Key const (&keys)[Count], std::uint32_t (&buckets)[Count]) const {
    find_leaves(tree, depth, keys, buckets);
  }
  __device__ std::uint32_t operator()(Key key) const {
    Key const keys[1] = {key};
    std::uint32_t buckets[1];
    (*this)(keys, buckets);
    return buckets[0];
  }
};

}  // namespace warpdex::cuda
