// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>

#include <cuda/barrier>
#include <new>

#include "backend/cuda/window_tiles.cuh"

/// @file
/// The search stage for keys and rows in two arrays in key order. A block loads a bucket's keys and rows into shared
/// memory, builds a search tree over the keys, and searches it for the probes of a chunk.
namespace warpdex::cuda {

/// A barrier in shared memory that counts the bytes of bulk copies (from compute capability 9.0 on; on older devices it
/// does nothing).
class copy_barrier {
 public:
  /// Called by the one thread that copies. The block must synchronise before any thread waits.
  __device__ void set_up() {
#if __CUDA_ARCH__ >= 900
    new (storage_) barrier;
    init(&state(), 1);
    ::cuda::device::experimental::fence_proxy_async_shared_cta();
#endif
  }

  /// Starts the copy of `bytes` bytes, a multiple of 16, between addresses aligned to 16.
  __device__ void copy([[maybe_unused]] void* to, [[maybe_unused]] void const* from, [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    if (bytes != 0)
      ::cuda::device::memcpy_async_tx(static_cast<uint4*>(to), static_cast<uint4 const*>(from),
                                      ::cuda::aligned_size_t<16>(bytes), state());
    static_cast<void>(::cuda::device::barrier_arrive_tx(state(), 1, bytes));
#endif
  }

  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    state().wait_parity(false);
#endif
  }

 private:
  using barrier = ::cuda::barrier<::cuda::thread_scope_block>;

  __device__ barrier& state() { return *reinterpret_cast<barrier*>(storage_); }

  alignas(barrier) unsigned char storage_[sizeof(barrier)];
};

/// A piece of an array on its way into shared memory. A bulk copy takes whole vectors of 16 bytes. If the array ends
/// within a vector, threads copy its last elements, because memory behind the array need not be readable.
template <class T> class incoming {
 public:
  static constexpr unsigned per_vector = vector16<T>::size;

  /// Takes elements [first, last) of an array of `size` elements. Element `first` goes to to[first % per_vector].
  __device__ incoming(T* to, T const* array, std::uint64_t first, std::uint64_t last, std::uint64_t size)
      : to_(to), from_(array + first / per_vector * per_vector) {
    wanted_ = static_cast<unsigned>(last - first / per_vector * per_vector);
    std::uint64_t const rounded = (last + per_vector - 1) / per_vector * per_vector;
    in_bulk_ = (rounded <= size ? wanted_ + per_vector - 1 : wanted_) / per_vector * per_vector;
  }

  __device__ void start(copy_barrier& arrived) {
    arrived.set_up();
    arrived.copy(to_, from_, in_bulk_ * static_cast<unsigned>(sizeof(T)));
  }
  __device__ void copy_rest() {
#if __CUDA_ARCH__ >= 900
    unsigned const first = in_bulk_;
#else
    unsigned const first = 0;
#endif
    for (unsigned i = first + threadIdx.x; i < wanted_; i += blockDim.x) to_[i] = from_[i];
  }

 private:
  T* to_;
  T const* from_;
  unsigned wanted_;
  unsigned in_bulk_;
};

/// Lower bounds in a bucket. The keys are cut into segments of 31. A binary search tree in level order over the last
/// key of each segment leads to a segment, and 5 binary steps search it. The upper levels of the tree are free of bank
/// conflicts. The segment length is odd, so the segments of a warp's lanes begin in different banks.
template <class Key> struct segment_tree {
  static constexpr unsigned segment = 31;

  Key* nodes;  ///< 2^depth nodes; the root is node 1
  Key* keys;   ///< `size` keys, and behind them room for a segment and one more key
  unsigned size;
  int depth;

  __host__ __device__ static int depth_for(unsigned size) {
    int depth = 0;
    while (size / segment >> depth != 0) ++depth;
    return depth;
  }

  /// Builds the tree once the keys have arrived. The caller must synchronise the block before it searches.
  __device__ void build() {
    unsigned const segments = size / segment;
    for (unsigned i = threadIdx.x; i <= segment; i += blockDim.x) keys[size + i] = static_cast<Key>(-1);
    for (unsigned i = threadIdx.x + 1; i < 1u << depth; i += blockDim.x) {
      int const level = 31 - __clz(static_cast<int>(i));
      unsigned const rank = ((2 * (i - (1u << level)) + 1) << (depth - 1 - level)) - 1;
      nodes[i] = rank < segments ? keys[segment * rank + segment - 1] : static_cast<Key>(-1);
    }
  }

  /// @param at receives for each probe the index of the first key not less than it
  template <int Count> __device__ void lower_bounds(Key const (&probes)[Count], unsigned (&at)[Count]) const {
#pragma unroll
    for (int j = 0; j < Count; ++j) at[j] = 1;
    for (int level = 0; level < depth; ++level) {
#pragma unroll
      for (int j = 0; j < Count; ++j) at[j] = 2 * at[j] + (nodes[at[j]] < probes[j] ? 1 : 0);
    }
#pragma unroll
    for (int j = 0; j < Count; ++j) at[j] = (at[j] - (1u << depth)) * segment;
#pragma unroll
    for (unsigned step = (segment + 1) / 2; step != 0; step /= 2) {
#pragma unroll
      for (int j = 0; j < Count; ++j) at[j] += keys[at[j] + step - 1] < probes[j] ? step : 0;
    }
  }
};

/// Shared memory of the bucket search:
///     keys of the bucket | nodes of the tree | rows of the bucket
/// Keys and rows have spare room in front (alignment) and behind (a segment).
struct bucket_room {
  unsigned capacity;  ///< keys of a bucket, at most
  int depth;

  __host__ __device__ static bucket_room of(std::uint64_t largest) {
    // One key more than the bucket has: a probe that equals the splitter of the next bucket is routed to this one.
    auto const capacity = static_cast<unsigned>((largest + 1 + 15) / 16 * 16);
    return {capacity, segment_tree<std::uint32_t>::depth_for(capacity)};
  }
  __host__ __device__ unsigned slots() const { return capacity + 48; }

  /// Nodes of the tree, at least 16 bytes so that the rows behind them are aligned.
  __host__ __device__ unsigned nodes() const { return depth < 2 ? 4 : 1u << depth; }
  template <class Key> std::size_t key_bytes() const { return sizeof(Key) * (slots() + nodes()); }
  template <class Key, class Row> std::size_t bytes() const { return key_bytes<Key>() + sizeof(Row) * slots(); }
};

template <class Key, bool Sparse>
inline constexpr tuning::bucket_search_shape search_shape = Sparse ? tuning::sparse_search : tuning::dense_search<Key>;

/// Searches one chunk of partitioned probes per block. Each thread runs `flight` searches side by side; it loads the
/// first probes while the keys of the bucket arrive.
/// @tparam Sparse whether each probe reads its row from global memory instead of the block loading all rows
template <class Key, class Row, bool Sparse>
__global__ void __launch_bounds__(search_shape<Key, Sparse>.threads, search_shape<Key, Sparse>.blocks)
    bucket_search_kernel(sorted_columns<Key, Row> const index, std::uint64_t const* __restrict__ borders,
                         bucket_room const room, bucket_chunk const* __restrict__ chunks,
                         std::uint32_t const* chunk_count, Key const* __restrict__ probes, Row* __restrict__ answers) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ copy_barrier arrived[2];
  constexpr int flight = search_shape<Key, Sparse>.flight;
  constexpr int threads = search_shape<Key, Sparse>.threads;
  if (blockIdx.x >= *chunk_count) return;
  bucket_chunk const chunk = chunks[blockIdx.x];
  std::uint64_t const first = borders[chunk.bucket];
  std::uint64_t const last = min(borders[chunk.bucket + 1] + 1, index.size);
  auto* const key_room = reinterpret_cast<Key*>(shared_bytes);
  Key* const nodes = key_room + room.slots();
  auto* const row_room = reinterpret_cast<Row*>(nodes + room.nodes());
  incoming<Key> keys(key_room, index.keys, first, last, index.size);
  incoming<Row> rows(row_room, index.rows, first, last, index.size);
  if (threadIdx.x == 0) {
    keys.start(arrived[0]);
    if constexpr (!Sparse) rows.start(arrived[1]);
  }
  Key wanted[flight];
  auto const take = [&](unsigned i) {
#pragma unroll
    for (int j = 0; j < flight; ++j) {
      unsigned const p = i + j * threads;
      wanted[j] = p < chunk.size ? probes[chunk.first + p] : Key{0};
    }
  };
  take(threadIdx.x);
  auto const size = static_cast<unsigned>(last - first);
  segment_tree<Key> tree{nodes, key_room + first % incoming<Key>::per_vector, size, segment_tree<Key>::depth_for(size)};
  Row const* const found_rows = Sparse ? index.rows + first : row_room + first % incoming<Row>::per_vector;
  keys.copy_rest();
  if constexpr (!Sparse) rows.copy_rest();
  __syncthreads();
  arrived[0].wait();
  tree.build();
  __syncthreads();
  if constexpr (!Sparse) arrived[1].wait();

  for (unsigned i = threadIdx.x; i < chunk.size; i += threads * flight) {
    unsigned at[flight];
    tree.lower_bounds(wanted, at);
#pragma unroll
    for (int j = 0; j < flight; ++j) {
      unsigned const p = i + j * threads;
      if (p < chunk.size)
        answers[chunk.first + p] = at[j] < size && tree.keys[at[j]] == wanted[j] ? found_rows[at[j]] : no_row<Row>;
    }
    take(i + threads * flight);
  }
}

}  // namespace warpdex::cuda
