// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "backend/cuda/bulk_copy.cuh"
#include "backend/cuda/windows/bucket_answers.cuh"

/// @file
/// The search stage for keys and rows in two arrays. A block loads a bucket's keys, and rows where these matter, into
/// shared memory in key order, builds a search tree over the keys, and searches it for the probes of a chunk. So one
/// search gives a rank, and rank and key give the answer of every operation.
namespace warpdex::cuda {

/// Lower bounds in a bucket. The keys are cut into segments of 31. A binary search tree in level order over the last
/// key of each segment leads to a segment, and 5 binary steps search it. The upper levels of the tree are free of bank
/// conflicts. The segment length is odd, so the segments of a warp's lanes begin in different banks.
template <class Key> struct segment_tree {
  static constexpr unsigned segment = 31;

  Key* nodes;  ///< 2^depth nodes; the root is node 1
  Key* keys;   ///< `size` keys, and after them room for a segment and one more key
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
    find_leaves(nodes, depth, probes, at);
#pragma unroll
    for (int j = 0; j < Count; ++j) at[j] *= segment;
#pragma unroll
    for (unsigned step = (segment + 1) / 2; step != 0; step /= 2) {
#pragma unroll
      for (int j = 0; j < Count; ++j) at[j] += keys[at[j] + step - 1] < probes[j] ? step : 0;
    }
  }
};

/// Shared memory of the bucket search:
///     keys of the bucket | nodes of the tree | rows of the bucket | sums of the rows before each segment
/// Keys and rows have spare room before (alignment) and after (a segment).
struct bucket_room {
  unsigned capacity;  ///< keys of a bucket, at most
  int depth;

  __host__ __device__ static bucket_room of(std::uint64_t largest) {
    // One key more than the bucket has: a probe that equals the splitter of the next bucket is routed to this one.
    auto const capacity = static_cast<unsigned>((largest + 1 + 15) / 16 * 16);
    return {capacity, segment_tree<std::uint32_t>::depth_for(capacity)};
  }
  __host__ __device__ unsigned slots() const { return capacity + 48; }

  /// Nodes of the tree, at least 16 bytes so that the rows after them are aligned.
  __host__ __device__ unsigned nodes() const { return depth < 2 ? 4 : 1u << depth; }

  /// Segments of a bucket, the last one incomplete.
  __host__ __device__ unsigned segments() const { return capacity / segment_tree<std::uint32_t>::segment + 1; }

  template <class Key, class Row, bucket_task Task> std::size_t bytes() const {
    return sizeof(Key) * (slots() + nodes()) + (loads_rows<Task> ? sizeof(Row) * slots() : 0) +
           (Task == bucket_task::sum ? sizeof(std::uint64_t) * segments() : 0);
  }
};

template <class Key, bucket_task Task>
inline constexpr tuning::bucket_search_shape search_shape = loads_rows<Task>            ? tuning::dense_search<Key>
                                                            : Task == bucket_task::rank ? tuning::rank_search<Key>
                                                                                        : tuning::sparse_search;

/// The bucket of a block of `bucket_search_kernel`, in shared memory.
template <class Key, class Row, class Slots, bucket_task Task> class bucket_search {
  using tree_type = segment_tree<Key>;
  using entries = bucket_entries<Key, Row, Slots>;
  static constexpr bool in_bulk = std::is_same_v<Slots, slots_by_rank<Row>>;
  static constexpr bool has_rows = loads_rows<Task>;
  static constexpr int threads = search_shape<Key, Task>.threads;

 public:
  /// @param begin, end the ranks of the entries to load
  /// @param shared as `bucket_room` describes it
  __device__ __forceinline__ bucket_search(entries const& of, Key const* keys, bucket_room const& room,
                                           std::uint64_t begin, std::uint64_t end, unsigned char* shared)
      : first(begin), size(static_cast<unsigned>(end - begin)), index_(of), keys_(keys),
        key_room_(reinterpret_cast<Key*>(shared)),
        row_room_(reinterpret_cast<Row*>(key_room_ + room.slots() + room.nodes())), rows_(row_room_),
        segment_sums_(reinterpret_cast<std::uint64_t*>(row_room_ + room.slots())), tree_{key_room_ + room.slots(),
                                                                                         key_room_, size,
                                                                                         tree_type::depth_for(size)},
        keys_on_way_(key_room_, keys, begin, end, of.size), rows_on_way_(row_room_, of.rows, begin, end, of.size) {}

  __device__ __forceinline__ void start_load(copy_barrier (&arrived)[2]) {
    if constexpr (in_bulk) {
      tree_.keys += first % incoming<Key>::per_vector;
      rows_ += first % incoming<Row>::per_vector;
      if (threadIdx.x == 0) {
        keys_on_way_.start(arrived[0]);
        if constexpr (has_rows) rows_on_way_.start(arrived[1]);
      }
    } else {
      auto const part = index_.slots.part_of(first, first + size);
      for (unsigned i = threadIdx.x; i < size; i += threads) {
        entry_place const position = part(i);
        copy_to_shared(key_room_ + position.offset, keys_ + position.slot);
        if constexpr (has_rows) copy_to_shared(row_room_ + position.offset, index_.rows + position.slot);
      }
    }
  }

  /// Waits for the load, and builds the tree. Synchronises the block.
  /// @param odd whether it is the second, the fourth, ... load of the block
  __device__ __forceinline__ void finish_load(copy_barrier (&arrived)[2], bool odd) {
    if constexpr (in_bulk) {
      keys_on_way_.copy_rest();
      if constexpr (has_rows) rows_on_way_.copy_rest();
    } else {
      await_copies();
    }
    __syncthreads();
    if constexpr (in_bulk) arrived[0].wait(odd);
    tree_.build();
    __syncthreads();
    if constexpr (in_bulk && has_rows) arrived[1].wait(odd);
  }

  /// Sums the rows before each segment, and with them those before any entry. Synchronises the block.
  /// @param before the sum of all rows before the bucket
  __device__ __forceinline__ void sum_segments(bucket_room const& room, std::uint64_t before) {
    static_assert((tuning::bucket_capacity + 16) / tree_type::segment < threads, "one segment per thread");
    using scan = cub::BlockScan<std::uint64_t, threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename scan::TempStorage scratch;
    std::uint64_t sum = 0;
    unsigned const begin = threadIdx.x * tree_type::segment;
    for (unsigned i = begin; i < begin + tree_type::segment && i < size; ++i) sum += rows_[i];
    scan(scratch).ExclusiveSum(sum, sum);
    if (threadIdx.x < room.segments()) segment_sums_[threadIdx.x] = before + sum;
    __syncthreads();
  }

  template <int Count>
  __device__ __forceinline__ void lower_bounds(Key const (&probes)[Count], unsigned (&at)[Count]) const {
    tree_.lower_bounds(probes, at);
  }

  /// Writes the answers to a probe.
  /// @param at the index of the first key not less than it
  __device__ __forceinline__ void answer(search_op op, bucket_edges<Key, Row> const& edges, std::uint64_t position,
                                         Key probe, unsigned at, partitioned_answers<Key, Row> const& answers) const {
    if constexpr (Task == bucket_task::sum) {
      if (op == search_op::sum_up_to) {
        at = end_of_prefix_near(at, size, [&](unsigned i) { return key(i) == probe; });
      }
      std::uint64_t sum = segment_sums_[at / tree_type::segment];
      for (unsigned i = at / tree_type::segment * tree_type::segment; i < at; ++i) sum += rows_[i];
      static_cast<std::uint64_t*>(answers.answers)[position] = sum;
    } else {
      put_answer<Task>(*this, op, edges, position, probe, at, answers);
    }
  }

  __device__ __forceinline__ Key key(unsigned i) const { return tree_.keys[i]; }
  __device__ __forceinline__ Row row(std::uint64_t i) const {
    return has_rows && i < size ? rows_[i] : index_.row(first + i);
  }
  __device__ __forceinline__ std::uint64_t rank(std::uint64_t i) const { return index_.around.before + first + i; }

  std::uint64_t const first;  ///< the rank of the first entry
  unsigned const size;

 private:
  entries const& index_;
  Key const* const keys_;
  Key* const key_room_;
  Row* const row_room_;
  Row const* rows_;
  std::uint64_t* const segment_sums_;
  tree_type tree_;
  incoming<Key> keys_on_way_;
  incoming<Row> rows_on_way_;
};

/// Searches chunks of partitioned probes, each block one after the other. Each thread runs `flight` searches side by
/// side; it loads the first probes while the keys of the bucket arrive.
/// @param keys where blocks load keys from: those of the index, or a copy of some of them, addressed by ranks too
/// @param first_chunk, end_chunk the chunks are [*first_chunk, *end_chunk)
/// @param sums for sums: of the rows before each bucket
template <class Key, class Row, class Slots, bucket_task Task>
__global__ void __launch_bounds__(search_shape<Key, Task>.threads, search_shape<Key, Task>.blocks)
    bucket_search_kernel(__grid_constant__ bucket_entries<Key, Row, Slots> const index, Key const* __restrict__ keys,
                         std::uint64_t const* __restrict__ borders, bucket_room const room, search_op op,
                         bucket_chunk const* __restrict__ chunks, std::uint32_t const* first_chunk,
                         std::uint32_t const* end_chunk, std::uint64_t const* __restrict__ sums,
                         Key const* __restrict__ probes, partitioned_answers<Key, Row> const answers) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ copy_barrier arrived[2];
  __shared__ bucket_edges<Key, Row> edges;
  constexpr int flight = search_shape<Key, Task>.flight;
  constexpr int threads = search_shape<Key, Task>.threads;
  std::uint32_t const end = *end_chunk;
  if (threadIdx.x == 0)
    for (copy_barrier& barrier : arrived) barrier.set_up();
  bool odd = false;
  for (std::uint32_t number = *first_chunk + blockIdx.x; number < end; number += gridDim.x) {
    bucket_chunk const chunk = chunks[number];
    std::uint64_t const first = borders[chunk.bucket];
    std::uint64_t const last = min(borders[chunk.bucket + 1] + 1, index.size);
    bucket_search<Key, Row, Slots, Task> bucket(index, keys, room, first, last, shared_bytes);

    // 1. Load.
    bucket.start_load(arrived);
    Key wanted[flight];
    auto const take = [&](unsigned i) {
#pragma unroll
      for (int j = 0; j < flight; ++j) {
        unsigned const p = i + j * threads;
        wanted[j] = p < chunk.size ? probes[chunk.first + p] : Key{0};
      }
    };
    take(threadIdx.x);
    if constexpr (Task == bucket_task::rank || Task == bucket_task::nearest || Task == bucket_task::sparse_nearest)
      if (threadIdx.x == threads - 1) edges.template find<Task>(index, op, answers.rule, first, last);
    bucket.finish_load(arrived, odd);
    odd = !odd;
    if constexpr (Task == bucket_task::sum) bucket.sum_segments(room, sums[chunk.bucket]);

    // 2. Search and answer.
    for (unsigned i = threadIdx.x; i < chunk.size; i += threads * flight) {
      unsigned at[flight];
      bucket.lower_bounds(wanted, at);
#pragma unroll
      for (int j = 0; j < flight; ++j) {
        unsigned const p = i + j * threads;
        if (p < chunk.size && index.around.answers(wanted[j]))
          bucket.answer(op, edges, chunk.first + p, wanted[j], at[j], answers);
      }
      take(i + threads * flight);
    }
    copy_barrier::let_overwrite();
    __syncthreads();
  }
}

/// Sums the row ids of each bucket, one block per bucket.
template <class Row, class Slots>
__global__ void __launch_bounds__(tuning::stream_threads)
    sum_bucket_kernel(Row const* __restrict__ rows, __grid_constant__ Slots const slots,
                      std::uint64_t const* __restrict__ borders, std::uint64_t* __restrict__ sums) {
  using reduce = cub::BlockReduce<std::uint64_t, tuning::stream_threads>;
  __shared__ typename reduce::TempStorage scratch;
  std::uint64_t const first = borders[blockIdx.x];
  std::uint64_t const last = borders[blockIdx.x + 1];
  auto const part = slots.part_of(first, last);
  std::uint64_t sum = 0;
#pragma unroll 4
  for (auto i = threadIdx.x; i < static_cast<unsigned>(last - first); i += tuning::stream_threads)
    sum += rows[part(i).slot];
  sum = reduce(scratch).Sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace warpdex::cuda
