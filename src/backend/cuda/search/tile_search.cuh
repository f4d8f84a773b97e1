// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/bulk_copy.cuh"
#include "backend/cuda/windows/bucket_answers.cuh"
#include "backend/cuda/windows/window_stages.hpp"

/// @file
/// The search of probes that come in order, or nearly so. A block takes a tile of adjacent probes, loads the slice of
/// the keys between the tile's least and greatest probe into shared memory, and searches it there. Nothing is
/// partitioned, and nothing returns to its place. A tile may be in any order itself: sorted, descending, or mixed.
namespace warpdex::cuda {

/// `placed_answers` with types, as `put_answer` takes them.
template <class Key, class Row> struct answers_in_place : placed_answers {
  key_codec codec;

  __device__ void put_flag(std::uint64_t position, bool flag) const {
    static_cast<std::uint8_t*>(answers)[position] = flag;
  }
  __device__ void put_row(std::uint64_t position, Row row) const { static_cast<Row*>(answers)[position] = row; }
  __device__ void put_key(std::uint64_t position, Key key, bool found) const {
    if (more != nullptr && found) static_cast<Key*>(more)[position] = decode(codec, key);
  }
  __device__ void put_number(std::uint64_t position, std::uint64_t number) const {
    if (answers == nullptr) return;
    static_cast<std::uint64_t*>(answers)[position] = less == nullptr ? number : ranks_between(less[position], number);
  }
  __device__ void put_rank(std::uint64_t position, std::uint64_t rank) const {
    if (more != nullptr) static_cast<std::uint64_t*>(more)[position] = rank;
  }
};

/// Some consecutive entries of an index. Their keys are in shared memory.
template <class Key, class Row, class Slots> struct loaded_slice {
  bucket_entries<Key, Row, Slots> const& index;
  std::uint64_t first;
  unsigned size;
  Key const* keys;

  __device__ Key key(unsigned i) const { return keys[i]; }
  __device__ Row row(std::uint64_t i) const { return index.row(first + i); }
  __device__ std::uint64_t rank(std::uint64_t i) const { return first + i; }
};

/// The same with keys where the index has them.
template <class Key, class Row, class Slots> struct slice_in_place {
  bucket_entries<Key, Row, Slots> const& index;
  std::uint64_t first;
  std::uint64_t size;

  __device__ Key key(std::uint64_t i) const { return index.key(first + i); }
  __device__ Row row(std::uint64_t i) const { return index.row(first + i); }
  __device__ std::uint64_t rank(std::uint64_t i) const { return first + i; }
};

/// Finds lower bounds among consecutive entries by halving. The searches are in flight together.
template <class Entries, class At, class Key, int Count>
__device__ __forceinline__ void find_by_halves(Entries const& entries, Key const (&probes)[Count], At (&at)[Count]) {
#pragma unroll
  for (int j = 0; j < Count; ++j) at[j] = 0;
  At left = entries.size;
  if (left == 0) return;
  while (left > 1) {
    At const half = left / 2;
#pragma unroll
    for (int j = 0; j < Count; ++j) at[j] += entries.key(at[j] + half - 1) < probes[j] ? half : 0;
    left -= half;
  }
#pragma unroll
  for (int j = 0; j < Count; ++j) at[j] += entries.key(at[j]) < probes[j] ? 1 : 0;
}

/// Finds a lower bound in [low, high) by `Lanes` adjacent lanes together. All threads of the warp must take part.
template <int Lanes, class Entries, class Key>
__device__ std::uint64_t find_by_lanes(Entries const& index, std::uint64_t low, std::uint64_t high, Key key) {
  unsigned const lane = threadIdx.x % Lanes;
  unsigned const shift = threadIdx.x % 32 / Lanes * Lanes;
  constexpr unsigned mask = all_lanes >> (32 - Lanes);
  while (__any_sync(all_lanes, low < high)) {
    std::uint64_t const step = (high - low + Lanes - 1) / Lanes;
    std::uint64_t const at = low + lane * step;
    bool const less = at < high && index.key(at) < key;
    auto const count = static_cast<unsigned>(__popc(__ballot_sync(all_lanes, less) >> shift & mask));
    high = count == 0 ? low : min(high, low + count * step);
    if (count != 0) low += (count - 1) * step + 1;
  }
  return low;
}

template <class Key> __device__ Key least_of_warp(Key key) {
  if constexpr (sizeof(Key) == 4) return __reduce_min_sync(all_lanes, key);
  else {
    for (int distance = 16; distance != 0; distance /= 2) key = min(key, __shfl_xor_sync(all_lanes, key, distance));
    return key;
  }
}
template <class Key> __device__ Key greatest_of_warp(Key key) {
  return static_cast<Key>(~least_of_warp(static_cast<Key>(~key)));
}

/// Where the search for the border of a slice begins: in the window bucket of its key, or anywhere.
template <class Key> struct border_hint {
  std::uint64_t const* borders = nullptr;  ///< null if the buckets have no linear borders
  linear_map<Key> map;
};

/// The tile of a block of `tile_search_kernel`.
template <class Key> struct probe_tile {
  static constexpr int threads = tuning::tile_search_threads;
  static constexpr int items = tuning::tile_search_items;
  static constexpr unsigned size = threads * items;

  Key probes[items];  ///< encoded; probe j of a thread is number j * threads + thread of the tile

  /// @param end the number of probes of the batch. After it the last probe is repeated
  __device__ __forceinline__ void load(Key const* from, key_codec codec, std::uint64_t first, std::uint64_t end) {
#pragma unroll
    for (int j = 0; j < items; ++j) probes[j] = from[min(first + j * threads + threadIdx.x, end - 1)];
    if (codec == key_codec::identity) return;
#pragma unroll
    for (int j = 0; j < items; ++j) probes[j] = encode(codec, probes[j]);
  }

  /// Finds the ranks [borders[0], borders[1]) of the entries from the first that is not less than the tile's least
  /// probe to the first that is not less than its greatest one. Synchronises the block.
  /// @param ends room for two keys per warp, in shared memory
  template <class Entries>
  __device__ __forceinline__ void find_borders(Entries const& index, border_hint<Key> const& hint, Key* ends,
                                               std::uint64_t* borders) const {
    constexpr int warps = threads / 32;
    unsigned const lane = threadIdx.x % 32;
    unsigned const warp = threadIdx.x / 32;
    Key least = probes[0];
    Key greatest = probes[0];
#pragma unroll
    for (int j = 1; j < items; ++j) {
      least = min(least, probes[j]);
      greatest = max(greatest, probes[j]);
    }
    least = least_of_warp(least);
    greatest = greatest_of_warp(greatest);
    if (lane == 0) {
      ends[warp] = least;
      ends[warps + warp] = greatest;
    }
    __syncthreads();
    if (warp < 2) {
      Key const end = ends[warp * warps + lane % warps];
      Key const key = warp == 0 ? least_of_warp(end) : greatest_of_warp(end);
      std::uint64_t low = 0;
      std::uint64_t high = index.size;
      if (hint.borders != nullptr) {
        std::uint32_t const bucket = bucket_of(hint.map, key);
        low = hint.borders[bucket];
        high = hint.borders[bucket + 1];
      }
      std::uint64_t const found = find_by_lanes<32>(index, low, high, key);
      if (lane == 0) borders[warp] = warp == 0 ? found : min(found + 1, index.size);
    }
    __syncthreads();
  }
};

/// The shape of a block of `tile_search_kernel`.
template <class Key, bucket_task Task>
inline constexpr tuning::tile_search_shape tile_shape = Task == bucket_task::sparse_find ? tuning::tile_find<Key>
                                                        : Task == bucket_task::lower     ? tuning::tile_lower
                                                                                         : tuning::tile_others<Key>;

/// An operation that is known when the kernel is compiled.
template <search_op Op> struct fixed_op {
  __device__ constexpr operator search_op() const { return Op; }
};

/// Searches tiles of probes. Each block takes one tile after the other, and loads the probes of its next one while it
/// answers.
/// @param capacity keys of a slice in shared memory, at most. Wider slices are searched where they are
/// @param narrow whether to search; null if so
template <class Key, class Row, class Slots, bucket_task Task>
__global__ void __launch_bounds__(tuning::tile_search_threads, tile_shape<Key, Task>.blocks)
    tile_search_kernel(__grid_constant__ bucket_entries<Key, Row, Slots> const index, border_hint<Key> const hint,
                       unsigned capacity, search_op op, Key const* __restrict__ probes, std::uint64_t size,
                       answers_in_place<Key, Row> const answers, std::uint32_t const* narrow) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ copy_barrier arrived;
  __shared__ bucket_edges<Key, Row> edges;
  __shared__ Key ends[tuning::tile_search_threads / 16];
  __shared__ std::uint64_t borders[2];
  using tile = probe_tile<Key>;
  constexpr bool has_edges = Task == bucket_task::sparse_nearest || Task == bucket_task::rank;
  if (narrow != nullptr && *narrow == 0) return;
  auto* const keys = reinterpret_cast<Key*>(shared_bytes);
  if (threadIdx.x == 0) arrived.set_up();
  bool odd = false;
  tile here;
  std::uint64_t first_probe = blockIdx.x * std::uint64_t{tile::size};
  here.load(probes, answers.codec, first_probe, size);
  while (first_probe < size) {
    here.find_borders(index, hint, ends, borders);
    std::uint64_t const first = borders[0];
    std::uint64_t const last = borders[1];
    auto const find_edges = [&] {
      if constexpr (has_edges)
        if (threadIdx.x == tile::threads - 1) edges.template find<Task>(index, op, answers.rule, first, last);
    };
    auto const place_of = [&](int j) { return first_probe + static_cast<unsigned>(j * tile::threads) + threadIdx.x; };
    bool const full = first_probe + tile::size <= size;
    if (last - first <= capacity) {
      loaded_slice<Key, Row, Slots> slice{index, first, static_cast<unsigned>(last - first), keys};
      if constexpr (std::is_same_v<Slots, slots_by_rank<Row>>) {
        incoming<Key> on_way(keys, index.keys, first, last, index.size);
        if (threadIdx.x == 0) on_way.start(arrived);
        slice.keys += first % incoming<Key>::per_vector;
        on_way.copy_rest();
        find_edges();
        if (has_edges || on_way.has_rest()) __syncthreads();
        arrived.wait(odd);
        odd = !odd;
      } else {
        auto const part = index.slots.part_of(first, last);
        for (unsigned i = threadIdx.x; i < slice.size; i += tile::threads) {
          entry_place const position = part(i);
          copy_to_shared(keys + position.offset, index.keys + position.slot);
        }
        find_edges();
        await_copies();
        __syncthreads();
      }
      unsigned at[tile::items];
      find_by_halves(slice, here.probes, at);
      auto const put_all = [&](auto which) {
#pragma unroll
        for (int j = 0; j < tile::items; ++j)
          if (full || place_of(j) < size)
            put_answer<Task>(slice, which, edges, place_of(j), here.probes[j], at[j], answers);
      };
      if constexpr (Task != bucket_task::lower) put_all(op);
      else if (op == search_op::contains) put_all(fixed_op<search_op::contains>{});
      else put_all(fixed_op<search_op::lower_bound>{});
    } else {
      find_edges();
      __syncthreads();
      slice_in_place<Key, Row, Slots> const slice{index, first, last - first};
#pragma unroll 1
      for (int j = 0; j < tile::items; ++j) {  // the probes are read again: registers are scarce
        if (place_of(j) >= size) break;
        Key const single[1] = {encode(answers.codec, probes[place_of(j)])};
        std::uint64_t at[1];
        find_by_halves(slice, single, at);
        put_answer<Task>(slice, op, edges, place_of(j), single[0], at[0], answers);
      }
    }
    if (answers.positions != nullptr)
      for (int j = 0; j < tile::items && place_of(j) < size; ++j)
        answers.positions[place_of(j)] = answers.first_position + static_cast<std::uint32_t>(place_of(j));
    first_probe += gridDim.x * std::uint64_t{tile::size};
    if (first_probe < size) here.load(probes, answers.codec, first_probe, size);
    __syncthreads();
  }
}

/// Decides whether a batch comes in an order that suits tiles: looks at `sampled_tiles` of them, a warp at each. One
/// block.
/// @param narrow receives whether nearly all of them have slices of at most `capacity` keys
template <class Key, class Row, class Slots>
__global__ void __launch_bounds__(32 * tuning::sampled_tiles)
    sample_tiles_kernel(__grid_constant__ bucket_entries<Key, Row, Slots> const index, unsigned capacity,
                        key_codec codec, Key const* __restrict__ probes, std::uint64_t size, std::uint32_t* narrow) {
  constexpr unsigned samples = tuning::sampled_tiles;
  std::uint64_t const tiles = size / probe_tile<Key>::size;
  std::uint64_t const first = threadIdx.x / 32 * tiles / samples * probe_tile<Key>::size;
  unsigned const lane = threadIdx.x % 32;
  std::uint64_t const at = first + lane * (probe_tile<Key>::size / 32);  // beyond a batch shorter than a tile
  Key const probe = encode(codec, probes[min(at, size - 1)]);
  Key const least = least_of_warp(probe);
  Key const greatest = greatest_of_warp(probe);
  std::uint64_t const border = find_by_lanes<16>(index, 0, index.size, lane < 16 ? least : greatest);
  std::uint64_t const begin = __shfl_sync(all_lanes, border, 0);
  std::uint64_t const end = __shfl_sync(all_lanes, border, 16);
  int const count = __syncthreads_count(lane == 0 && end - begin <= capacity);
  if (threadIdx.x == 0) *narrow = count >= tuning::narrow_samples;
}

}  // namespace warpdex::cuda
