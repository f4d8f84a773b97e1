// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/window_search.cuh"

#include <cub/device/device_scan.cuh>

#include "backend/cuda/prepare_cub.cuh"
#include "backend/cuda/window_launch.cuh"
#include "backend/cuda/window_stages.hpp"

namespace warpdex::cuda {

template <class Key, class Row> bool can_search_buckets(window_buckets<Key> const& buckets, bucket_op op) {
  bool const is_sum = op == bucket_op::sum_before || op == bucket_op::sum_up_to;
  return buckets.largest <= tuning::bucket_capacity && (buckets.linear() || !is_sum) &&
         bucket_room::of(buckets.largest).bytes<Key, Row, bucket_task::sum>() <= most_shared_bytes();
}

template <class Row>
void sum_rows_before_buckets(buffer const& borders, sorted_view const& index, std::uint64_t* sums,
                             execution const& exec) {
  std::uint64_t const buckets = borders.bytes() / sizeof(std::uint64_t) - 1;
  with_slots<Row>(index.order, {}, [&]<class Slots>() {
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

template <class Key, class Row>
void search_buckets(window_buckets<Key> const& buckets, sorted_view const& index, bucket_op op,
                    std::uint64_t const* sums, window_scratch const& scratch, execution const& exec) {
  window_level const& level = scratch.last();
  bucket_room const room = bucket_room::of(buckets.largest);
  with_slots<Row>(index.order, {}, [&]<class Slots>() {
    bucket_entries<Key, Row, Slots> const entries{static_cast<Key const*>(index.keys),
                                                  static_cast<Row const*>(index.rows), index.size,
                                                  Slots(index.order, index.size)};
    auto const search = [&]<bucket_task Task>() {
      launch_stage(bucket_search_kernel<Key, Row, Slots, Task>, level.chunk_limit, search_shape<Key, Task>.threads,
                   room.bytes<Key, Row, Task>(), exec, entries, buckets.borders.template as<std::uint64_t>(), room, op,
                   level.chunks, level.chunk_begins + level.all_buckets, sums, static_cast<Key const*>(level.keys),
                   level.answers, scratch.more);
    };
    bool const sparse =
        index.rows == nullptr || index.size * sizeof(Row) > scratch.size * tuning::row_bytes_a_sparse_probe;
    switch (op) {
      case bucket_op::find:
        return sparse ? search.template operator()<bucket_task::sparse_find>()
                      : search.template operator()<bucket_task::find>();
      case bucket_op::floor:
      case bucket_op::ceil:
        return sparse ? search.template operator()<bucket_task::sparse_nearest>()
                      : search.template operator()<bucket_task::nearest>();
      case bucket_op::sum_before:
      case bucket_op::sum_up_to: return search.template operator()<bucket_task::sum>();
      default: return search.template operator()<bucket_task::rank>();
    }
  });
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template bool can_search_buckets<u32, u32>(window_buckets<u32> const&, bucket_op);
template bool can_search_buckets<u32, u64>(window_buckets<u32> const&, bucket_op);
template bool can_search_buckets<u64, u32>(window_buckets<u64> const&, bucket_op);
template bool can_search_buckets<u64, u64>(window_buckets<u64> const&, bucket_op);
template void sum_rows_before_buckets<u32>(buffer const&, sorted_view const&, u64*, execution const&);
template void sum_rows_before_buckets<u64>(buffer const&, sorted_view const&, u64*, execution const&);
template void search_buckets<u32, u32>(window_buckets<u32> const&, sorted_view const&, bucket_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets<u32, u64>(window_buckets<u32> const&, sorted_view const&, bucket_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets<u64, u32>(window_buckets<u64> const&, sorted_view const&, bucket_op, u64 const*,
                                       window_scratch const&, execution const&);
template void search_buckets<u64, u64>(window_buckets<u64> const&, sorted_view const&, bucket_op, u64 const*,
                                       window_scratch const&, execution const&);

}  // namespace warpdex::cuda
