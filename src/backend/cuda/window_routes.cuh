// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>

#include <bit>

#include "backend/cuda/route.hpp"
#include "backend/cuda/window.cuh"
#include "backend/cuda/window_borders.cuh"

/// @file
/// Windows by reference, for keys of more than 8 bytes: what is partitioned is a route and the position of the probe.
/// A route is a number of 8 bytes whose order agrees with that of the keys, though several keys may share one. The
/// view's own search then takes the probes in the order of the partition. Answers are restored as in other windows.
namespace warpdex::cuda {

/// Type of the numbers by which windows partition the probes of a view.
template <class View>
using window_key = std::conditional_t<windows_by_reference<View>, std::uint64_t, typename View::key_type>;

/// Routes of numbers of 16 bytes: the leading 64 bits of those in which the keys of the index differ.
template <class View> struct router {
  u128 lowest = 0;
  int shift = 0;

  WDX_HD std::uint64_t operator()(View const&, u128 key) const {
    if (key <= lowest) return 0;
    u128 const route = (key - lowest) >> shift;
    return route >> 64 != 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(route);
  }
};

/// Routes of strings: the 8 bytes behind the beginning that all keys of the index share.
template <class View>
requires is_bytes<typename View::key_type>
struct router<View> {
  byte_key common{};  ///< what all keys of the index begin with

  WDX_HD std::uint64_t operator()(View const&, byte_key const& key) const {
    std::uint32_t const most = key.size < common.size ? key.size : common.size;
    std::uint32_t const same = common_bytes(key, common, 0, most);
    constexpr std::uint64_t above = ~std::uint64_t{0};
    if (same < most) return key.data[same] < common.data[same] ? 0 : above;
    // A key that equals what all keys share, because of its tail, is above none.
    if (key.size < common.size) return compare(key, common, most) <= 0 ? 0 : above;
    return word_at(key, common.size);
  }
};

/// The routes of the entries of an index, as `make_window_buckets` takes keys.
template <class View> struct route_entries {
  using key_type = std::uint64_t;
  using position = typename View::position;

  struct routes {
    View view;
    router<View> route;
    WDX_HD std::uint64_t key(std::uint64_t slot) const { return route(view, view.pairs.key(slot)); }
  };
  routes pairs;
  std::uint64_t size;

  WDX_HD std::uint64_t slot_of(std::uint64_t rank) const { return pairs.view.slot_of(static_cast<position>(rank)); }
};

/// Copies the first and the last key of an index.
template <class View> struct take_ends {
  View view;
  u128* ends;
  WDX_HD void operator()(std::uint64_t i) const { ends[i] = view.pairs.key(view.slot_of(i == 0 ? 0 : view.size - 1)); }
};

/// Finds what the strings of an index begin with: what the first and the last of them share.
template <class View> struct take_common {
  View view;
  byte_key* common;
  WDX_HD void operator()(std::uint64_t) const {
    byte_key const first = view.pairs.key(0);
    byte_key const last = view.pairs.key(view.size - 1);
    *common = first;
    common->size = common_bytes(first, last, 0, first.size < last.size ? first.size : last.size);
  }
};

/// Synchronises.
template <class View> router<View> make_router(View const& view, execution const& exec) {
  if constexpr (is_bytes<typename View::key_type>) {
    router<View> made;
    buffer const common(sizeof(byte_key), exec);
    for_each(exec, 1, take_common<View>{view, common.as<byte_key>()});
    cuda_backend().copy(&made.common, common.data(), sizeof(byte_key), exec);
    cuda_backend().synchronize(exec);
    return made;
  } else {
    buffer const sampled(2 * sizeof(u128), exec);
    for_each(exec, 2, take_ends<View>{view, sampled.as<u128>()});
    u128 ends[2];
    cuda_backend().copy(ends, sampled.data(), sizeof(ends), exec);
    cuda_backend().synchronize(exec);
    auto const high = static_cast<std::uint64_t>((ends[1] - ends[0]) >> 64);
    return {ends[0], static_cast<int>(std::bit_width(high))};
  }
}

/// Computes the routes of probes.
template <class View> struct find_route {
  View view;
  router<View> route;
  point_batch batch;
  std::uint64_t* routes;
  WDX_HD void operator()(std::uint64_t i) const {
    using Key = typename View::key_type;
    routes[i] = route(view, encode(batch.codec, load_element<Key>(batch.probes, i)));
  }
};

/// Runs a batch of points. The answers of a batch that may be answered in any order come in the order of the probes.
/// @param search searches a batch in the order that it names, without windows
/// @return as `for_each_window`
template <class View, class Search>
bool point_by_reference(View const& view, router<View> const& route, window_buckets<std::uint64_t> const& buckets,
                        point_batch const& batch, execution const& exec, Search const& search) {
  using Key = typename View::key_type;
  std::size_t const width = answer_bytes<View>(batch.op);
  bool const restores = batch.keys == nullptr;  // keys of 16 bytes go to their places at once, and rows with them
  std::uint64_t const most = std::min<std::uint64_t>(batch.size, tuning::window_probes);
  buffer moved;
  try {
    moved = buffer(most * (sizeof(std::uint64_t) + (restores ? 0 : sizeof(std::uint32_t))), exec);
  } catch (out_of_memory const&) {
    return false;
  }
  auto* const routes = moved.as<std::uint64_t>();
  auto const run = [&](std::uint64_t first, window_scratch scratch) {
    point_batch part = part_of<Key>(batch, first, scratch.size, width);
    for_each(exec, part.size, find_route<View>{view, route, part, routes});
    if (part.positions != nullptr) for_each(exec, part.size, number_positions{part.positions, part.first_position});
    part.positions = nullptr;
    if (!restores) scratch.level[scratch.levels - 1].positions = reinterpret_cast<std::uint32_t*>(routes + most);
    partition_window<std::uint64_t>(buckets, scratch, {}, routes, exec);
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
  return for_each_window<std::uint64_t>(buckets.geometry, batch.size, {restores ? width : 0, 0, restores}, exec, run);
}

}  // namespace warpdex::cuda
