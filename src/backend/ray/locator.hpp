// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/foreign_rays.hpp>

#include "batch/answer.hpp"

namespace warpdex {

namespace detail {

/// Writes the target of a point operation.
template <class Key> struct write_point_target {
  point_batch batch;
  std::uint64_t begin;
  Key* to;
  WDX_HD void operator()(std::uint64_t i) const {
    to[i] = target_of(batch.op, encode(batch.codec, load_element<Key>(batch.probes, begin + i))).key;
  }
};

/// Answers a probe whose bucket is known.
template <class View> struct answer_in_bucket {
  View view;
  point_batch batch;
  std::uint64_t begin;
  std::uint32_t const* buckets;
  WDX_HD void operator()(std::uint64_t i) const {
    auto const probe = encode(batch.codec, load_element<typename View::key_type>(batch.probes, begin + i));
    auto const wanted = target_of(batch.op, probe);
    answer(view, batch, begin + i, wanted, run(view, view.start_in(wanted.key, buckets[i]), single_lane{}));
  }
};

template <class Key> struct write_range_target {
  range_batch batch;
  std::uint64_t begin;
  Key* to;
  WDX_HD void operator()(std::uint64_t i) const {
    to[i] = encode(batch.codec, load_element<Key>(batch.lower, begin + i));
  }
};

/// Answers a range whose first bucket is known.
template <class View> struct answer_range_in_bucket {
  View view;
  range_batch batch;
  std::uint64_t begin;
  std::uint32_t const* buckets;
  WDX_HD void operator()(std::uint64_t number) const {
    std::uint64_t const i = begin + number;
    auto const lower = encode(batch.codec, load_element<typename View::key_type>(batch.lower, i));
    answer_range_from(view, batch, i, run(view, view.start_in(lower, buckets[number]), single_lane{}).slot);
  }
};

}  // namespace detail

/// Answers a batch of points in a view over buckets. Synchronises.
/// Cost: the rays, a search in a bucket per probe, and two passes over the targets.
template <class Engine, class View>
void point_by_locator(View const& view, ray_locator const& by, point_batch const& batch, execution const& exec) {
  using Key = typename View::key_type;
  by.locate(
      batch.size, exec,
      [&](std::uint64_t begin, std::uint64_t count, void* targets) {
        Engine::for_each(exec, count, detail::write_point_target<Key>{batch, begin, static_cast<Key*>(targets)});
      },
      [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets) {
        Engine::for_each(exec, count, detail::answer_in_bucket<View>{view, batch, begin, buckets});
      });
}

/// Answers a batch of ranges. Synchronises. One thread reads the rows of a range.
template <class Engine, class View>
void range_by_locator(View const& view, ray_locator const& by, range_batch const& batch, execution const& exec) {
  using Key = typename View::key_type;
  by.locate(
      batch.size, exec,
      [&](std::uint64_t begin, std::uint64_t count, void* targets) {
        Engine::for_each(exec, count, detail::write_range_target<Key>{batch, begin, static_cast<Key*>(targets)});
      },
      [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets) {
        Engine::for_each(exec, count, detail::answer_range_in_bucket<View>{view, batch, begin, buckets});
      });
}

}  // namespace warpdex
