// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/block/block_scan.cuh>

#include "backend/cuda/cuda_loops.cuh"
#include "backend/update/merge.hpp"

/// @file
/// Merging on the device. Each block merges one tile in shared memory.
namespace warpdex::cuda {

/// Pairs per thread. The number is odd, so adjacent threads use different banks of shared memory, and a tile takes
/// about 32 KiB.
template <class Key, class Row>
inline constexpr int merge_items = (32768 / tuning::merge_threads / int{sizeof(Key) + sizeof(Row)}) - 1 | 1;

template <class Key, class Row> inline constexpr int merge_tile = tuning::merge_threads* merge_items<Key, Row>;

/// Marks the erased entries of `from` in a tile. The threads of the block share the ranges.
__device__ __forceinline__ void mark_erased(erased_entries const& erase, tile_start const& start, tile_start const& end,
                                            bool* is_erased) {
  for (std::uint64_t r = (start.ranges == 0 ? 0 : start.ranges - 1) + threadIdx.x; r < end.ranges; r += blockDim.x) {
    std::uint64_t const first = erase.first[r];
    std::uint64_t const last = min(first + erase.length(r), end.from);
    for (std::uint64_t i = max(first, start.from); i < last; ++i) is_erased[i - start.from] = true;
  }
}

/// Merges one tile per block:
///
///     1. read     loads the tile's entries of both inputs into shared memory, those of `from` first
///     2. mark     marks the erased entries of `from`
///     3. merge    each thread finds its place on the merge path and merges `items` pairs into registers
///     4. write    a scan over the kept pairs tells where each goes; the tile is written to the output in order
///
/// @param starts where each tile begins, and at the end where the last one ends
/// @tparam Erases whether there are erased entries
template <bool Erases, class Key, class Row, class Slots>
__global__ void __launch_bounds__(tuning::merge_threads)
    merge_kernel(__grid_constant__ pair_arrays<Key, Row, Slots> const from, erased_entries erase,
                 pair_arrays<Key, Row> insert, tile_start const* starts,
                 __grid_constant__ merged_arrays<Key, Row, Slots> const to) {
  constexpr int items = merge_items<Key, Row>;
  constexpr int tile = merge_tile<Key, Row>;
  using block_scan = cub::BlockScan<int, tuning::merge_threads>;
  __shared__ Key tile_keys[tile];
  __shared__ Row tile_rows[tile];
  __shared__ bool is_erased[Erases ? tile : 1];  // per entry of `from` in the tile
  __shared__ typename block_scan::TempStorage scan_storage;

  int const thread = static_cast<int>(threadIdx.x);
  std::uint64_t const diagonal = std::uint64_t{blockIdx.x} * tile;
  tile_start const start = starts[blockIdx.x];
  tile_start const end = starts[blockIdx.x + 1];
  std::uint64_t const left = from.size + insert.size - diagonal;
  int const size = left < tile ? static_cast<int>(left) : tile;
  int const of_from = static_cast<int>(end.from - start.from);
  std::uint64_t const inserted = diagonal - start.from;
  auto const read = from.slots.part_of(start.from, end.from);
  // 1. Read.
  Key key[items];
  Row row[items];
#pragma unroll
  for (int j = 0; j < items; ++j) {  // all loads before the first store
    int const i = j * tuning::merge_threads + thread;
    if (i < size) {
      std::uint64_t const at = i < of_from ? read(i).slot : inserted + (i - of_from);
      key[j] = i < of_from ? from.keys[at] : insert.keys[at];
      row[j] = i < of_from ? from.rows[at] : insert.rows[at];
    }
  }
#pragma unroll
  for (int j = 0; j < items; ++j) {
    int const i = j * tuning::merge_threads + thread;
    if (i < size) {
      int const at = i < of_from ? static_cast<int>(read(i).offset) : i;
      tile_keys[at] = key[j];
      tile_rows[at] = row[j];
      if constexpr (Erases) is_erased[i] = false;
    }
  }
  __syncthreads();
  // 2. Mark.
  if constexpr (Erases) {
    mark_erased(erase, start, end, is_erased);
    __syncthreads();
  }

  // 3. Merge.
  pair_arrays<Key, Row> const a(tile_keys, tile_rows, of_from);
  pair_arrays<Key, Row> const b(tile_keys + of_from, tile_rows + of_from, size - of_from);
  int const first = min(thread * items, size);
  int at_a = merge_path(a, b, first);
  int at_b = first - at_a;
  unsigned kept = 0;
#pragma unroll
  for (int j = 0; j < items; ++j) {
    if (first + j >= size) break;
    bool const takes_b = at_a == of_from || (at_b < size - of_from && b.precedes(at_b, a, at_a));
    int const i = takes_b ? of_from + at_b : at_a;
    key[j] = tile_keys[i];
    row[j] = tile_rows[i];
    bool const erased = Erases && !takes_b && is_erased[at_a];
    kept |= erased ? 0u : 1u << j;
    at_a += takes_b ? 0 : 1;
    at_b += takes_b ? 1 : 0;
  }

  // 4. Write.
  int kept_before = first;
  int total = size;
  std::uint64_t position = diagonal;
  if constexpr (Erases) {
    block_scan(scan_storage).ExclusiveSum(__popc(kept), kept_before, total);
    position -= erase.before_entry(start.from, start.ranges);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    if ((kept >> j & 1) == 0) continue;
    tile_keys[kept_before] = key[j];
    tile_rows[kept_before] = row[j];
    ++kept_before;
  }
  __syncthreads();
  auto const write = to.slots.part_of(position, position + total);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    int const i = j * tuning::merge_threads + thread;
    if (i < total) {
      entry_place const at = write(i);
      to.keys[at.slot] = tile_keys[at.offset];
      to.rows[at.slot] = tile_rows[at.offset];
    }
  }
}

template <class Key, class Row>
sorted_pairs merge_on_device(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                             execution const& exec) {
  auto const write_tiles = [&]<class Slots>(pair_arrays<Key, Row, Slots> const& old, erased_entries const& erased,
                                            pair_arrays<Key, Row> const& added, tile_start const* starts,
                                            std::uint64_t tiles, merged_arrays<Key, Row, Slots> const& to) {
    auto const kernel = erased.keys != 0 ? merge_kernel<true, Key, Row, Slots> : merge_kernel<false, Key, Row, Slots>;
    launch(kernel, static_cast<unsigned>(tiles), tuning::merge_threads, 0, exec, old, erased, added, starts, to);
  };
  return merge_by_tiles<cuda_loops, Key, Row>(from, erase, insert, order, merge_tile<Key, Row>, exec, write_tiles);
}

}  // namespace warpdex::cuda
