// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/search/route.hpp"
#include "backend/cuda/windows/window.cuh"
#include "backend/cuda/windows/window_borders.cuh"

/// @file
/// Windows by reference, for keys of more than 8 bytes: what is partitioned is a route (batch/router.hpp) and the
/// position of the probe. The view's own search then takes the probes in the order of the partition. Answers are
/// restored as in other windows.
namespace warpdex::cuda {

/// The routes of the entries of an index, as `make_window_buckets` takes keys.
template <class View> struct route_entries {
  using key_type = std::uint64_t;
  using position = typename View::position;

  struct routes {
    View view;
    router_for<View> route;
    WDX_HD std::uint64_t key(std::uint64_t slot) const { return route(view.pairs.key(slot)); }
  };
  routes pairs;
  std::uint64_t size;

  WDX_HD std::uint64_t slot_of(std::uint64_t rank) const { return pairs.view.slot_of(static_cast<position>(rank)); }
};

template <class View> struct take_router {
  View view;
  router_for<View>* to;
  WDX_HD void operator()(std::uint64_t) const { *to = router_of(view); }
};

/// Synchronises.
template <class View> router_for<View> make_router(View const& view, execution const& exec) {
  if constexpr (View::traits.routes) {
    return router_of(view);
  } else {
    router_for<View> result;
    buffer const on_device(sizeof(result), exec);
    for_each(exec, 1, take_router<View>{view, on_device.as<router_for<View>>()});
    cuda_backend().copy(&result, on_device.data(), sizeof(result), exec);
    cuda_backend().synchronize(exec);
    return result;
  }
}

/// Computes the routes of probes.
template <class Key, class Router> struct find_route {
  Router route;
  key_codec codec;
  void const* probes;
  std::uint64_t* routes;
  WDX_HD void operator()(std::uint64_t i) const { routes[i] = route(encode(codec, load_element<Key>(probes, i))); }
};

/// Partitions a batch by the routes of its probes, window after window.
/// @param answers `positions` must be set, or `first` be 0: then the positions of the probes are all that is left
/// @param run called as run(first probe, scratch); `scratch.last().positions` is the order in which to search
/// @return as `for_each_window`
template <class Key, class Router, class Run>
bool for_each_routed_window(Router const& route, window_buckets<std::uint64_t> const& buckets, key_codec codec,
                            void const* probes, std::uint64_t size, answer_widths answers, execution const& exec,
                            Run const& run) {
  std::uint64_t const most = std::min<std::uint64_t>(size, tuning::window_probes);
  buffer moved;
  try {
    moved = buffer(most * (sizeof(std::uint64_t) + (answers.positions ? 0 : sizeof(std::uint32_t))), exec);
  } catch (out_of_memory const&) {
    return false;
  }
  auto* const routes = moved.as<std::uint64_t>();
  return for_each_window<std::uint64_t>(
      buckets.geometry, size, answers, exec, [&](std::uint64_t first, window_scratch scratch) {
        for_each(exec, scratch.size,
                 find_route<Key, Router>{route, codec, static_cast<Key const*>(probes) + first, routes});
        if (!answers.positions)
          scratch.level[scratch.levels - 1].positions = reinterpret_cast<std::uint32_t*>(routes + most);
        partition_window<std::uint64_t>(buckets, scratch, {}, routes, exec);
        run(first, scratch);
      });
}

/// Runs a batch of points. The answers of a batch that may be answered in any order come in the order of the probes.
/// @param search searches a batch in the order that it names, without windows
/// @return as `for_each_window`
template <class View, class Search>
bool point_by_reference(View const& view, router_for<View> const& route, window_buckets<std::uint64_t> const& buckets,
                        point_batch const& batch, execution const& exec, Search const& search) {
  using Key = typename View::key_type;
  std::size_t const width = answer_bytes(view, batch.op);
  bool const restores = batch.keys == nullptr;  // keys of 16 bytes go to their places at once, and rows with them
  auto const run = [&](std::uint64_t first, window_scratch const& scratch) {
    point_batch part = part_of<Key>(batch, first, scratch.size, width);
    if (part.positions != nullptr) for_each(exec, part.size, number_positions{part.positions, part.first_position});
    part.positions = nullptr;
    part.order = scratch.last().positions;
    part.answers_in_order = restores;
    void* const out = part.out;
    if (restores) part.out = scratch.last().answers;
    search(part);
    if (!restores) return;
    auto const restore = [&]<class Answer>(Answer* to) {
      restore_window<Answer, Answer>(scratch, scratch.last().answers, nullptr, to, exec);
    };
    switch (width) {
      case 1: return restore(static_cast<std::uint8_t*>(out));
      case 4: return restore(static_cast<std::uint32_t*>(out));
      default: return restore(static_cast<std::uint64_t*>(out));
    }
  };
  return for_each_routed_window<Key>(route, buckets, batch.codec, batch.probes, batch.size,
                                     {restores ? width : 0, 0, restores}, exec, run);
}

/// Runs a batch of ranges in the order of their lower bounds: that of prefixes too. A range has at most two answers.
/// @param search searches a batch in the order that it names, without windows
/// @return as `for_each_window`
template <class Key, class Router, class Search>
bool range_by_reference(Router const& route, window_buckets<std::uint64_t> const& buckets, range_batch const& batch,
                        execution const& exec, Search const& search) {
  bool const has_both = batch.first != nullptr && (batch.counts != nullptr || batch.sums != nullptr);
  if (batch.counts != nullptr && batch.sums != nullptr) return false;
  auto const run = [&](std::uint64_t first, window_scratch const& scratch) {
    auto* const answers = static_cast<std::uint64_t*>(scratch.last().answers);
    auto* const ranks = has_both ? static_cast<std::uint64_t*>(scratch.more) : answers;
    range_batch part = batch;
    part.lower = static_cast<Key const*>(batch.lower) + first;
    part.upper = static_cast<Key const*>(batch.upper) + first;
    part.size = scratch.size;
    part.order = scratch.last().positions;
    if (batch.counts != nullptr) part.counts = answers;
    if (batch.sums != nullptr) part.sums = answers;
    if (batch.first != nullptr) part.first = ranks;
    search(part);
    auto const restore = [&](std::uint64_t const* from, std::uint64_t* to) {
      if (to != nullptr) restore_window<std::uint64_t, std::uint64_t>(scratch, from, nullptr, to + first, exec);
    };
    restore(answers, batch.counts);
    restore(answers, batch.sums);
    restore(ranks, batch.first);
  };
  constexpr std::size_t width = sizeof(std::uint64_t);
  return for_each_routed_window<Key>(route, buckets, batch.codec, batch.lower, batch.size,
                                     {width, has_both ? width : 0, true}, exec, run);
}

}  // namespace warpdex::cuda
