// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/block/block_scan.cuh>

#include "backend/cuda/tuning.hpp"
#include "backend/cuda/window_stages.hpp"

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

/// A tile of a level's input. Its own elements are [dead, end); element i of the tile is element `origin` + i of the
/// input.
struct tile {
  std::uint32_t parent;
  std::uint32_t dead;
  std::uint32_t end;
  std::uint64_t origin;
};

/// @return the tile of this block: at the first level the tile with the block's number, at the second level a chunk of
/// a parent's bucket; a tile with end = 0 if there is none for this block
/// @param chunks null for the first level
__device__ inline tile tile_of_block(bucket_chunk const* chunks, std::uint32_t const* chunk_count, std::uint64_t size) {
  constexpr std::uint64_t whole = tuning::tile_size;
  if (chunks == nullptr) {
    std::uint64_t const first = blockIdx.x * whole;
    std::uint64_t const rest = size - first;
    return {0, 0, static_cast<std::uint32_t>(rest < whole ? rest : whole), first};
  }
  if (blockIdx.x >= *chunk_count) return {0, 0, 0, 0};
  bucket_chunk const chunk = chunks[blockIdx.x];
  std::uint32_t const dead = chunk.first % tile_align;
  return {chunk.bucket, dead, chunk.size == 0 ? 0 : dead + chunk.size, std::uint64_t{chunk.first} - dead};
}

/// Tile indexes of adjacent elements, written and read at once.
template <int Count> struct alignas(2 * Count) index_vector { std::uint16_t values[Count]; };

/// Positions of adjacent elements, written and read at once. They are aligned: tiles begin at multiples of
/// `tile_align`.
template <int Count> struct alignas(4 * Count) position_vector { std::uint32_t values[Count]; };

/// Sums over the threads of a block, in order.
template <int Threads> using block_sums = cub::BlockScan<std::uint32_t, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

}  // namespace warpdex::cuda
