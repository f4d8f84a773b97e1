// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/lane_tile.cuh>
#include <warpdex/search/ordered.hpp>

#include <algorithm>
#include <cstdint>

#include "backend/cuda/block_search.cuh"
#include "backend/cuda/check.hpp"
#include "backend/cuda/device_limits.hpp"
#include "backend/cuda/kernels.cuh"
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/window.cuh"
#include "batch/batch.hpp"
#include "batch/policy.hpp"
#include "batch/tuning_table.hpp"

namespace warpdex {

/// Runs batches on the current CUDA device, asynchronously on the call's stream.
struct cuda_engine {
  static constexpr backend_kind kind = backend_kind::cuda;

  /// Calls f(i) for all i in [0, n), in parallel.
  template <class Function> static void for_each(execution const& exec, std::uint64_t n, Function const& f) {
    if (n == 0) return;
    cuda::for_each_kernel<<<stream_blocks(n), cuda::tuning::stream_threads, 0, exec.stream.get()>>>(n, f);
    WDX_CUDA_TRY(cudaGetLastError());
  }

  /// @return for how many i in [0, n) `f(i)` holds. Synchronises.
  template <class Predicate> static std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    if (n == 0) return 0;
    buffer counter(sizeof(unsigned long long), exec);
    WDX_CUDA_TRY(cudaMemsetAsync(counter.data(), 0, counter.bytes(), exec.stream.get()));
    unsigned const blocks = std::min(stream_blocks(n), cuda::tuning::most_counting_blocks);
    cuda::count_if_kernel<<<blocks, cuda::tuning::stream_threads, 0, exec.stream.get()>>>(
        n, f, counter.as<unsigned long long>());
    WDX_CUDA_TRY(cudaGetLastError());
    unsigned long long found = 0;
    WDX_CUDA_TRY(cudaMemcpyAsync(&found, counter.data(), sizeof(found), cudaMemcpyDeviceToHost, exec.stream.get()));
    WDX_CUDA_TRY(cudaStreamSynchronize(exec.stream.get()));
    return found;
  }

  /// What is made once with an index, for all of its batches.
  template <class Key> struct index_state {
    cuda::window_buckets<Key> buckets;  ///< if the policy may ask for windows
    policy tuned;                       ///< of large batches without windows

    std::size_t bytes() const { return buckets.bytes(); }
    void outlive_stream() noexcept {
      buckets.borders.outlive_stream();
      buckets.splitters.outlive_stream();
    }
  };

  /// Synchronises.
  /// @param entries of a view with ranks, see structures/entries.hpp
  /// @param resolved the index's spec, which its entry in the tuning table goes by
  template <class View, class Entries>
  static index_state<typename View::key_type> prepare(View const& view, [[maybe_unused]] Entries const& entries,
                                                      policy const& run, std::string const& resolved,
                                                      execution const& exec) {
    index_state<typename View::key_type> state;
    state.tuned =
        tuned(run, cuda::tuning_of_current_device(), resolved, 8 * int{sizeof(typename View::key_type)}, view.size);
    if (view.size == 0 || !may_use_windows(view, run)) return state;
    if constexpr (!has_windows<View>) return state;
    else if constexpr (View::traits.ranked)
      state.buckets = cuda::make_window_buckets(
          entries, exec, [&](std::uint64_t n, auto const& function) { for_each(exec, n, function); });
    else state.buckets = cuda::make_hash_buckets<typename View::key_type>(view.size);
    return state;
  }

  /// Windows over sorted columns read all of them, however few the probes.
  template <class View>
  static std::uint64_t efficient_batch(View const& view, index_state<typename View::key_type> const& state) noexcept {
    bool const reads_all = cuda::has_sorted_columns<View> && state.buckets.present();
    return reads_all ? view.size / cuda::tuning::stream_entries_a_probe : 1;
  }

  template <class View>
  static void point(View const& view, index_state<typename View::key_type> const& state, point_batch const& batch,
                    policy const& asked, execution const& exec) {
    if constexpr (has_windows<View>) {
      if (uses_windows(view, state.buckets, batch, asked)) {
        auto const search = [&](point_batch const& part) { point_plain(view, part, asked, exec); };
        if (cuda::point_in_windows(view, state.buckets, batch, exec, search)) return;
      }
    }
    policy const& run = batch.size >= tuned_from_probes ? state.tuned : asked;
    if (batch.positions != nullptr) for_each(exec, batch.size, number_positions{batch.positions, batch.first_position});
    bool const pins = pins_for(view, batch, run);
    bool const by_blocks = pins || run.sorts_in_blocks() || run.probes > 1 || run.schedule == policy::scheduling::fixed;
    if (!by_blocks) return point_plain(view, batch, run, exec);
    if constexpr (View::traits.lanes != 1)
      if (run.lanes > 1) return cuda::point_by_blocks<group_of<View>>(view, batch, run, pins, exec);
    cuda::point_by_blocks<single_lane>(view, batch, run, pins, exec);
  }

  template <class View>
  static void range(View const& view, range_batch const& batch, policy const& run, execution const& exec) {
    constexpr int lanes = group_of<View>::lanes;
    if constexpr (!View::traits.ranked) {
      unsigned const blocks = blocks_for(batch.size * lanes, cuda::tuning::search_threads);
      cuda::count_kernel<group_of<View>><<<blocks, cuda::tuning::search_threads, 0, exec.stream.get()>>>(view, batch);
      WDX_CUDA_TRY(cudaGetLastError());
    } else {
      bool const in_groups = run.lanes != 0 ? run.lanes != 1 : batch.size <= cuda::tuning::group_ranges_up_to;
      if constexpr (lanes != 1)
        if (in_groups) return range_in_groups<group_of<View>, lanes>(view, batch, run, exec);
      if constexpr (View::traits.one_stretch)  // else they are short, and a tile has to wait for its longest
        if (run.scan == policy::scanning::automatic)
          return range_in_groups<single_lane, cuda::tuning::scan_lanes>(view, batch, run, exec);
      range_in_groups<single_lane, 1>(view, batch, run, exec);
    }
  }

  template <class View>
  static void fill(View const& view, fill_batch const& batch, policy const& run, execution const& exec) {
    constexpr int threads = cuda::tuning::search_threads;
    cuda::fill_kernel<group_of<View>>
        <<<blocks_for(batch.size * group_of<View>::lanes, threads), threads, 0, exec.stream.get()>>>(
            view, batch, share_above<group_of<View>, group_of<View>::lanes>(run));
    WDX_CUDA_TRY(cudaGetLastError());
  }

 private:
  /// Slots of a stretch that a tile of `Lanes`, of one or more groups, scans alone.
  template <class Group, int Lanes> static std::uint64_t share_above(policy const& run) {
    namespace tuning = cuda::tuning;
    switch (run.scan) {
      case policy::scanning::group: return ~std::uint64_t{0};
      case policy::scanning::warp: return tuning::warp_scan_from;
      default: return Lanes == Group::lanes ? tuning::warp_scan_from * Lanes : tuning::warp_scan_from_in_tiles;
    }
  }

  /// Windows are compiled for keys of 4 and 8 bytes.
  template <class View> static constexpr bool has_windows = sizeof(typename View::key_type) <= 8;

  /// Bytes of pairs from which windows pay.
  template <class View> static std::uint64_t window_bytes(bool in_buckets) {
    if constexpr (!View::traits.ranked) return cuda::tuning::window_from_bytes_unordered;
    return in_buckets ? cuda::tuning::window_from_bytes_in_buckets : cuda::tuning::window_from_bytes;
  }

  template <class View> static bool may_use_windows(View const& view, policy const& run) {
    if (run.reorder != policy::reordering::automatic) return run.reorder == policy::reordering::window;
    bool const by_blocks =
        run.pin > policy::pinning::none || run.probes != 0 || run.schedule != policy::scheduling::automatic;
    return !by_blocks && view.size * std::uint64_t{View::pairs_type::bytes_per_pair} >=
                             window_bytes<View>(cuda::has_sorted_columns<View>);
  }

  template <class View>
  static bool uses_windows(View const& view, cuda::window_buckets<typename View::key_type> const& buckets,
                           point_batch const& batch, policy const& run) {
    namespace tuning = cuda::tuning;
    if (!buckets.present() || batch.size == 0 || batch.op == point_op::floor) return false;
    if (run.reorder == policy::reordering::window) return true;
    bool const in_buckets = cuda::has_sorted_columns<View> && batch.op == point_op::find;
    return view.size * std::uint64_t{View::pairs_type::bytes_per_pair} >= window_bytes<View>(in_buckets) &&
           batch.size >= (in_buckets ? tuning::window_from_probes_in_buckets : tuning::window_from_probes) &&
           batch.size >= view.size / tuning::window_entries_a_probe;
  }

  template <class View>
  static void point_plain(View const& view, point_batch const& batch, policy const& run, execution const& exec) {
    constexpr unsigned group = group_of<View>::lanes;
    bool const in_groups = run.lanes != 0 ? run.lanes != 1 : batch.size <= cuda::tuning::group_search_up_to;
    if constexpr (View::traits.any_lanes) {
      switch (run.lanes) {
        case 2: return point_in_groups<lane_tile<2>>(view, batch, run, exec);
        case 4: return point_in_groups<lane_tile<4>>(view, batch, run, exec);
        case 8: return point_in_groups<lane_tile<8>>(view, batch, run, exec);
        case 16: return point_in_groups<lane_tile<16>>(view, batch, run, exec);
        case 32: return point_in_groups<lane_tile<32>>(view, batch, run, exec);
        default: break;
      }
    }
    if constexpr (group != 1)
      if (in_groups) return point_in_groups<group_of<View>>(view, batch, run, exec);
    point_in_groups<single_lane>(view, batch, run, exec);
  }

  template <class Group, class View>
  static void point_in_groups(View const& view, point_batch const& batch, policy const& run, execution const& exec) {
    int const threads = run.threads != 0 ? run.threads : cuda::tuning::search_threads;
    cuda::point_kernel<Group>
        <<<blocks_for(batch.size * Group::lanes, threads), threads, 0, exec.stream.get()>>>(view, batch);
    WDX_CUDA_TRY(cudaGetLastError());
  }

  template <class Group, int Lanes, class View>
  static void range_in_groups(View const& view, range_batch const& batch, policy const& run, execution const& exec) {
    constexpr int threads = cuda::tuning::search_threads;
    cuda::range_kernel<Group, Lanes><<<blocks_for(batch.size * Group::lanes, threads), threads, 0, exec.stream.get()>>>(
        view, batch, share_above<Group, Lanes>(run));
    WDX_CUDA_TRY(cudaGetLastError());
  }

  template <class View> static bool pins_for(View const& view, point_batch const& batch, policy const& run) {
    namespace tuning = cuda::tuning;
    if constexpr (!View::traits.pinnable) return false;
    if (run.pin != policy::pinning::automatic) return run.pin != policy::pinning::none;
    return run.reorder <= policy::reordering::none && run.lanes <= 1 && batch.size >= tuning::pin_from_probes &&
           (View::traits.spread_top || view.size * std::uint64_t{View::pairs_type::bytes_per_pair} <= tuning::pin_small_index);
  }

  /// The usual group.
  template <class View>
  using group_of =
      std::conditional_t<View::traits.lanes == 1, single_lane, lane_tile<std::max(2, View::traits.lanes)>>;

  /// Enough blocks for one thread an element, or for several elements a thread if there are many.
  static unsigned stream_blocks(std::uint64_t n) {
    namespace tuning = cuda::tuning;
    std::uint64_t const items = n < tuning::stream_several_from ? 1 : tuning::streamed_numbers;
    return blocks_for((n + items - 1) / items, tuning::stream_threads);
  }

  /// Enough blocks for one thread an element, as far as a grid can grow; kernels loop for the rest.
  static unsigned blocks_for(std::uint64_t elements, int threads) {
    std::uint64_t const blocks =
        (elements + static_cast<std::uint64_t>(threads) - 1) / static_cast<std::uint64_t>(threads);
    return static_cast<unsigned>(std::min<std::uint64_t>(blocks, 0x7fffffff));
  }
};

}  // namespace warpdex
