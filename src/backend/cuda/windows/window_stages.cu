// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/windows/window_stages.hpp"

#include <algorithm>
#include <type_traits>

#include "backend/cuda/windows/window_heavy.cuh"
#include "backend/cuda/windows/window_launch.cuh"
#include "backend/cuda/windows/window_partition.cuh"
#include "backend/cuda/windows/window_restore.cuh"
#include "base/profiled.hpp"

namespace warpdex::cuda {
namespace {

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
               std::uint32_t buckets, window_scratch const& scratch, std::uint32_t* counts, execution const& exec) {
  heavy_hitters const& heavy = scratch.heavy;
  std::size_t const bytes = counter_bytes(buckets) + route.shared_bytes() + heavy_room(heavy) * sizeof(Key);
  device_limits const& limits = limits_of_current_device();
  std::uint64_t const per_sm = 2 * bytes <= limits.shared_bytes_per_block ? 2 : 1;
  std::uint64_t const useful = (size + tuning::histogram_threads - 1) / tuning::histogram_threads;
  launch_stage(histogram_kernel<Key, Router>, std::min(useful, per_sm * static_cast<unsigned>(limits.multiprocessors)),
               tuning::histogram_threads, bytes, exec, probes, size, encoding, route, buckets, heavy, scratch.in_tiles,
               counts);
}

/// @param parents the level before this one, null for the first
template <class Key, class Router>
void partition(void const* in, std::uint64_t size, probe_encoding encoding, Router const& route,
               window_level const* parents, window_level const& level, heavy_hitters const& heavy,
               window_scratch const& scratch, execution const& exec) {
  bucket_chunk const* const chunks = parents == nullptr ? nullptr : parents->chunks;
  std::uint32_t const* const count = parents == nullptr ? nullptr : parents->chunk_begins + parents->all_buckets;
  std::uint32_t const* const positions = parents == nullptr ? nullptr : parents->positions;
  auto kernel = level.positions != nullptr ? partition_kernel<Key, Router, way_back::positions>
                                           : partition_kernel<Key, Router, way_back::indexes>;
  if constexpr (sizeof(Key) <= heavy_hitters::widest_key)
    if (heavy.looked_for()) kernel = partition_kernel<Key, Router, way_back::indexes_or_leaders>;
  if constexpr (sizeof(Key) == 8)  // routes
    if (level.positions != nullptr && level.tile_indexes != nullptr)
      kernel = partition_kernel<Key, Router, way_back::both>;
  launch_stage(kernel, blocks_for_tiles(level.tiles, tuning::partition_blocks<Key, Router::cheap>),
               tuning::tile_threads, partition_shared_bytes<Key>(level.buckets, route, level.positions != nullptr),
               exec, static_cast<Key const*>(in), size, encoding, route, chunks, count, level, heavy, positions,
               scratch.first_position, scratch.in_tiles);
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
  if constexpr (sizeof(Key) <= heavy_hitters::widest_key)
    if (heavy.looked_for())
      launch_stage(find_heavy_kernel<Key>, 1, tuning::heavy_threads, find_heavy_bytes<Key>, exec, probes, scratch.size,
                   encoding, heavy, scratch.in_tiles);
  bool const two_levels = scratch.levels == 2;
  if (two_levels && all != nullptr) {
    histogram(probes, scratch.size, encoding, *all, last.all_buckets, scratch, last.counts, exec);
    scan(last, exec);
    launch_stage(sum_children_kernel, blocks_of_warps(parents.buckets), tuning::stream_threads, 0, exec,
                 parents.buckets, last.buckets, last.counts, parents.counts);
  } else {
    histogram(probes, scratch.size, encoding, first, parents.buckets, scratch, parents.counts, exec);
  }
  scan(parents, exec);
  partition<Key>(probes, scratch.size, encoding, first, nullptr, parents, heavy, scratch, exec);
  if (!two_levels) return;
  if (all == nullptr) {
    launch_stage(child_histogram_kernel<Key, Router>, parents.chunk_limit, tuning::tile_threads,
                 counter_bytes(last.buckets) + second.shared_bytes(), exec, parents, second, last.buckets, last.counts);
    scan(last, exec);
  }
  partition<Key>(parents.keys, scratch.size, probe_encoding{}, second, &parents, last, {}, scratch, exec);
}

}  // namespace

bool can_partition(std::size_t key_bytes) {
  // Keys and positions of the tile, counts and shifts of its buckets.
  return (key_bytes + 4) * tuning::tile_size + std::size_t{tuning::most_buckets_a_level} * 8 <= most_shared_bytes();
}

template <class Key>
void partition_window(window_buckets<Key> const& buckets, window_scratch const& scratch, probe_encoding encoding,
                      void const* probes, execution const& exec) {
  profiled const range("partition");
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
  } else if constexpr (sizeof(Key) <= 8) {  // hashes of 16 bytes have linear borders
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

template <class Answer, class Out>
void restore_window(window_scratch const& scratch, void const* answers, Out const* less, Out* out,
                    execution const& exec, difference subtracts) {
  profiled const range("restore");
  auto const* from = static_cast<Answer const*>(answers);
  auto const restore = [&](int l, auto const* subtracted, auto* to) {
    using To = std::remove_pointer_t<decltype(to)>;
    window_level const& level = scratch.level[l];
    window_level const* const before = l == 0 ? nullptr : &scratch.level[l - 1];
    bucket_chunk const* const chunks = before == nullptr ? nullptr : before->chunks;
    std::uint32_t const* const count = before == nullptr ? nullptr : before->chunk_begins + before->all_buckets;
    heavy_hitters const heavy = l == 0 ? scratch.heavy : heavy_hitters{};
    launch_stage(restore_kernel<Answer, To>, blocks_for_tiles(level.tiles, tuning::restore_blocks),
                 tuning::tile_threads, restore_shared_bytes<Answer>(level.buckets, heavy), exec, scratch.size, chunks,
                 count, level, heavy, from, subtracted, subtracts, to, scratch.in_tiles);
  };
  if (scratch.levels == 2) {
    auto* const first = static_cast<Answer*>(scratch.level[0].answers);
    restore(1, static_cast<Answer const*>(nullptr), first);
    from = first;
  }
  restore(0, less, out);
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template void partition_window(window_buckets<u32> const&, window_scratch const&, probe_encoding, void const*,
                               execution const&);
template void partition_window(window_buckets<u64> const&, window_scratch const&, probe_encoding, void const*,
                               execution const&);
template void partition_window(window_buckets<u128> const&, window_scratch const&, probe_encoding, void const*,
                               execution const&);
template void fill_free_places<u128>(window_scratch const&, execution const&);
template void fill_free_places<u32>(window_scratch const&, execution const&);
template void fill_free_places<u64>(window_scratch const&, execution const&);
template void restore_window<std::uint8_t>(window_scratch const&, void const*, std::uint8_t const*, std::uint8_t*,
                                           execution const&, difference);
template void restore_window<u32>(window_scratch const&, void const*, u32 const*, u32*, execution const&, difference);
template void restore_window<u32>(window_scratch const&, void const*, u64 const*, u64*, execution const&, difference);
template void restore_window<u64>(window_scratch const&, void const*, u64 const*, u64*, execution const&, difference);

}  // namespace warpdex::cuda
