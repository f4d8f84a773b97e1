// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_pipeline_primitives.h>

#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_stages.hpp"

/// @file
/// Types and device functions that the kernels of partition, restore and bucket search share.
namespace warpdex::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// Elements of one load of 16 bytes, the widest there is.
template <class T> struct alignas(16) vector16 {
  static constexpr int size = 16 / sizeof(T);
  T values[size];
};

__device__ inline bool is_aligned16(void const* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

/// Copies an element from global to shared memory, asynchronously where the device can. Then no register waits for the
/// load, and all loads of a block are in flight at once. `await_copies` waits for the copies of the calling thread.
template <class T> __device__ void copy_to_shared(T* to, T const* from) {
  if constexpr (sizeof(T) >= 4) __pipeline_memcpy_async(to, from, sizeof(T));
  else *to = *from;
}

__device__ inline void await_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// Finds the leaves of several keys in a complete binary search tree in level order, whose root is node 1 and whose
/// 2^depth - 1 nodes are followed by the leaves. The searches are in flight together.
/// @param leaves receives for each key the number of nodes less than it
template <int Count, class Key>
__device__ void find_leaves(Key const* nodes, int depth, Key const (&keys)[Count], unsigned (&leaves)[Count]) {
#pragma unroll
  for (int j = 0; j < Count; ++j) leaves[j] = 1;
  for (int level = 0; level < depth; ++level) {
#pragma unroll
    for (int j = 0; j < Count; ++j) leaves[j] = 2 * leaves[j] + (nodes[leaves[j]] < keys[j] ? 1 : 0);
  }
#pragma unroll
  for (int j = 0; j < Count; ++j) leaves[j] -= 1u << depth;
}

/// A tile of a level's input. Its own elements are [dead, end); element i of the tile is element `origin` + i of the
/// input.
struct tile {
  std::uint32_t parent;
  std::uint32_t dead;
  std::uint32_t end;
  std::uint64_t origin;
};

/// @return the number of tiles of a level's input
/// @param chunk_count of the second level; null for the first
/// @param in_tiles as in `window_scratch`. The second level has no chunks if the first one did nothing
__device__ inline std::uint32_t count_tiles(std::uint32_t const* chunk_count, std::uint64_t size,
                                            std::uint32_t const* in_tiles) {
  constexpr std::uint64_t whole = tuning::tile_size;
  if (chunk_count != nullptr) return *chunk_count;
  return answered_in_tiles(in_tiles) ? 0 : static_cast<std::uint32_t>((size + whole - 1) / whole);
}

/// @return a tile: of the first level the one with this number, of the second a chunk of a parent's bucket, which may
/// be empty
/// @param chunks null for the first level
__device__ inline tile tile_of(bucket_chunk const* chunks, std::uint32_t number, std::uint64_t size) {
  constexpr std::uint64_t whole = tuning::tile_size;
  if (chunks == nullptr) {
    std::uint64_t const first = number * whole;
    std::uint64_t const rest = size - first;
    return {0, 0, static_cast<std::uint32_t>(rest < whole ? rest : whole), first};
  }
  bucket_chunk const chunk = chunks[number];
  std::uint32_t const dead = chunk.first % tile_align;
  return {chunk.bucket, dead, chunk.size == 0 ? 0 : dead + chunk.size, std::uint64_t{chunk.first} - dead};
}

/// Tile indexes of adjacent elements, written and read at once.
template <int Count> struct alignas(2 * Count) index_vector { std::uint16_t values[Count]; };

/// Positions of adjacent elements, written and read at once. They are aligned: tiles begin at multiples of
/// `tile_align`.
template <int Count> struct alignas(4 * Count) position_vector { std::uint32_t values[Count]; };

/// @return the sum of `value` over all threads of the block before this one. Synchronises the block.
/// It keeps to two barriers and few registers: with `cub::BlockScan` windows of 32-bit keys take 2 % longer.
/// @param warp_sums room for 33 numbers in shared memory
/// @param total receives the sum over all threads of the block
template <int Threads>
__device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t* warp_sums, std::uint32_t& total) {
  unsigned const lane = threadIdx.x % 32;
  unsigned const warp = threadIdx.x / 32;
  auto const sum_up_to_lane = [lane](std::uint32_t x) {
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      std::uint32_t const below = __shfl_up_sync(all_lanes, x, distance);
      if (lane >= distance) x += below;
    }
    return x;
  };
  std::uint32_t const in_warp = sum_up_to_lane(value);
  if (lane == 31) warp_sums[warp] = in_warp;
  __syncthreads();
  if (warp == 0) {
    std::uint32_t const own = lane < Threads / 32 ? warp_sums[lane] : 0;
    std::uint32_t const sum = sum_up_to_lane(own);
    __syncwarp();
    warp_sums[lane] = sum - own;
    if (lane == 31) warp_sums[32] = sum;
  }
  __syncthreads();
  total = warp_sums[32];
  return warp_sums[warp] + in_warp - value;
}

}  // namespace warpdex::cuda
