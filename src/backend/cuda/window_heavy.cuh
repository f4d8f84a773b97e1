// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/window_tiles.cuh"

/// @file
/// Heavy hitters: keys that many probes of a window have.
namespace warpdex::cuda {

/// Multiples of it, cut to their upper bits, spread evenly (Fibonacci hashing).
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

/// Where a key belongs in a table of 2^log_size places.
template <class Key> __host__ __device__ constexpr std::uint32_t place_by_hash(Key key, int log_size) {
  constexpr int bits = sizeof(Key) * 8;
  return static_cast<std::uint32_t>(static_cast<Key>(key * static_cast<Key>(golden >> (64 - bits))) >>
                                    (bits - log_size));
}

/// The cell that a key has if it is heavy.
template <class Key> __host__ __device__ constexpr std::uint32_t heavy_cell(Key key) {
  return place_by_hash(key, tuning::heavy_cell_bits);
}

/// The heavy hitters as a block asks for them, which has a copy of their keys.
template <class Key> class heavy_keys {
 public:
  /// @param room for `heavy_hitters::cells` keys
  __device__ heavy_keys(heavy_hitters const& heavy, Key* room) : heavy_(heavy), keys_(room) {}

  /// Makes the copy; the caller synchronises the block before it asks.
  __device__ void copy() const {
    auto const* const from = static_cast<Key const*>(heavy_.keys);
    for (unsigned i = threadIdx.x; i < heavy_hitters::cells; i += blockDim.x) keys_[i] = from[i];
  }

  /// Whether the key is heavy.
  __device__ bool contain(Key key) const { return keys_[heavy_cell(key)] == key; }

  /// Calls f(key) once for each heavy key, by the threads of the block.
  template <class Function> __device__ void for_each(Function const& f) const {
    for (unsigned i = threadIdx.x; i < heavy_hitters::cells; i += blockDim.x)
      if (heavy_.leaders[i] != heavy_hitters::none) f(keys_[i]);
  }

  /// Whether probe `number` is the leader of its heavy key.
  __device__ bool led_by(Key key, std::uint64_t number) const { return heavy_.leaders[heavy_cell(key)] == number; }

 private:
  heavy_hitters const& heavy_;
  Key* keys_;
};

/// Heavy keys, or answers to them, for which a kernel needs room in shared memory.
__host__ __device__ inline std::uint32_t heavy_room(heavy_hitters const& heavy) {
  return heavy.looked_for() ? heavy_hitters::cells : 0;
}

/// Shared memory of `find_heavy_kernel`: a table with two places a sample, of keys and their counts.
template <class Key> constexpr std::size_t find_heavy_bytes = 2 * tuning::heavy_samples*(sizeof(Key) + 4);

/// Counts the keys of a sample in one block and takes those that come often, if together they make up enough of it.
/// Where two have the same cell, one is taken.
template <class Key>
__global__ void __launch_bounds__(tuning::heavy_threads)
    find_heavy_kernel(Key const* __restrict__ probes, std::uint64_t size, probe_encoding encoding,
                      heavy_hitters const heavy) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ std::uint32_t covered;
  constexpr int log_places = tuning::heavy_sample_bits + 1;
  constexpr unsigned places = 1u << log_places;
  constexpr unsigned none = ~0u;
  constexpr auto empty = static_cast<Key>(-1);  // such probes are not counted, nor ever heavy
  constexpr int items = tuning::heavy_samples / tuning::heavy_threads;
  using word = std::conditional_t<sizeof(Key) == 4, unsigned, unsigned long long>;
  auto* const table = reinterpret_cast<Key*>(shared_bytes);
  auto* const counts = reinterpret_cast<std::uint32_t*>(table + places);
  auto* const keys = static_cast<Key*>(heavy.keys);
  unsigned const thread = threadIdx.x;

  std::uint32_t numbers[items];
  Key sampled[items];
#pragma unroll
  for (int s = 0; s < items; ++s) {
    // One in each of equal parts of the batch, at a place of its own, as batches may be periodic.
    auto const part = static_cast<unsigned>(s * tuning::heavy_threads) + thread;
    auto const part_size = static_cast<std::uint32_t>(size / tuning::heavy_samples);
    numbers[s] = part * part_size + __umulhi(part * static_cast<std::uint32_t>(golden >> 32), part_size);
    sampled[s] = probes[numbers[s]];
  }
  for (unsigned i = thread; i < places; i += tuning::heavy_threads) {
    table[i] = empty;
    counts[i] = 0;
  }
  // What has no heavy key has one of another cell, which no probe asks for here.
  static_assert(heavy_cell(Key{0}) == 0 && heavy_cell(Key{1}) != 0);
  for (unsigned i = thread; i < heavy_hitters::cells; i += tuning::heavy_threads) {
    keys[i] = i == 0 ? 1 : 0;
    heavy.leaders[i] = heavy.places[i] = heavy_hitters::none;
  }
  if (thread == 0) covered = 0;
  __syncthreads();

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
#pragma unroll
  for (int s = 0; s < items; ++s) {
    if (at[s] == none || counts[at[s]] < tuning::heavy_least_samples) continue;
    std::uint32_t const cell = heavy_cell(sampled[s]);
    if (atomicCAS(heavy.leaders + cell, heavy_hitters::none, numbers[s]) == heavy_hitters::none)
      keys[cell] = sampled[s];
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < items; ++s)
    if (at[s] != none && keys[heavy_cell(sampled[s])] == sampled[s]) atomicAdd(&covered, 1u);
  __syncthreads();
  if (thread == 0) *heavy.present = covered >= tuning::heavy_samples / tuning::heavy_least_share ? 1 : 0;
}

/// Fills the places behind the last bucket, of which there are as many as led probes.
template <class Key>
__global__ void fill_free_places_kernel(window_level const level, heavy_hitters const heavy, std::uint64_t size) {
  if (!heavy.any()) return;
  auto* const keys = static_cast<Key*>(level.keys);
  std::uint64_t const first = level.begins[level.all_buckets] + blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  for (std::uint64_t i = first; i < size; i += std::uint64_t{gridDim.x} * blockDim.x) keys[i] = 0;
}

}  // namespace warpdex::cuda
