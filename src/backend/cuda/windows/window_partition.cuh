// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/windows/window_heavy.cuh"
#include "backend/cuda/windows/window_routers.cuh"
#include "backend/cuda/windows/window_tiles.cuh"

/// @file
/// The kernels of a level of the partition, in the order in which they run:
///
///     1. histogram    count the probes of each bucket
///     2. scan         sum the counts: where each bucket begins in the output, and how many chunks it has
///     3. cut_chunks   cut the buckets into chunks, the tiles of the next level or the work of the search
///     4. partition    sort a tile of the input by bucket in shared memory, append its run to each bucket
namespace warpdex::cuda {

/// Bytes of a histogram's counters, rounded up so that the keys after them are aligned. Shared memory holds the
/// counters, then the router's copy, then the heavy keys.
__host__ __device__ inline std::size_t counter_bytes(std::uint32_t buckets) {
  return (std::size_t{buckets} * 4 + 15) / 16 * 16;
}

/// Adds the number of probes of each bucket to `counts`, without led probes. One pass over all probes.
template <class Key, class Router>
__global__ void __launch_bounds__(tuning::histogram_threads)
    histogram_kernel(Key const* __restrict__ probes, std::uint64_t size, probe_encoding encoding, Router route,
                     std::uint32_t buckets, heavy_hitters const heavy, std::uint32_t const* in_tiles,
                     std::uint32_t* __restrict__ counts) {
  if (answered_in_tiles(in_tiles)) return;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* const counters = reinterpret_cast<std::uint32_t*>(shared_bytes);
  constexpr int width = vector16<Key>::size;
  constexpr int in_flight = tuning::histogram_vectors;
  route.begin(reinterpret_cast<Key*>(shared_bytes + counter_bytes(buckets)), 0);
  for (unsigned b = threadIdx.x; b < buckets; b += blockDim.x) counters[b] = 0;
  heavy_keys<Key> const heavy_here(
      heavy, reinterpret_cast<Key*>(shared_bytes + counter_bytes(buckets) + route.shared_bytes()));
  bool const any_heavy = heavy.any();
  if (any_heavy) heavy_here.copy();
  __syncthreads();
  auto const count = [&]<int Count>(Key(&keys)[Count]) {
#pragma unroll
    for (int j = 0; j < Count; ++j) keys[j] = encoding(keys[j]);
    std::uint32_t bucket[Count];
    route(keys, bucket);
#pragma unroll
    for (int j = 0; j < Count; ++j)
      if (!any_heavy || !heavy_here.contain(keys[j])) atomicAdd(counters + bucket[j], 1u);
  };
  auto const* const vectors = reinterpret_cast<vector16<Key> const*>(probes);
  std::uint64_t const vector_count = is_aligned16(probes) ? size / width : 0;
  std::uint64_t const start = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  std::uint64_t const step = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t i = start;
  for (; i + (in_flight - 1) * step < vector_count; i += in_flight * step) {
    Key keys[in_flight * width];
#pragma unroll
    for (int v = 0; v < in_flight; ++v) {
      vector16<Key> const loaded = vectors[i + v * step];
#pragma unroll
      for (int j = 0; j < width; ++j) keys[v * width + j] = loaded.values[j];
    }
    count(keys);
  }
  for (; i < vector_count; i += step) {
    vector16<Key> loaded = vectors[i];
    count(loaded.values);
  }
  // The probes after the last whole vector, or all probes of an unaligned column.
  for (std::uint64_t p = vector_count * width + start; p < size; p += step) {
    Key single[1] = {probes[p]};
    count(single);
  }
  // `count` has skipped leaders too, because they have heavy keys. Count one leader per heavy key.
  if (any_heavy && blockIdx.x == 0) heavy_here.for_each([&](Key key) { atomicAdd(counters + route(key), 1u); });
  __syncthreads();
  for (unsigned b = threadIdx.x; b < buckets; b += blockDim.x)
    if (counters[b] != 0) atomicAdd(counts + b, counters[b]);
}

/// Counts the probes of each parent's children in the output of the first level, one block per chunk. Used if one block
/// cannot count the buckets of both levels at once: there are too many counters, or borders are not linear and a tree
/// of all splitters would cost too much.
template <class Key, class Router>
__global__ void __launch_bounds__(tuning::tile_threads)
    child_histogram_kernel(window_level const parents, Router route, std::uint32_t children,
                           std::uint32_t* __restrict__ counts) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* const counters = reinterpret_cast<std::uint32_t*>(shared_bytes);
  if (blockIdx.x >= parents.chunk_begins[parents.all_buckets]) return;
  bucket_chunk const chunk = parents.chunks[blockIdx.x];
  auto const* const keys = static_cast<Key const*>(parents.keys) + chunk.first;
  route.begin(reinterpret_cast<Key*>(shared_bytes + counter_bytes(children)), chunk.bucket);
  for (unsigned b = threadIdx.x; b < children; b += blockDim.x) counters[b] = 0;
  __syncthreads();
  constexpr int in_flight = tuning::histogram_bytes / sizeof(Key);
  for (unsigned i = threadIdx.x; i < chunk.size; i += in_flight * blockDim.x) {
    Key loaded[in_flight];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) {
      unsigned const at = i + static_cast<unsigned>(j) * blockDim.x;
      loaded[j] = keys[at < chunk.size ? at : i];
    }
    std::uint32_t bucket[in_flight];
    route(loaded, bucket);
#pragma unroll
    for (int j = 0; j < in_flight; ++j)
      if (i + static_cast<unsigned>(j) * blockDim.x < chunk.size) atomicAdd(counters + bucket[j], 1u);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < children; b += blockDim.x)
    if (counters[b] != 0) atomicAdd(counts + std::uint64_t{chunk.bucket} * children + b, counters[b]);
}

/// Sums the counts of the children of each parent, one warp per parent.
static __global__ void sum_children_kernel(std::uint32_t parents, std::uint32_t children, std::uint32_t const* counts,
                                           std::uint32_t* sums) {
  std::uint32_t const parent = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (parent >= parents) return;
  std::uint32_t sum = 0;
  for (std::uint32_t i = threadIdx.x % 32; i < children; i += 32) sum += counts[std::uint64_t{parent} * children + i];
  sum = __reduce_add_sync(all_lanes, sum);
  if (threadIdx.x % 32 == 0) sums[parent] = sum;
}

/// Computes where each bucket begins and the number of its first chunk, one thread per bucket. Each block sums all
/// counts before its own by itself. That reads a few hundred KB from the L2 cache in all and saves a second launch.
static __global__ void __launch_bounds__(tuning::scan_threads) scan_kernel(window_level const level) {
  __shared__ std::uint32_t warp_sums[33];
  __shared__ std::uint32_t before[2];
  std::uint32_t const first = blockIdx.x * tuning::scan_threads;
  std::uint32_t const bucket = first + threadIdx.x;
  auto const chunks_for = [&](std::uint32_t probes) { return (probes + level.chunk_size - 1) / level.chunk_size; };
  if (threadIdx.x < 2) before[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t probes = 0;
  std::uint32_t chunks = 0;
  for (std::uint32_t i = threadIdx.x; i < first; i += tuning::scan_threads) {
    probes += level.counts[i];
    chunks += chunks_for(level.counts[i]);
  }
  probes = __reduce_add_sync(all_lanes, probes);
  chunks = __reduce_add_sync(all_lanes, chunks);
  if (first != 0 && threadIdx.x % 32 == 0) {
    atomicAdd(before, probes);
    atomicAdd(before + 1, chunks);
  }
  std::uint32_t const own = bucket < level.all_buckets ? level.counts[bucket] : 0;
  std::uint32_t total;
  std::uint32_t const begin = sum_before<tuning::scan_threads>(own, warp_sums, total);
  __syncthreads();
  std::uint32_t const chunk_begin = sum_before<tuning::scan_threads>(chunks_for(own), warp_sums, total);
  if (bucket >= level.all_buckets) return;
  level.begins[bucket] = level.cursors[bucket] = before[0] + begin;
  level.chunk_begins[bucket] = before[1] + chunk_begin;
  if (bucket == level.all_buckets - 1) {
    level.begins[bucket + 1] = before[0] + begin + own;
    level.chunk_begins[bucket + 1] = before[1] + chunk_begin + chunks_for(own);
  }
}

/// Writes the chunks of each bucket, one warp per bucket. The chunks of a bucket have equal sizes, so a skewed batch
/// spreads over all blocks. They begin at multiples of `tile_align` within the bucket.
static __global__ void cut_chunks_kernel(window_level const level) {
  std::uint32_t const bucket = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (bucket >= level.all_buckets) return;
  std::uint32_t const first_chunk = level.chunk_begins[bucket];
  std::uint32_t const count = level.chunk_begins[bucket + 1] - first_chunk;
  if (count == 0) return;
  std::uint32_t const first = level.begins[bucket];
  std::uint32_t const size = level.begins[bucket + 1] - first;
  std::uint32_t const each = ((size + count - 1) / count + tile_align - 1) / tile_align * tile_align;
  for (std::uint32_t c = threadIdx.x % 32; c < count; c += 32) {
    std::uint32_t const begin = min(c * each, size);
    std::uint32_t const end = min(begin + each, size);
    level.chunks[first_chunk + c] = {bucket, first + begin, end - begin};
  }
}

/// @return whether more than 4 lanes of the warp have the bucket of its first lane
__device__ inline bool lanes_share(std::uint32_t bucket) {
  return __popc(__ballot_sync(all_lanes, bucket == __shfl_sync(all_lanes, bucket, 0))) > 4;
}

/// Bytes of shared memory of the partition:
///     keys of the sorted tile | their positions | counts of the buckets | their shifts | buckets of the keys | router
/// Positions are there if `positions` is true, the last two parts if the router is not cheap.
template <class Key, class Router>
std::size_t partition_shared_bytes(std::uint32_t buckets, Router const& route, bool positions) {
  return (sizeof(Key) + (positions ? 4 : 0)) * tuning::tile_size + std::size_t{buckets} * 8 +
         (Router::cheap ? 0 : 2 * tuning::tile_size + route.shared_bytes());
}

/// How answers find their way back to their probes.
enum class way_back : std::uint8_t {
  indexes,             ///< each probe keeps its index in the sorted tile
  indexes_or_leaders,  ///< the same, but a led probe keeps `tile_size` + the cell of its key; first level only
  positions,           ///< answers do not go back; the position of each probe is partitioned along with its key
  both                 ///< each probe keeps its index, and its position is partitioned too: windows by reference
};

/// Whether probes keep their indexes, and whether their positions are partitioned.
template <way_back Back> inline constexpr bool has_indexes = Back != way_back::positions;
template <way_back Back> inline constexpr bool has_positions = Back == way_back::positions || Back == way_back::both;

// The steps of `partition_kernel` are functions that the compiler inlines. They take the arrays of registers and the
// tile one by one: as members of an object they cost registers, which spill.

/// @return the index in the tile of an element that a thread has in registers: element j of vector v of 16 bytes
template <class Key> __device__ __forceinline__ unsigned index_of(int v, int j) {
  return (v * tuning::tile_threads + threadIdx.x) * vector16<Key>::size + j;
}

/// @param full whether all elements of the tile are its own
/// @return whether element i belongs to the tile
__device__ __forceinline__ bool is_live(tile const& here, bool full, unsigned i) {
  return full || (i >= here.dead && i < here.end);
}

/// Ranks of the elements that a thread holds among those of their bucket: two per word if the router is cheap, else one
/// per word, and above it its bucket. Ranks of probes with heavy keys carry a mark: is_led + cell is stored in place of
/// a led probe's rank, is_leader + rank is the rank of a leader.
template <class Router> using held_ranks = std::uint32_t[Router::cheap ? tuning::tile_items / 2 : tuning::tile_items];
inline constexpr std::uint32_t is_led = tuning::tile_size;
inline constexpr std::uint32_t is_leader = 2 * tuning::tile_size;
static_assert(is_leader + tuning::tile_size <= 65536, "indexes and ranks in a tile have 16 bits");
static_assert(heavy_hitters::cells <= tuning::tile_size);

/// Shared memory of the partition, as `partition_shared_bytes` describes it.
template <class Key> struct partition_room {
  Key* sorted;
  std::uint32_t* positions;  ///< of the sorted elements
  std::uint32_t* counters;   ///< per bucket: of its elements, then where it begins in the sorted tile
  std::uint32_t* shifts;     ///< per bucket: an index in the sorted tile plus this is a place in the output
  std::uint16_t* buckets;    ///< of the sorted elements, unless the router is cheap
};

/// Step 1.
template <class Key, int Vectors>
__device__ __forceinline__ void load_tile(Key const* in, probe_encoding encoding, tile const& here, bool full,
                                          vector16<Key> (&held)[Vectors]) {
  constexpr int width = vector16<Key>::size;
  Key const* const source = in + here.origin;
  bool const aligned = is_aligned16(source);  // false only if the caller's column is not aligned
#pragma unroll
  for (int v = 0; v < Vectors; ++v) {
    unsigned const first = index_of<Key>(v, 0);
    if (aligned && (full || (first >= here.dead && first + width <= here.end)))
      held[v] = *reinterpret_cast<vector16<Key> const*>(source + first);
    else {
#pragma unroll
      for (int j = 0; j < width; ++j) held[v].values[j] = is_live(here, full, first + j) ? source[first + j] : Key{0};
    }
  }
  if (encoding.changes()) {
#pragma unroll
    for (int v = 0; v < Vectors; ++v) {
#pragma unroll
      for (int j = 0; j < width; ++j) held[v].values[j] = encoding(held[v].values[j]);
    }
  }
}

/// Step 2, by take_place(bucket, whether it is live, key, index) for each element, which returns a rank.
/// @param ranks the buckets, unless the router is cheap
template <class Key, class Router, int Vectors, int Words, class TakePlace>
__device__ __forceinline__ void rank_tile(tile const& here, bool full, vector16<Key> const (&held)[Vectors],
                                          Router const& route, std::uint32_t (&ranks)[Words], TakePlace take_place) {
  constexpr int width = vector16<Key>::size;
#pragma unroll
  for (int v = 0; v < Vectors; ++v) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      int const item = v * width + j;
      bool const live = is_live(here, full, index_of<Key>(v, j));
      std::uint32_t bucket = 0;
      if constexpr (!Router::cheap) bucket = ranks[item];
      else if (live) bucket = route(held[v].values[j]);
      std::uint32_t const rank = take_place(bucket, live, held[v].values[j], index_of<Key>(v, j));
      if constexpr (!Router::cheap) ranks[item] = rank | bucket << 16;
      else if (item % 2 == 0) ranks[item / 2] = rank;
      else ranks[item / 2] |= rank << 16;
    }
  }
}

/// Step 2 where many elements share a bucket, and one atomic addition each would queue for its counter. Each warp
/// counts the elements that share the bucket of its first element by ballots, and takes ranks for all of them with one
/// atomic addition.
/// @param take_place for all other elements
template <class Key, class Router, int Vectors, int Words, class TakePlace>
__device__ __forceinline__ void rank_by_warps(tile const& here, bool full, vector16<Key> const (&held)[Vectors],
                                              Router const& route, std::uint32_t (&ranks)[Words],
                                              std::uint32_t* counters, std::uint32_t first_bucket,
                                              TakePlace take_place) {
  constexpr int width = vector16<Key>::size;
  unsigned const lane = threadIdx.x % 32;
  std::uint32_t const common = __shfl_sync(all_lanes, first_bucket, 0);
  std::uint32_t counted = 0;
  rank_tile(here, full, held, route, ranks, [&](std::uint32_t bucket, bool live, Key key, unsigned i) {
    unsigned const same = __ballot_sync(all_lanes, live && bucket == common);
    std::uint32_t const rank = counted + static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)));
    counted += static_cast<std::uint32_t>(__popc(same));
    return bucket == common ? rank : take_place(bucket, live, key, i);
  });
  std::uint32_t position = 0;
  if (lane == 0) position = atomicAdd(counters + common, counted);
  position = __shfl_sync(all_lanes, position, 0);
#pragma unroll
  for (int v = 0; v < Vectors; ++v) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      int const item = v * width + j;
      if constexpr (!Router::cheap) {
        if (is_live(here, full, index_of<Key>(v, j)) && ranks[item] >> 16 == common) ranks[item] += position;
      } else if (is_live(here, full, index_of<Key>(v, j)) && route(held[v].values[j]) == common) {
        ranks[item / 2] += item % 2 == 0 ? position : position << 16;
      }
    }
  }
}

/// Step 3. Synchronises the block. @param number of the tile
/// @tparam Indexed whether the runs are kept for the restore
/// @return the number of elements that go to the output
template <bool Indexed>
__device__ __forceinline__ std::uint32_t find_runs(std::uint32_t number, std::uint32_t parent, std::uint32_t buckets,
                                                   std::uint32_t* counters, std::uint32_t* shifts,
                                                   std::uint32_t* warp_sums, window_level const& level) {
  unsigned const thread = threadIdx.x;
  std::uint32_t const count = thread < buckets ? counters[thread] : 0;
  std::uint32_t total;
  std::uint32_t const begin = sum_before<tuning::tile_threads>(count, warp_sums, total);
  if (thread < buckets) {
    std::uint32_t* const cursor = level.cursors + std::uint64_t{parent} * buckets + thread;
    std::uint32_t const position = count != 0 ? atomicAdd(cursor, count) : 0;
    if constexpr (Indexed) level.runs[std::uint64_t{number} * buckets + thread] = {position, count};
    counters[thread] = begin;
    shifts[thread] = position - begin;
  }
  return total;
}

/// Step 4. @param number of the tile
/// @param places of the leaders in the output, per cell
/// @param positions, first_position as for `partition_kernel`
template <way_back Back, class Key, class Router, int Vectors, int Words>
__device__ __forceinline__ void sort_tile(std::uint32_t number, tile here, bool full,
                                          vector16<Key> const (&held)[Vectors], Router const& route,
                                          std::uint32_t const (&ranks)[Words], partition_room<Key> const& room,
                                          window_level const& level, std::uint32_t* places,
                                          std::uint32_t const* positions, std::uint32_t first_position) {
  constexpr int width = vector16<Key>::size;
  constexpr bool may_be_led = Back == way_back::indexes_or_leaders;
#pragma unroll
  for (int v = 0; v < Vectors; ++v) {
    [[maybe_unused]] position_vector<width> carried;
    if constexpr (has_positions<Back>) {
      unsigned const first = index_of<Key>(v, 0);
      auto const position = first_position + static_cast<std::uint32_t>(here.origin) + first;
      bool const whole = full || (first >= here.dead && first + width <= here.end);
      if (positions != nullptr && whole)
        carried = *reinterpret_cast<position_vector<width> const*>(positions + here.origin + first);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        if (positions == nullptr) carried.values[j] = position + j;
        else if (!whole) carried.values[j] = is_live(here, full, first + j) ? positions[here.origin + first + j] : 0;
      }
    }
    index_vector<width> indexes;
#pragma unroll
    for (int j = 0; j < width; ++j) {
      int const item = v * width + j;
      Key const key = held[v].values[j];
      std::uint32_t index = 0;
      if (is_live(here, full, index_of<Key>(v, j))) {
        std::uint32_t bucket;
        std::uint32_t rank;
        if constexpr (Router::cheap) {
          bucket = route(key);
          rank = item % 2 == 0 ? ranks[item / 2] & 0xffff : ranks[item / 2] >> 16;
        } else {
          bucket = ranks[item] >> 16;
          rank = ranks[item] & 0xffff;
        }
        if (may_be_led && rank >= is_leader) {
          rank -= is_leader;
          places[heavy_cell(key)] = room.counters[bucket] + rank + room.shifts[bucket];
        }
        if (may_be_led && rank >= is_led) {
          index = rank;
        } else {
          index = room.counters[bucket] + rank;
          room.sorted[index] = key;
          if constexpr (has_positions<Back>) room.positions[index] = carried.values[j];
          if constexpr (!Router::cheap) room.buckets[index] = static_cast<std::uint16_t>(bucket);
        }
      }
      indexes.values[j] = static_cast<std::uint16_t>(index);
    }
    if constexpr (has_indexes<Back>)
      *reinterpret_cast<index_vector<width>*>(level.tile_indexes + std::uint64_t{number} * tuning::tile_size +
                                              index_of<Key>(v, 0)) = indexes;
  }
}

/// Step 5.
/// @param total the number of elements
template <way_back Back, class Key, class Router>
__device__ __forceinline__ void write_tile(partition_room<Key> const& room, std::uint32_t total, Router const& route,
                                           window_level const& level) {
  auto* const out = static_cast<Key*>(level.keys);
#pragma unroll 8
  for (int item = 0; item < tuning::tile_items; ++item) {
    unsigned const index = static_cast<unsigned>(item * tuning::tile_threads) + threadIdx.x;
    if (index < total) {
      Key const key = room.sorted[index];
      std::uint32_t bucket;
      if constexpr (Router::cheap) bucket = route(key);
      else bucket = room.buckets[index];
      std::uint32_t const position = index + room.shifts[bucket];  // modulo 2^32: a shift may be negative
      out[position] = key;
      if constexpr (has_positions<Back>) level.positions[position] = room.positions[index];
    }
  }
}

/// Sorts tiles by bucket in shared memory and appends a run of each to each bucket of the output. A block takes one
/// tile after the other.
///
///     1. load      each thread reads `items` probes in vectors of 16 bytes and encodes them
///     2. rank      each probe takes its rank among the tile's probes of its bucket, from a counter per bucket
///     3. runs      a scan over the counters tells where each bucket begins in the sorted tile; an atomic addition to
///                  the bucket's cursor tells where its run begins in the output; the runs are kept for the restore
///     4. sort      each probe goes to (begin of its bucket + its rank) in shared memory and keeps this index
///     5. write     adjacent threads copy adjacent elements of the sorted tile to the output
///
/// @param chunks null for the first level, whose input is `size` probes not yet encoded
/// @param heavy the heavy keys, whose led probes are not written to the output
/// @param positions positions of the input; null for the first level, whose positions count from `first_position`
template <class Key, class Router, way_back Back>
__global__ void __launch_bounds__(tuning::tile_threads, tuning::partition_blocks<Key, Router::cheap>)
    partition_kernel(Key const* __restrict__ in, std::uint64_t size, probe_encoding encoding, Router route,
                     bucket_chunk const* __restrict__ chunks, std::uint32_t const* chunk_count,
                     __grid_constant__ window_level const level, __grid_constant__ heavy_hitters const heavy,
                     std::uint32_t const* __restrict__ positions, std::uint32_t first_position,
                     std::uint32_t const* in_tiles) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ std::uint32_t warp_sums[33];
  std::uint32_t const tiles = count_tiles(chunk_count, size, in_tiles);
  for (std::uint32_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    tile const here = tile_of(chunks, number, size);
    if (here.end == 0) continue;
    std::uint32_t const buckets = level.buckets;
    auto* const sorted = reinterpret_cast<Key*>(shared_bytes);
    auto* const sorted_positions = reinterpret_cast<std::uint32_t*>(sorted + tuning::tile_size);
    std::uint32_t* const counters = sorted_positions + (has_positions<Back> ? tuning::tile_size : 0);
    std::uint32_t* const shifts = counters + buckets;
    auto* const sorted_buckets = reinterpret_cast<std::uint16_t*>(shifts + buckets);
    partition_room<Key> const room{sorted, sorted_positions, counters, shifts, sorted_buckets};
    route.begin(reinterpret_cast<Key*>(sorted_buckets + tuning::tile_size), here.parent);
    if (threadIdx.x < buckets) counters[threadIdx.x] = 0;
    bool const full = here.dead == 0 && here.end == tuning::tile_size;
    bool const any_heavy = Back == way_back::indexes_or_leaders && heavy.any();

    // 1. Load.
    vector16<Key> held[tuning::tile_items / vector16<Key>::size];
    load_tile(in, encoding, here, full, held);
    heavy_keys<Key> const heavy_here(heavy, sorted);  // the room of the sorted tile is free until step 4
    if (any_heavy) heavy_here.copy();
    __syncthreads();

    // 2. Rank. There are three ways to take ranks: with heavy keys; plainly, one atomic addition per element; and by
    // warps. The first elements of all warps decide between the last two.
    held_ranks<Router> ranks;
    if constexpr (!Router::cheap) route(reinterpret_cast<Key const(&)[tuning::tile_items]>(held), ranks);
    [[maybe_unused]] bool const first_live = is_live(here, full, index_of<Key>(0, 0));
    std::uint32_t first_bucket = 0;
    if constexpr (!Router::cheap) first_bucket = ranks[0];
    else if (first_live) first_bucket = route(held[0].values[0]);
    auto const take_place = [&](std::uint32_t bucket, bool live, Key, unsigned) {
      return live ? atomicAdd(counters + bucket, 1u) : 0u;
    };
    if (any_heavy) {
      rank_tile(here, full, held, route, ranks, [&](std::uint32_t bucket, bool live, Key key, unsigned i) {
        if (!live || !heavy_here.contain(key)) return take_place(bucket, live, key, i);
        bool const leads = heavy_here.led_by(key, here.origin + i);
        return leads ? is_leader | take_place(bucket, live, key, i) : is_led | heavy_cell(key);
      });
    } else if (__syncthreads_count(lanes_share(first_bucket)) <= tuning::tile_threads / 4) {
      rank_tile(here, full, held, route, ranks, take_place);
    } else {
      rank_by_warps(here, full, held, route, ranks, counters, first_bucket, take_place);
    }
    __syncthreads();

    // 3. Runs.
    std::uint32_t const total =
        find_runs<has_indexes<Back>>(number, here.parent, buckets, counters, shifts, warp_sums, level);
    __syncthreads();

    // 4. Sort.
    sort_tile<Back>(number, here, full, held, route, ranks, room, level, heavy.places, positions, first_position);
    __syncthreads();

    // 5. Write.
    write_tile<Back>(room, total, route, level);
    if (number + gridDim.x < tiles) __syncthreads();
  }
}

}  // namespace warpdex::cuda
