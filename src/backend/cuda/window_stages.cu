// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/window_stages.hpp"

#include <algorithm>
#include <type_traits>

#include "backend/cuda/check.hpp"
#include "backend/cuda/device_limits.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/window_heavy.cuh"
#include "backend/cuda/window_partition.cuh"
#include "backend/cuda/window_restore.cuh"
#include "backend/cuda/window_search.cuh"

namespace warpdex::cuda {
namespace {

/// Static shared memory that a kernel may declare, besides the dynamic shared memory of its launch.
constexpr unsigned static_shared_bytes = 1024;

std::size_t most_shared_bytes() { return limits_of_current_device().shared_bytes_per_block - static_shared_bytes; }

/// Launches a kernel with dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch_stage(void (*kernel)(Parameters...), std::uint64_t blocks, int threads, std::size_t shared_bytes,
                  execution const& exec, Arguments const&... arguments) {
  // Always ask for the most: the attribute belongs to the kernel, and another thread may launch the same kernel with
  // more shared memory right after this call.
  if (shared_bytes != 0)
    WDX_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(most_shared_bytes())));
  launch(kernel, static_cast<unsigned>(blocks), threads, shared_bytes, exec, arguments...);
}

/// @return the blocks of `stream_threads` threads that have one warp for each of `count` items
std::uint64_t blocks_of_warps(std::uint64_t count) {
  constexpr std::uint64_t warps = tuning::stream_threads / 32;
  return (count + warps - 1) / warps;
}

void scan(window_level const& level, execution const& exec) {
  launch_stage(scan_kernel, (level.all_buckets + tuning::scan_threads - 1) / tuning::scan_threads, tuning::scan_threads,
               0, exec, level);
  launch_stage(cut_chunks_kernel, blocks_of_warps(level.all_buckets), tuning::stream_threads, 0, exec, level);
}

template <class Key, class Router>
void histogram(Key const* probes, std::uint64_t size, probe_encoding encoding, Router const& route,
               std::uint32_t buckets, heavy_hitters const& heavy, std::uint32_t* counts, execution const& exec) {
  std::size_t const bytes = counter_bytes(buckets) + route.shared_bytes() + heavy_room(heavy) * sizeof(Key);
  device_limits const& limits = limits_of_current_device();
  std::uint64_t const per_sm = 2 * bytes <= limits.shared_bytes_per_block ? 2 : 1;
  std::uint64_t const useful = (size + tuning::histogram_threads - 1) / tuning::histogram_threads;
  launch_stage(histogram_kernel<Key, Router>, std::min(useful, per_sm * static_cast<unsigned>(limits.multiprocessors)),
               tuning::histogram_threads, bytes, exec, probes, size, encoding, route, buckets, heavy, counts);
}

/// @param parents the level before this one, null for the first
template <class Key, class Router>
void partition(void const* in, std::uint64_t size, probe_encoding encoding, Router const& route,
               window_level const* parents, window_level const& level, heavy_hitters const& heavy,
               std::uint32_t first_position, execution const& exec) {
  bucket_chunk const* const chunks = parents == nullptr ? nullptr : parents->chunks;
  std::uint32_t const* const count = parents == nullptr ? nullptr : parents->chunk_begins + parents->all_buckets;
  std::uint32_t const* const positions = parents == nullptr ? nullptr : parents->positions;
  auto const kernel = level.positions != nullptr ? partition_kernel<Key, Router, way_back::positions>
                      : heavy.looked_for()       ? partition_kernel<Key, Router, way_back::indexes_or_leaders>
                                                 : partition_kernel<Key, Router, way_back::indexes>;
  launch_stage(kernel, level.tiles, tuning::tile_threads,
               partition_shared_bytes<Key>(level.buckets, route, level.positions != nullptr), exec,
               static_cast<Key const*>(in), size, encoding, route, chunks, count, level, heavy, positions,
               first_position);
}

/// @param first, second routers of the two levels
/// @param all router to the buckets of both levels at once; null if one block cannot count them all
template <class Key, class Router>
void partition_by(Router const& first, Router const& second, std::type_identity_t<Router> const* all,
                  window_scratch const& scratch, probe_encoding encoding, Key const* probes, execution const& exec) {
  window_level const& parents = scratch.level[0];
  window_level const& last = scratch.last();
  for (int l = 0; l < scratch.levels; ++l)
    WDX_CUDA_TRY(cudaMemsetAsync(scratch.level[l].counts, 0, sizeof(std::uint32_t) * scratch.level[l].all_buckets,
                                 exec.stream.get()));
  heavy_hitters const& heavy = scratch.heavy;
  if (heavy.looked_for())
    launch_stage(find_heavy_kernel<Key>, 1, tuning::heavy_threads, find_heavy_bytes<Key>, exec, probes, scratch.size,
                 encoding, heavy);
  bool const two = scratch.levels == 2;
  if (two && all != nullptr) {
    histogram(probes, scratch.size, encoding, *all, last.all_buckets, heavy, last.counts, exec);
    scan(last, exec);
    launch_stage(sum_children_kernel, blocks_of_warps(parents.buckets), tuning::stream_threads, 0, exec,
                 parents.buckets, last.buckets, last.counts, parents.counts);
  } else {
    histogram(probes, scratch.size, encoding, first, parents.buckets, heavy, parents.counts, exec);
  }
  scan(parents, exec);
  partition<Key>(probes, scratch.size, encoding, first, nullptr, parents, heavy, scratch.first_position, exec);
  if (!two) return;
  if (all == nullptr) {
    launch_stage(child_histogram_kernel<Key, Router>, parents.chunk_limit, tuning::tile_threads,
                 counter_bytes(last.buckets) + second.shared_bytes(), exec, parents, second, last.buckets, last.counts);
    scan(last, exec);
  }
  partition<Key>(parents.keys, scratch.size, probe_encoding{}, second, &parents, last, {}, 0, exec);
}

}  // namespace

template <class Key>
void partition_window(window_buckets<Key> const& buckets, window_scratch const& scratch, probe_encoding encoding,
                      void const* probes, execution const& exec) {
  bucket_geometry const& geometry = buckets.geometry;
  auto const* const from = static_cast<Key const*>(probes);
  if (buckets.linear()) {
    linear_router<Key> const first{buckets.map, geometry.child_bits, 0};
    linear_router<Key> const second{buckets.map, 0, geometry.children()};
    linear_router<Key> const all{buckets.map, 0, 0};
    bool const counts_all =
        geometry.buckets() <= tuning::most_buckets_counted &&
        counter_bytes(geometry.buckets()) + heavy_room(scratch.heavy) * sizeof(Key) <= most_shared_bytes();
    partition_by<Key>(first, second, counts_all ? &all : nullptr, scratch, encoding, from, exec);
  } else {
    auto const* const trees = buckets.splitters.template as<Key>();
    int depth = 0;
    while (1u << depth < geometry.parents) ++depth;
    splitter_router<Key> const first{trees, depth};
    splitter_router<Key> const second{trees + geometry.parents, geometry.child_bits};
    partition_by<Key>(first, second, nullptr, scratch, encoding, from, exec);
  }
}

template <class Key> void fill_free_places(window_scratch const& scratch, execution const& exec) {
  if (!scratch.heavy.looked_for()) return;
  launch_stage(fill_free_places_kernel<Key>, static_cast<unsigned>(limits_of_current_device().multiprocessors),
               tuning::stream_threads, 0, exec, scratch.last(), scratch.heavy, scratch.size);
}

template <class Answer> void restore_window(window_scratch const& scratch, void* out, execution const& exec) {
  for (int l = scratch.levels - 1; l >= 0; --l) {
    window_level const& level = scratch.level[l];
    window_level const* const before = l == 0 ? nullptr : &scratch.level[l - 1];
    bucket_chunk const* const chunks = before == nullptr ? nullptr : before->chunks;
    std::uint32_t const* const count = before == nullptr ? nullptr : before->chunk_begins + before->all_buckets;
    heavy_hitters const heavy = l == 0 ? scratch.heavy : heavy_hitters{};
    launch_stage(restore_kernel<Answer>, level.tiles, tuning::tile_threads,
                 restore_shared_bytes<Answer>(level.buckets, heavy), exec, scratch.size, chunks, count, level, heavy,
                 static_cast<Answer*>(before == nullptr ? out : before->answers));
  }
}

template <class Key, class Row> bool can_search_buckets(window_buckets<Key> const& buckets) {
  return buckets.largest <= tuning::bucket_capacity &&
         bucket_room::of(buckets.largest).bytes<Key, Row>() <= most_shared_bytes();
}

template <class Key, class Row>
void search_buckets(window_buckets<Key> const& buckets, sorted_columns<Key, Row> const& index,
                    window_scratch const& scratch, execution const& exec) {
  window_level const& level = scratch.last();
  bucket_room const room = bucket_room::of(buckets.largest);
  std::uint64_t const* const borders = buckets.borders.template as<std::uint64_t>();
  std::uint32_t const* const count = level.chunk_begins + level.all_buckets;
  auto const* const keys = static_cast<Key const*>(level.keys);
  bool const sparse = index.size * sizeof(Row) > scratch.size * tuning::row_bytes_a_sparse_probe;
  auto const search = [&](auto kernel, int threads, std::size_t bytes) {
    launch_stage(kernel, level.chunk_limit, threads, bytes, exec, index, borders, room, level.chunks, count, keys,
                 static_cast<Row*>(level.answers));
  };
  if (sparse) search(bucket_search_kernel<Key, Row, true>, tuning::sparse_search.threads, room.key_bytes<Key>());
  else search(bucket_search_kernel<Key, Row, false>, tuning::dense_search<Key>.threads, room.bytes<Key, Row>());
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template void partition_window(window_buckets<u32> const&, window_scratch const&, probe_encoding, void const*,
                               execution const&);
template void partition_window(window_buckets<u64> const&, window_scratch const&, probe_encoding, void const*,
                               execution const&);
template void fill_free_places<u32>(window_scratch const&, execution const&);
template void fill_free_places<u64>(window_scratch const&, execution const&);
template void restore_window<std::uint8_t>(window_scratch const&, void*, execution const&);
template void restore_window<u32>(window_scratch const&, void*, execution const&);
template void restore_window<u64>(window_scratch const&, void*, execution const&);

template bool can_search_buckets<u32, u32>(window_buckets<u32> const&);
template bool can_search_buckets<u32, u64>(window_buckets<u32> const&);
template bool can_search_buckets<u64, u32>(window_buckets<u64> const&);
template bool can_search_buckets<u64, u64>(window_buckets<u64> const&);
template void search_buckets(window_buckets<u32> const&, sorted_columns<u32, u32> const&, window_scratch const&,
                             execution const&);
template void search_buckets(window_buckets<u32> const&, sorted_columns<u32, u64> const&, window_scratch const&,
                             execution const&);
template void search_buckets(window_buckets<u64> const&, sorted_columns<u64, u32> const&, window_scratch const&,
                             execution const&);
template void search_buckets(window_buckets<u64> const&, sorted_columns<u64, u64> const&, window_scratch const&,
                             execution const&);

}  // namespace warpdex::cuda
