// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/search/lane_tile.cuh>

#include <string>

#include "backend/cuda/cuda_loops.cuh"
#include "backend/cuda/device_limits.hpp"
#include "backend/cuda/search/block_search.cuh"
#include "backend/cuda/search/kernels.cuh"
#include "backend/cuda/search/route.hpp"
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window.cuh"
#include "backend/cuda/windows/window_borders.cuh"
#include "backend/cuda/windows/window_routes.cuh"
#include "batch/batch.hpp"
#include "batch/policy.hpp"
#include "batch/research.hpp"
#include "batch/tuning_table.hpp"

namespace warpdex {

/// Runs batches on the current CUDA device, asynchronously on the call's stream, as route.hpp decides.
struct cuda_engine : cuda_loops {
  struct no_router {};

  /// State of an index that all its batches share.
  template <class View> struct index_state {
    cuda::window_buckets<window_key<View>> buckets;  ///< present if batches may run in windows
    std::conditional_t<windows_by_reference<View>, router_for<View>, no_router> route;
    policy tuned;         ///< the policy for large batches without windows
    bool remote = false;  ///< whether the keys are in host memory

    std::size_t bytes() const { return buckets.bytes(); }
    void outlive_stream() noexcept {
      buckets.borders.outlive_stream();
      buckets.splitters.outlive_stream();
    }
  };

  /// Makes the state of an index. Synchronises.
  /// @param entries the entries of a view with ranks (structures/entries.hpp)
  /// @param resolved the resolved spec of the index, under which the tuning table lists it
  /// @param remote whether the keys are in host memory, which searches read over the link
  template <class View, class Entries>
  static index_state<View> prepare(View const& view, [[maybe_unused]] Entries const& entries, policy const& request,
                                   spec const& resolved, execution const& exec, bool remote) {
    using Key = window_key<View>;
    index_state<View> state;
    state.tuned =
        tuned(request, cuda::tuning_of_current_device(), resolved, 8 * int{sizeof(typename View::key_type)}, view.size);
    state.remote = remote;
    if (!cuda::may_use_windows(cuda::facts_of(view, remote), request)) return state;
    if (!cuda::can_partition(sizeof(Key))) return state;
    if constexpr (windows_by_reference<View>) state.route = cuda::make_router(view, exec);
    if constexpr (!View::traits.ranked) state.buckets = cuda::make_window_buckets_of_hashes<Key>(view.size);
    else if constexpr (windows_by_reference<View>)
      state.buckets =
          cuda::make_window_buckets(cuda::route_entries<View>{{view, state.route}, view.size}, remote, exec);
    else state.buckets = cuda::make_window_buckets(entries, remote, exec);
    return state;
  }

  /// @return the smallest batch that costs no more per probe than larger ones, as far as the index decides it. Windows
  /// over sorted columns read the whole columns, however few probes there are
  template <class View>
  static std::uint64_t efficient_batch(View const& view, index_state<View> const& state) noexcept {
    bool const reads_all = cuda::columns_of(view) && state.buckets.present() && !state.remote;
    return reads_all ? view.size / cuda::tuning::stream_entries_per_probe : 1;
  }

  /// What runs without windows and blocks: each search by itself.
  struct plain_search {
    /// @param threads per block; 0 for the usual number
    template <class View>
    static void point(View const& view, point_batch const& batch, execution const& exec, int lanes, int threads) {
      auto* const kernel = with_group<View>(lanes, [&]<class Group>() { return cuda::point_kernel<Group, View>; });
      cuda::launch_in_strides(kernel, batch.size * static_cast<unsigned>(lanes),
                              threads != 0 ? threads : cuda::tuning::search_threads, exec, view, batch);
    }

    template <class View>
    static void range(View const& view, range_batch const& batch, execution const& exec,
                      cuda::range_route const& route) {
      if constexpr (View::traits.ranked && View::traits.one_stretch)
        if (route.scan_lanes != route.lanes)
          return launch_range<single_lane, cuda::tuning::scan_lanes>(view, batch, route, exec);
      with_group<View>(route.lanes, [&]<class Group>() {
        if constexpr (View::traits.ranked) launch_range<Group, Group::lanes>(view, batch, route, exec);
        else
          cuda::launch_in_strides(cuda::count_kernel<Group, View>, batch.size * Group::lanes, route.threads, exec, view,
                                  batch);
      });
    }
  };

  /// @param plain as `plain_search`
  template <class View, class Plain = plain_search>
  static void point(View const& view, index_state<View> const& state, point_batch const& batch, policy const& request,
                    execution const& exec, Plain const& plain = {}) {
    auto const route = cuda::choose(cuda::facts_of(view, state.remote), batch.op, batch.size, request, state.tuned);
    if (route.in_windows && state.buckets.present() &&
        point_by_windows(view, state, batch, route, request, exec, plain))
      return;
    if (batch.positions != nullptr) for_each(exec, batch.size, number_positions{batch.positions, batch.first_position});
    if (!route.by_blocks) return plain.point(view, batch, exec, route.run.lanes, route.run.threads);
    if constexpr (is_bytes<typename View::key_type> && !View::traits.routes)
      throw unsupported("no search by blocks is compiled for nodes over keys of type bytes");
    else point_in_blocks(view, batch, route, exec);
  }

  /// @param plain as `plain_search`
  template <class View, class Plain = plain_search>
  static void range(View const& view, index_state<View> const& state, range_batch const& batch, policy const& request,
                    execution const& exec, Plain const& plain = {}) {
    auto const route = cuda::choose_ranges(cuda::facts_of(view, state.remote), cuda::op_of(batch), batch.size, request);
    if (route.in_windows && state.buckets.present())
      if (with_windows(view, state, route.tiles, exec, [&](auto const& windows) { return windows.range(batch); }))
        return;
    if constexpr (View::traits.ranked)
      if (route.by_bounds && state.buckets.present()) return range_by_bounds(view, state, batch, request, exec);
    if constexpr (windows_by_reference<View> && View::traits.ranked)
      if (route.in_windows && state.buckets.present() &&
          cuda::range_by_reference<typename View::key_type>(
              state.route, state.buckets, batch, exec,
              [&](range_batch const& part) { plain.range(view, part, exec, route); }))
        return;
    plain.range(view, batch, exec, route);
  }

  template <class View>
  static void fill(View const& view, fill_batch const& batch, policy const& request, execution const& exec) {
    auto const route = cuda::choose_fills(cuda::facts_of(view), request);
    auto const launch = [&]<class Group, int Lanes>() {
      cuda::launch_in_strides(cuda::fill_kernel<Group, Lanes, View>, batch.size * Group::lanes, route.threads, exec,
                              view, batch, route.share_above);
    };
    if constexpr (View::traits.one_stretch) launch.template operator()<single_lane, cuda::tuning::scan_lanes>();
    else launch.template operator()<usual_group<View>, usual_group<View>::lanes>();
    int const processors = cuda::limits_of_current_device().multiprocessors;
    cuda::launch(cuda::fill_tiles_kernel<View>, static_cast<unsigned>(processors * cuda::tuning::fill_blocks),
                 cuda::tuning::fill_threads, 0, exec, view, batch);
  }

 private:
  /// Runs a batch in the windows of a view whose buckets can be searched in shared memory.
  /// @param run called as run(windows) @return what `run` returns; false, with nothing done, for other views
  template <class View, class Run>
  static bool with_windows([[maybe_unused]] View const& view, [[maybe_unused]] index_state<View> const& state,
                           [[maybe_unused]] cuda::tile_choice tiles, [[maybe_unused]] execution const& exec,
                           [[maybe_unused]] Run const& run) {
    if constexpr (View::traits.ranked && View::pairs_type::kind == layout::soa && !windows_by_reference<View>) {
      auto const columns = cuda::columns_of(view);
      if (!columns) return false;
      return with_row(view.pairs.row_bytes() == 8 ? row_type::u64 : row_type::u32, [&]<class Row>() {
        return run(cuda::windows_of_buckets<typename View::key_type, Row>(state.buckets, *columns, tiles, exec));
      });
    }
    return false;
  }

  /// Finds the bounds of ranges by two batches of points, whose windows read no more than the keys on their paths.
  template <class View>
  static void range_by_bounds(View const& view, index_state<View> const& state, range_batch const& batch,
                              policy const& request, execution const& exec) {
    buffer const scratch(batch.first == nullptr ? batch.size * sizeof(std::uint64_t) : 0, exec);
    auto* const first = batch.first != nullptr ? batch.first : scratch.as<std::uint64_t>();
    auto const find = [&](search_op op, void const* bounds, std::uint64_t* ranks) {
      point(view, state, {op, batch.codec, bounds, batch.size, ranks, nullptr}, request, exec);
    };
    find(search_op::lower_bound, batch.lower, first);
    if (batch.counts == nullptr) return;
    find(search_op::upper_bound, batch.upper, batch.counts);
    for_each(exec, batch.size, cuda::count_between{first, batch.counts});
  }

  /// @return false, with nothing done, if there is no memory for windows
  template <class View, class Plain>
  static bool point_by_windows(View const& view, index_state<View> const& state, point_batch const& batch,
                               cuda::point_route const& route, policy const& request, execution const& exec,
                               Plain const& plain) {
    if (route.in_shared_memory)
      if (with_windows(view, state, route.tiles, exec, [&](auto const& windows) { return windows.point(batch); }))
        return true;
    auto const search = [&](point_batch const& part) {
      plain.point(view, part, exec, route.window_lanes, request.threads);
    };
    if constexpr (windows_by_reference<View>)
      return cuda::point_by_reference<View>(view, state.route, state.buckets, batch, exec, search);
    else return cuda::point_in_windows(view, state.buckets, batch, exec, search);
  }

  template <class View>
  using usual_group =
      std::conditional_t<View::traits.lanes == 1, single_lane, lane_tile<std::max(2, View::traits.lanes)>>;

  template <class View>
  static void point_in_blocks(View const& view, point_batch const& batch, cuda::point_route const& route,
                              execution const& exec) {
    if constexpr (research::block && View::traits.lanes != 1)
      if (route.run.lanes != 1)
        return cuda::point_by_blocks<usual_group<View>>(view, batch, route.run, route.pins, exec);
    if constexpr (research::block || View::traits.pinnable)
      cuda::point_by_blocks<single_lane>(view, batch, route.run, route.pins, exec);
  }

  /// Calls run.operator()<Group>() with a lane group of `lanes` lanes.
  /// @throws unsupported if there is no such group; the check of specs and `choose` keep this from happening
  template <class View, class Run> static auto with_group(int lanes, Run const& run) {
    if (lanes == 1) return run.template operator()<single_lane>();
    if (lanes == View::traits.lanes) return run.template operator()<usual_group<View>>();
    if constexpr (research::lanes && View::traits.any_lanes) {
      switch (lanes) {
        case 2: return run.template operator()<lane_tile<2>>();
        case 4: return run.template operator()<lane_tile<4>>();
        case 8: return run.template operator()<lane_tile<8>>();
        case 16: return run.template operator()<lane_tile<16>>();
        case 32: return run.template operator()<lane_tile<32>>();
        default: break;
      }
    }
    throw unsupported("no search by " + std::to_string(lanes) + " lanes is compiled for this index");
  }

  template <class Group, int Lanes, class View>
  static void launch_range(View const& view, range_batch const& batch, cuda::range_route const& route,
                           execution const& exec) {
    cuda::launch_in_strides(cuda::range_kernel<Group, Lanes, View>, (batch.size << route.spread_bits) * Group::lanes,
                            route.threads, exec, view, batch, route.spread_bits, route.share_above);
  }
};

}  // namespace warpdex
