// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/windows/window_heavy.cuh"
#include "backend/cuda/windows/window_tiles.cuh"

/// @file
/// The inverse of the partition, for answers.
namespace warpdex::cuda {

/// Bytes of shared memory of the restore:
///     answers of the sorted tile | answers to heavy keys | bits of run heads | heads before each word | shifts of runs
template <class Answer> std::size_t restore_shared_bytes(std::uint32_t buckets, heavy_hitters const& heavy) {
  return sizeof(Answer) * (tuning::tile_size + heavy_room(heavy)) + tuning::tile_size / 4 + std::size_t{buckets} * 4;
}

/// Subtracts a number from an answer.
__device__ inline void subtract(std::uint64_t& from, std::uint64_t less, difference how) {
  from = how == difference::of_ranks ? ranks_between(less, from) : from - less;
}

/// The inverse of `partition_kernel`, tile by tile:
///
///     1. heads    reads the runs of the tile and marks the first element of each run by a bit
///     2. gather   loads the answers of all runs into shared memory, in the order of the sorted tile. An element finds
///                 its run by the number of marked bits up to its own
///     3. write    each element of the tile takes the answer at its tile index; the indexes of led probes lead behind
///                 the sorted tile, to the answers of the heavy keys
///
/// @param answers answers to the probes of the level's output
/// @param less null, or numbers to subtract from the answers; only for an `Out` of 8 bytes
/// @param out answers in the order of the level's input
template <class Answer, class Out>
__global__ void __launch_bounds__(tuning::tile_threads, tuning::restore_blocks)
    restore_kernel(std::uint64_t size, bucket_chunk const* __restrict__ chunks, std::uint32_t const* chunk_count,
                   __grid_constant__ window_level const level, __grid_constant__ heavy_hitters const heavy,
                   Answer const* __restrict__ answers, [[maybe_unused]] Out const* less,
                   [[maybe_unused]] difference subtracts, Out* out, std::uint32_t const* in_tiles) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ std::uint32_t warp_sums[33];
  constexpr int threads = tuning::tile_threads;
  constexpr int words = tuning::tile_size / 32;
  static_assert(words <= threads);
  auto* const sorted = reinterpret_cast<Answer*>(shared_bytes);
  auto* const heads = reinterpret_cast<std::uint32_t*>(sorted + (tuning::tile_size + heavy_room(heavy)));
  std::uint32_t* const heads_before = heads + words;
  std::uint32_t* const shifts = heads_before + words;
  unsigned const thread = threadIdx.x;
  unsigned const lane = thread % 32;

  std::uint32_t const tiles = count_tiles(chunk_count, size, in_tiles);
  for (std::uint32_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    tile const here = tile_of(chunks, number, size);
    if (here.end == 0) continue;

    // 1. Heads.
    if (thread < words) heads[thread] = 0;
    tile_run run{0, 0};
    if (thread < level.buckets) run = level.runs[std::uint64_t{number} * level.buckets + thread];
    // One scan computes two sums of 16 bits: the elements before this run and, in the upper half, the runs before it.
    std::uint32_t total;
    std::uint32_t const before = sum_before<threads>(run.size | (run.size != 0 ? 1u << 16 : 0), warp_sums, total);
    std::uint32_t const live = total & 0xffff;
    if (run.size != 0) {
      std::uint32_t const first = before & 0xffff;
      atomicOr(heads + first / 32, 1u << first % 32);
      shifts[before >> 16] = run.first - first;
    }
    __syncthreads();
    std::uint32_t const head_count = thread < words ? static_cast<std::uint32_t>(__popc(heads[thread])) : 0;
    std::uint32_t const heads_up_to = sum_before<threads>(head_count, warp_sums, total);
    if (thread < words) heads_before[thread] = heads_up_to;
    __syncthreads();

    // 2. Gather.
    unsigned const up_to_lane = all_lanes >> (31 - lane);
#pragma unroll 8
    for (int item = 0; item < tuning::tile_items; ++item) {
      unsigned const index = static_cast<unsigned>(item * threads) + thread;
      if (index < live) {
        unsigned const word = index / 32;
        std::uint32_t const head =
            heads_before[word] + static_cast<std::uint32_t>(__popc(heads[word] & up_to_lane)) - 1;
        copy_to_shared(sorted + index, answers + (index + shifts[head]));
      }
    }
    if (heavy.any()) {
      for (unsigned i = thread; i < heavy_hitters::cells; i += threads)
        if (std::uint32_t const position = heavy.places[i]; position != heavy_hitters::none)
          copy_to_shared(sorted + tuning::tile_size + i, answers + position);
    }
    await_copies();
    __syncthreads();

    // 3. Write.
    constexpr int width = sizeof(Out) == 8 ? 2 : 4;
    struct alignas(width * sizeof(Out)) answer_vector {
      Out values[width];
    };
    std::uint16_t const* const indexes = level.tile_indexes + std::uint64_t{number} * tuning::tile_size;
    Out* const to = out + here.origin;
    bool const aligned =
        (reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(less)) % sizeof(answer_vector) == 0;
#pragma unroll 4
    for (unsigned i = thread * width; i < here.end; i += threads * width) {
      auto const from = *reinterpret_cast<index_vector<width> const*>(indexes + i);
      answer_vector found;
#pragma unroll
      for (int j = 0; j < width; ++j) found.values[j] = sorted[from.values[j]];
      if (aligned && i >= here.dead && i + width <= here.end) {
        if constexpr (sizeof(Out) == 8) {
          if (less != nullptr) {
            auto const subtracted = *reinterpret_cast<answer_vector const*>(less + here.origin + i);
#pragma unroll
            for (int j = 0; j < width; ++j) subtract(found.values[j], subtracted.values[j], subtracts);
          }
        }
        *reinterpret_cast<answer_vector*>(to + i) = found;
      } else {
        for (unsigned j = 0; j < width; ++j) {
          if (i + j < here.dead || i + j >= here.end) continue;
          if constexpr (sizeof(Out) == 8)
            if (less != nullptr) subtract(found.values[j], less[here.origin + i + j], subtracts);
          to[i + j] = found.values[j];
        }
      }
    }
    if (number + gridDim.x < tiles) __syncthreads();
  }
}

}  // namespace warpdex::cuda
