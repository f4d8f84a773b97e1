// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/windows/window_tiles.cuh"

/// @file
/// Heavy hitters: keys that many probes of a window share. Without special treatment, all these probes would queue for
/// one counter, fill one bucket and be searched one by one. Instead, one probe per heavy key, its leader, is
/// partitioned and searched, and the restore copies its answer to all other probes of the key, the led ones.
///
///     1. find_heavy_kernel   counts the keys of a sample and puts the frequent ones into a table of cells
///     2. histogram_kernel    skips all probes with a heavy key, then counts one leader per heavy key
///     3. partition_kernel    sends leaders to their buckets and notes in the cell where each arrives; a led probe
///                            leaves only the number of its cell, in place of an index into the sorted tile
///     4. fill_free_places    the led probes leave places free at the end of the output; gives a key to these, if
///                            the structure's own search follows, which searches all places
///     5. the search          answers the leaders among all other probes
///     6. restore_kernel      at the first level, loads the answers of all leaders after those of its tile; a led
///                            probe finds its answer there by its cell number
///
/// The table of cells (`heavy_hitters`) is a hash table without collision handling: a key may only be in the cell that
/// its hash names. So a thread asks with one access whether a key is heavy. If two frequent keys share a cell, one of
/// them is heavy and the other is treated like all other keys, which is slower but just as correct.
namespace warpdex::cuda {

/// 2^64 / golden ratio. The upper bits of its multiples are spread evenly (Fibonacci hashing: Knuth, The Art of
/// Computer Programming, volume 3, section 6.4).
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

/// @return the slot of a key in a hash table of 2^log_size slots, before any probing
template <class Key> __host__ __device__ constexpr std::uint32_t place_by_hash(Key key, int log_size) {
  constexpr int bits = sizeof(Key) * 8;
  if constexpr (bits > 64) return place_by_hash(leading_part(key), log_size);
  else
    return static_cast<std::uint32_t>(static_cast<Key>(key * static_cast<Key>(golden >> (64 - bits))) >>
                                      (bits - log_size));
}

/// @return the only cell in which the key may be
template <class Key> __host__ __device__ constexpr std::uint32_t heavy_cell(Key key) {
  return place_by_hash(key, tuning::heavy_cell_bits);
}

/// The heavy hitters as seen by one block, which keeps a copy of their keys in shared memory.
template <class Key> class heavy_keys {
 public:
  /// @param room shared memory for `heavy_hitters::cells` keys
  __device__ heavy_keys(heavy_hitters const& heavy, Key* room) : heavy_(heavy), keys_(room) {}

  /// Copies the keys. The caller must synchronise the block before it uses them.
  __device__ void copy() const {
    auto const* const from = static_cast<Key const*>(heavy_.keys);
    for (unsigned i = threadIdx.x; i < heavy_hitters::cells; i += blockDim.x) keys_[i] = from[i];
  }

  /// @return whether the key is heavy; an empty cell never equals a key that hashes to it
  __device__ bool contain(Key key) const { return keys_[heavy_cell(key)] == key; }

  /// Calls f(key) once for each heavy key. The threads of the block share the calls.
  template <class Function> __device__ void for_each(Function const& f) const {
    for (unsigned i = threadIdx.x; i < heavy_hitters::cells; i += blockDim.x)
      if (heavy_.leaders[i] != heavy_hitters::none) f(keys_[i]);
  }

  /// @return whether probe `number` of the window, which has the heavy key `key`, is its leader
  __device__ bool led_by(Key key, std::uint64_t number) const { return heavy_.leaders[heavy_cell(key)] == number; }

 private:
  heavy_hitters const& heavy_;
  Key* keys_;
};

/// @return the number of heavy keys, or of answers to them, that a kernel needs shared memory for
__host__ __device__ inline std::uint32_t heavy_room(heavy_hitters const& heavy) {
  return heavy.looked_for() ? heavy_hitters::cells : 0;
}

/// Shared memory of `find_heavy_kernel`: a hash table of keys and their counts, with two slots per sample.
template <class Key> constexpr std::size_t find_heavy_bytes = 2 * tuning::heavy_samples*(sizeof(Key) + 4);

/// Finds the heavy keys of a window in a sample of its probes. Launched as one block.
///
///     1. sample    each thread reads `items` probes, one from each of equal parts of the window
///     2. clear     the counting table in shared memory, and the cells in global memory
///     3. count     each sample inserts its key into the counting table (linear probing) and adds 1 to its count
///     4. elect     samples of frequent keys compete for their cell; the winner's probe becomes the leader
///     5. decide    if the samples with a heavy key are too few, `present` becomes 0 and the cells are not used
template <class Key>
__global__ void __launch_bounds__(tuning::heavy_threads)
    find_heavy_kernel(Key const* __restrict__ probes, std::uint64_t size, probe_encoding encoding,
                      heavy_hitters const heavy, std::uint32_t const* in_tiles) {
  if (answered_in_tiles(in_tiles)) return;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ std::uint32_t covered;
  constexpr int log_places = tuning::heavy_sample_bits + 1;
  constexpr unsigned places = 1u << log_places;
  constexpr unsigned none = ~0u;
  constexpr auto empty = static_cast<Key>(-1);  // marks a free slot; probes with this key are never counted or heavy
  constexpr int items = tuning::heavy_samples / tuning::heavy_threads;
  using word = std::conditional_t<sizeof(Key) == 4, unsigned, unsigned long long>;
  auto* const table = reinterpret_cast<Key*>(shared_bytes);
  auto* const counts = reinterpret_cast<std::uint32_t*>(table + places);
  auto* const keys = static_cast<Key*>(heavy.keys);
  unsigned const thread = threadIdx.x;

  // 1. Sample. The offset differs from part to part, because the probes of a batch may be periodic.
  std::uint32_t numbers[items];
  Key sampled[items];
#pragma unroll
  for (int s = 0; s < items; ++s) {
    auto const part = static_cast<unsigned>(s * tuning::heavy_threads) + thread;
    auto const part_size = static_cast<std::uint32_t>(size / tuning::heavy_samples);
    numbers[s] = part * part_size + __umulhi(part * static_cast<std::uint32_t>(golden >> 32), part_size);
    sampled[s] = probes[numbers[s]];
  }
  // 2. Clear. An empty cell holds a key that hashes to another cell, so no probe that asks for this cell matches it:
  // key 0 belongs to cell 0, so it marks all other cells as empty, and key 1 marks cell 0.
  for (unsigned i = thread; i < places; i += tuning::heavy_threads) {
    table[i] = empty;
    counts[i] = 0;
  }
  static_assert(heavy_cell(Key{0}) == 0 && heavy_cell(Key{1}) != 0);
  for (unsigned i = thread; i < heavy_hitters::cells; i += tuning::heavy_threads) {
    keys[i] = i == 0 ? 1 : 0;
    heavy.leaders[i] = heavy.places[i] = heavy_hitters::none;
  }
  if (thread == 0) covered = 0;
  __syncthreads();

  // 3. Count. at[s] is the slot of the sample's key, or `none`. The table is at most half full, so probing ends.
  unsigned at[items];
#pragma unroll
  for (int s = 0; s < items; ++s) {
    Key const key = sampled[s] = encoding(sampled[s]);
    at[s] = none;
    if (key == empty) continue;
    for (at[s] = place_by_hash(key, log_places);; at[s] = (at[s] + 1) % places) {
      Key const before = atomicCAS(reinterpret_cast<word*>(table + at[s]), word{empty}, word{key});
      if (before == empty || before == key) break;
    }
    atomicAdd(counts + at[s], 1u);
  }
  __syncthreads();
  // 4. Elect. The first sample of a frequent key that reaches the free cell wins it. All others find it taken, by the
  // same key or, on a collision, by another one.
#pragma unroll
  for (int s = 0; s < items; ++s) {
    if (at[s] == none || counts[at[s]] < tuning::heavy_least_samples) continue;
    std::uint32_t const cell = heavy_cell(sampled[s]);
    if (atomicCAS(heavy.leaders + cell, heavy_hitters::none, numbers[s]) == heavy_hitters::none)
      keys[cell] = sampled[s];
  }
  __syncthreads();
  // 5. Decide. Count the samples whose key won its cell.
#pragma unroll
  for (int s = 0; s < items; ++s)
    if (at[s] != none && keys[heavy_cell(sampled[s])] == sampled[s]) atomicAdd(&covered, 1u);
  __syncthreads();
  if (thread == 0) *heavy.present = covered >= tuning::heavy_samples / tuning::heavy_least_share ? 1 : 0;
}

/// Writes a key to each place after the last bucket. Led probes are not in the output, so there is one such place for
/// each of them, and a search that takes all `size` places would read garbage there.
template <class Key>
__global__ void fill_free_places_kernel(window_level const level, heavy_hitters const heavy, std::uint64_t size) {
  if (!heavy.any()) return;
  auto* const keys = static_cast<Key*>(level.keys);
  std::uint64_t const first = level.begins[level.all_buckets] + blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  for (std::uint64_t i = first; i < size; i += std::uint64_t{gridDim.x} * blockDim.x) keys[i] = 0;
}

}  // namespace warpdex::cuda
