// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/windows/window_search.cuh"

#include <warpdex/error.hpp>

#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "backend/cuda/cub_calls.cuh"
#include "backend/cuda/host/streams.hpp"
#include "backend/cuda/windows/window_launch.cuh"
#include "backend/cuda/windows/window_stages.hpp"
#include "base/profiled.hpp"

namespace warpdex::cuda {

template <class Key, class Row> bool can_search_buckets(window_buckets<Key> const& buckets, search_op op) {
  bool const is_sum = op == search_op::sum_before || op == search_op::sum_up_to;
  return buckets.largest <= tuning::bucket_capacity && (buckets.linear() || !is_sum) &&
         bucket_room::of(buckets.largest).bytes<Key, Row, bucket_task::sum>() <= most_shared_bytes();
}

template <class Row>
void sum_rows_before_buckets(buffer const& borders, sorted_view const& index, std::uint64_t* sums,
                             execution const& exec) {
  profiled const range("sum rows");
  std::uint64_t const buckets = borders.bytes() / sizeof(std::uint64_t) - 1;
  with_slots<Row>(index.order, [&]<class Slots>() {
    launch_stage(sum_bucket_kernel<Row, Slots>, buckets, tuning::stream_threads, 0, exec,
                 static_cast<Row const*>(index.rows), Slots(index.order, index.size),
                 borders.template as<std::uint64_t>(), sums);
  });
  prepare_cub();
  std::size_t bytes = 0;
  WDX_CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, bytes, sums, sums, buckets, exec.stream.get()));
  buffer const scratch(bytes, exec);
  WDX_CUDA_TRY(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, sums, sums, buckets, exec.stream.get()));
}

namespace {

/// Buckets whose keys are loaded from one array.
template <class Key> struct searched_buckets {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint64_t chunks;  ///< of probes, at most
  Key const* keys;       ///< addressed by ranks
};

/// Copies the keys of an index over host memory to the device, one stretch after the other, and calls
/// search(searched_buckets) for each. While a stretch is searched the next one is copied. A stretch where few buckets
/// have probes is not copied: blocks load these buckets over the link, at about half of its rate. Waits for the
/// partition.
/// @return false, with nothing done, if there is no memory for two stretches, or if the stream records a graph, which
/// would keep the second stream
template <class Key, class Search>
bool search_in_stretches(std::vector<std::uint64_t> const& borders, Key const* keys, window_level const& level,
                         execution const& exec, Search const& search) {
  if (is_recorded(exec.stream.get())) return false;
  // A block also loads the key after its bucket. Stretches begin and end at multiples of `aligned`, and so do their
  // places on the device, because blocks copy whole vectors.
  constexpr std::uint64_t aligned = 16;
  constexpr std::uint64_t capacity = tuning::bucket_capacity;
  static_assert(capacity % aligned == 0);
  std::uint64_t const most_keys = std::clamp<std::uint64_t>(borders.back() / tuning::least_stretches, capacity,
                                                            tuning::stretch_bytes / sizeof(Key)) /
                                  aligned * aligned;
  std::uint64_t const room = most_keys + capacity + 2 * aligned;
  buffer memory;
  try {
    memory = buffer(2 * room * sizeof(Key), exec);
  } catch (out_of_memory const&) {
    return false;
  }
  side_stream const copies;
  event copied[2], searched[2];
  std::vector<std::uint32_t> chunk_begins(borders.size());
  read_back(chunk_begins.data(), level.chunk_begins, chunk_begins.size() * sizeof(std::uint32_t), exec.stream.get());
  auto const buckets = static_cast<std::uint32_t>(borders.size() - 1);
  // Adjacent stretches that are not copied are searched together.
  std::uint32_t loaded = 0;  // the first bucket of those that wait for it
  auto const load_up_to = [&](std::uint32_t end) {
    std::uint32_t const chunks = chunk_begins[end] - chunk_begins[loaded];
    if (chunks != 0) search(searched_buckets<Key>{loaded, end, chunks, keys});
  };
  int slot = 0;
  try {
    for (std::uint32_t begin = 0, end = 0; begin < buckets; begin = end) {
      auto const behind = std::upper_bound(borders.begin() + begin + 1, borders.end(), borders[begin] + most_keys);
      end = std::max(begin + 1, static_cast<std::uint32_t>(behind - borders.begin()) - 1);
      std::uint32_t const chunks = chunk_begins[end] - chunk_begins[begin];
      if (chunks * tuning::copied_from_share < end - begin) continue;
      load_up_to(begin);
      loaded = end;
      std::uint64_t const first = borders[begin] / aligned * aligned;
      std::uint64_t const last = std::min((borders[end] + aligned) / aligned * aligned, borders.back());
      Key* const copy = memory.as<Key>() + slot * room;
      searched[slot].hold(copies);
      WDX_CUDA_TRY(cudaMemcpyAsync(copy, keys + first, (last - first) * sizeof(Key), cudaMemcpyDefault, copies));
      copied[slot].record(copies);
      copied[slot].hold(exec.stream.get());
      search(searched_buckets<Key>{begin, end, chunks, copy - first});
      searched[slot].record(exec.stream.get());
      slot = 1 - slot;
    }
    load_up_to(buckets);
  } catch (...) {
    if (cudaStreamSynchronize(copies) != cudaSuccess) cudaGetLastError();  // or it might still write to the memory
    throw;
  }
  return true;
}

/// Entries whose buckets are searched.
template <class Key, class Row> struct bucketed_entries {
  sorted_view entries;
  std::uint64_t const* borders;  ///< addressed by the numbers of buckets
  std::uint64_t largest;
  shard_surroundings<Key, Row> around = {};
};

/// Calls run(launch), which calls launch(searched_buckets) for buckets that are to be searched.
template <class Key, class Row, class Run>
void with_search(bucketed_entries<Key, Row> const& from, search_op op, std::uint64_t const* sums,
                 window_scratch const& scratch, execution const& exec, Run const& run) {
  profiled const range("search");
  window_level const& level = scratch.last();
  bucket_room const room = bucket_room::of(from.largest);
  sorted_view const& index = from.entries;
  with_slots<Row>(index.order, [&]<class Slots>() {
    bucket_entries<Key, Row, Slots> const entries{static_cast<Key const*>(index.keys),
                                                  static_cast<Row const*>(index.rows), index.size,
                                                  Slots(index.order, index.size), from.around};
    auto const search = [&]<bucket_task Task>() {
      run([&](searched_buckets<Key> const& part) {
        launch_stage(bucket_search_kernel<Key, Row, Slots, Task>,
                     blocks_for_tiles(part.chunks, search_shape<Key, Task>.blocks), search_shape<Key, Task>.threads,
                     room.bytes<Key, Row, Task>(), exec, entries, part.keys, from.borders, room, op, level.chunks,
                     level.chunk_begins + part.begin, level.chunk_begins + part.end, sums,
                     static_cast<Key const*>(level.keys),
                     partitioned_answers<Key, Row>{level.answers, scratch.more, scratch.rule});
      });
    };
    bool const sparse =
        index.rows == nullptr || index.size * sizeof(Row) > scratch.size * tuning::row_bytes_a_sparse_probe;
    switch (op) {
      case search_op::find:
        return sparse ? search.template operator()<bucket_task::sparse_find>()
                      : search.template operator()<bucket_task::find>();
      case search_op::floor:
      case search_op::ceil:
      case search_op::nearest:
        return sparse ? search.template operator()<bucket_task::sparse_nearest>()
                      : search.template operator()<bucket_task::nearest>();
      case search_op::sum_before:
      case search_op::sum_up_to: return search.template operator()<bucket_task::sum>();
      default: return search.template operator()<bucket_task::rank>();
    }
  });
}

}  // namespace

template <class Key, class Row>
void search_buckets(window_buckets<Key> const& buckets, sorted_view const& index, search_op op,
                    std::uint64_t const* sums, window_scratch const& scratch, execution const& exec) {
  window_level const& level = scratch.last();
  auto const* const keys = static_cast<Key const*>(index.keys);
  bucketed_entries<Key, Row> const from{index, buckets.borders.template as<std::uint64_t>(), buckets.largest};
  with_search(from, op, sums, scratch, exec, [&](auto const& launch) {
    bool const remote = !buckets.host_borders.empty();
    if (remote && search_in_stretches(buckets.host_borders, keys, level, exec, launch)) return;
    launch(searched_buckets<Key>{0, level.all_buckets, level.chunk_limit, keys});
  });
}

template <class Key, class Row>
void search_buckets(shard_buckets<Key, Row> const& shard, search_op op, window_scratch const& scratch,
                    execution const& exec) {
  window_scratch here = scratch;
  window_level& level = here.level[here.levels - 1];
  // Blocks that have nothing to do find it out in their own memory.
  buffer const chunks(std::uint64_t{level.chunk_limit} * sizeof(bucket_chunk), exec);
  buffer const begins((std::uint64_t{level.all_buckets} + 1) * sizeof(std::uint32_t), exec);
  auto const copy = [&](buffer const& to, void const* from) {
    WDX_CUDA_TRY(cudaMemcpyAsync(to.data(), from, to.bytes(), cudaMemcpyDefault, exec.stream.get()));
  };
  copy(chunks, level.chunks);
  copy(begins, level.chunk_begins);
  level.chunks = chunks.template as<bucket_chunk>();
  level.chunk_begins = begins.template as<std::uint32_t>();
  std::uint64_t const most = std::min<std::uint64_t>(level.chunk_limit, shard.count + here.size / level.chunk_size);
  bucketed_entries<Key, Row> const from{shard.entries, shard.borders.template as<std::uint64_t>(), shard.largest,
                                        shard.around};
  auto const* const keys = static_cast<Key const*>(shard.entries.keys);
  with_search(from, op, nullptr, here, exec, [&](auto const& launch) {
    launch(searched_buckets<Key>{shard.first, shard.first + shard.count, most, keys});
  });
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template bool can_search_buckets<u32, u32>(window_buckets<u32> const&, search_op);
template bool can_search_buckets<u32, u64>(window_buckets<u32> const&, search_op);
template bool can_search_buckets<u64, u32>(window_buckets<u64> const&, search_op);
template bool can_search_buckets<u64, u64>(window_buckets<u64> const&, search_op);
template void sum_rows_before_buckets<u32>(buffer const&, sorted_view const&, u64*, execution const&);
template void sum_rows_before_buckets<u64>(buffer const&, sorted_view const&, u64*, execution const&);
template void search_buckets<u32, u32>(window_buckets<u32> const&, sorted_view const&, search_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets<u32, u64>(window_buckets<u32> const&, sorted_view const&, search_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets<u64, u32>(window_buckets<u64> const&, sorted_view const&, search_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets<u64, u64>(window_buckets<u64> const&, sorted_view const&, search_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets(shard_buckets<u32, u32> const&, search_op, window_scratch const&, execution const&);
template void search_buckets(shard_buckets<u32, u64> const&, search_op, window_scratch const&, execution const&);
template void search_buckets(shard_buckets<u64, u32> const&, search_op, window_scratch const&, execution const&);
template void search_buckets(shard_buckets<u64, u64> const&, search_op, window_scratch const&, execution const&);

}  // namespace warpdex::cuda
