// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/search/tile_search.cuh"

#include <algorithm>

#include "backend/cuda/windows/window_launch.cuh"
#include "base/profiled.hpp"

namespace warpdex::cuda {
namespace {

template <class Key, class Row, class Run> void with_entries(sorted_view const& index, Run const& run) {
  with_slots<Row>(index.order, [&]<class Slots>() {
    run(bucket_entries<Key, Row, Slots>{static_cast<Key const*>(index.keys), static_cast<Row const*>(index.rows),
                                        index.size, Slots(index.order, index.size)});
  });
}

}  // namespace

template <class Key, class Row>
void sample_tiles(sorted_view const& index, key_codec codec, void const* probes, std::uint64_t size,
                  std::uint32_t* narrow, execution const& exec) {
  with_entries<Key, Row>(index, [&]<class Slots>(bucket_entries<Key, Row, Slots> const& entries) {
    launch_stage(sample_tiles_kernel<Key, Row, Slots>, 1, 32 * tuning::sampled_tiles, 0, exec, entries,
                 static_cast<unsigned>(tuning::narrow_slice_bytes / sizeof(Key)), codec,
                 static_cast<Key const*>(probes), size, narrow);
  });
}

template <class Key, class Row>
void search_tiles(window_buckets<Key> const& buckets, sorted_view const& index, search_op op, key_codec codec,
                  void const* probes, std::uint64_t size, placed_answers const& answers, std::uint32_t const* narrow,
                  execution const& exec) {
  profiled const range("tiles");
  constexpr std::size_t alignment = sizeof(uint4);  // it may leave that many bytes free before a slice
  border_hint<Key> hint;
  if (buckets.linear()) hint = {buckets.borders.template as<std::uint64_t>(), buckets.map};
  std::uint64_t const tiles = (size + probe_tile<Key>::size - 1) / probe_tile<Key>::size;
  auto const processors = static_cast<unsigned>(limits_of_current_device().multiprocessors);
  with_entries<Key, Row>(index, [&]<class Slots>(bucket_entries<Key, Row, Slots> const& entries) {
    auto const search = [&]<bucket_task Task>() {
      constexpr auto shape = tile_shape<Key, Task>;
      launch_stage(tile_search_kernel<Key, Row, Slots, Task>, std::min<std::uint64_t>(tiles, processors * shape.blocks),
                   tuning::tile_search_threads, shape.slice_bytes + alignment, exec, entries, hint,
                   static_cast<unsigned>(shape.slice_bytes / sizeof(Key)), op, static_cast<Key const*>(probes), size,
                   answers_in_place<Key, Row>{answers, codec}, narrow);
    };
    switch (op) {
      case search_op::contains:
      case search_op::lower_bound: return search.template operator()<bucket_task::lower>();
      case search_op::find: return search.template operator()<bucket_task::sparse_find>();
      case search_op::floor:
      case search_op::ceil:
      case search_op::nearest: return search.template operator()<bucket_task::sparse_nearest>();
      default: return search.template operator()<bucket_task::rank>();
    }
  });
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template void sample_tiles<u32, u32>(sorted_view const&, key_codec, void const*, u64, u32*, execution const&);
template void sample_tiles<u32, u64>(sorted_view const&, key_codec, void const*, u64, u32*, execution const&);
template void sample_tiles<u64, u32>(sorted_view const&, key_codec, void const*, u64, u32*, execution const&);
template void sample_tiles<u64, u64>(sorted_view const&, key_codec, void const*, u64, u32*, execution const&);
template void search_tiles<u32, u32>(window_buckets<u32> const&, sorted_view const&, search_op, key_codec, void const*,
                                     u64, placed_answers const&, u32 const*, execution const&);
template void search_tiles<u32, u64>(window_buckets<u32> const&, sorted_view const&, search_op, key_codec, void const*,
                                     u64, placed_answers const&, u32 const*, execution const&);
template void search_tiles<u64, u32>(window_buckets<u64> const&, sorted_view const&, search_op, key_codec, void const*,
                                     u64, placed_answers const&, u32 const*, execution const&);
template void search_tiles<u64, u64>(window_buckets<u64> const&, sorted_view const&, search_op, key_codec, void const*,
                                     u64, placed_answers const&, u32 const*, execution const&);

}  // namespace warpdex::cuda
