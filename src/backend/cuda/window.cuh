// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/ordered.hpp>

#include <algorithm>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/window_routers.cuh"
#include "backend/cuda/window_stages.hpp"
#include "batch/answer.hpp"
#include "batch/batch.hpp"

/// @file
/// Windows: a batch of probes is partitioned by key and searched, and the answers return to the order of the probes.
/// Adjacent searches then share the cache lines of their paths, or a whole bucket in shared memory.
///
///     probes --partition--> keys, bucket by bucket --search--> answers --restore--> answers of the probes
///
/// Partition, bucket search and restore are compiled once per width (window_stages.hpp). Where the buckets do not lie
/// in plain sorted arrays, the structure's own search takes the place of the bucket search.
namespace warpdex::cuda {

/// Samples for each bucket i the key of rank i * size / buckets, and at the end the largest key.
template <class Entries> struct sample_keys {
  Entries entries;
  std::uint32_t buckets;
  typename Entries::key_type* samples;

  __device__ void operator()(std::uint64_t i) const {
    std::uint64_t const rank = i == buckets ? entries.size - 1 : i * entries.size / buckets;
    samples[i] = entries.pairs.key(entries.slot_of(static_cast<typename Entries::position>(rank)));
  }
};

/// Finds the rank of the first key of each bucket with linear borders by binary search, and behind the last bucket the
/// size of the index.
template <class Entries> struct find_borders {
  Entries entries;
  linear_map<typename Entries::key_type> map;
  std::uint64_t* borders;

  __device__ void operator()(std::uint64_t bucket) const {
    std::uint64_t first = 0;
    std::uint64_t last = entries.size;
    while (first < last) {
      std::uint64_t const middle = first + (last - first) / 2;
      auto const key = entries.pairs.key(entries.slot_of(static_cast<typename Entries::position>(middle)));
      if (bucket_of(map, key) < bucket) first = middle + 1;
      else last = middle;
    }
    borders[bucket] = first;
  }
};

/// Cuts all hashes into buckets of equal width. As hashes are spread evenly, these hold about equal numbers of keys.
template <class Key> window_buckets<Key> make_window_buckets_of_hashes(std::uint64_t size) {
  window_buckets<Key> made;
  made.geometry = bucket_geometry_of(size, sizeof(Key));
  made.map = make_linear_map(Key{0}, static_cast<Key>(-1), made.geometry.buckets());
  return made;
}

/// Cuts the keys of an index into buckets of equal width or, if one of these were larger than `bucket_capacity`, into
/// buckets of equal size. Synchronises.
template <class Entries>
window_buckets<typename Entries::key_type> make_window_buckets(Entries const& entries, execution const& exec) {
  using Key = typename Entries::key_type;
  auto const& device = cuda_backend();
  window_buckets<Key> made;
  made.geometry = bucket_geometry_of(entries.size, sizeof(Key));
  std::uint32_t const count = made.geometry.buckets();
  std::vector<Key> samples(count + 1);
  std::vector<std::uint64_t> borders(count + 1);
  made.borders = buffer(borders.size() * sizeof(std::uint64_t), exec);
  auto const to_host = [&](auto& host, buffer const& from) {
    device.copy(host.data(), from.data(), from.bytes(), exec);
    device.synchronize(exec);
  };
  {
    buffer const sampled(samples.size() * sizeof(Key), exec);
    for_each(exec, samples.size(), sample_keys<Entries>{entries, count, sampled.template as<Key>()});
    to_host(samples, sampled);
  }
  made.map = make_linear_map(samples.front(), samples.back(), count);
  for_each(exec, borders.size(), find_borders<Entries>{entries, made.map, made.borders.template as<std::uint64_t>()});
  to_host(borders, made.borders);
  for (std::uint32_t b = 0; b < count; ++b) made.largest = std::max(made.largest, borders[b + 1] - borders[b]);
  if (made.largest > tuning::bucket_capacity) {
    made.largest = entries.size / count + 1;
    for (std::uint32_t b = 0; b < count; ++b) borders[b] = b * static_cast<std::uint64_t>(entries.size) / count;
    auto const trees = make_splitter_trees(samples, made.geometry);
    made.splitters = buffer(trees.size() * sizeof(Key), exec);
    device.copy(made.splitters.data(), trees.data(), made.splitters.bytes(), exec);
  }
  device.copy(made.borders.data(), borders.data(), made.borders.bytes(), exec);
  device.synchronize(exec);
  return made;
}

/// Runs one window whose scratch is laid out. If answers are not restored, the caller has also set answers and
/// positions of the last level.
template <class View, class Search>
void point_window(View const& view, window_buckets<typename View::key_type> const& buckets, point_batch const& batch,
                  [[maybe_unused]] bool in_shared_memory, window_scratch const& scratch, execution const& exec,
                  Search const& search) {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  probe_encoding encoding{batch.codec};
  if constexpr (!View::traits.ranked) encoding = {batch.codec, !batch.hashed, view.seed};
  partition_window<Key>(buckets, scratch, encoding, batch.probes, exec);
  bool searched = false;
  if constexpr (View::traits.in_key_order && View::pairs_type::kind == layout::soa)
    if (in_shared_memory && can_search_buckets<Key, Row>(buckets)) {
      sorted_columns<Key, Row> const index{view.pairs.keys, view.pairs.rows, view.size};
      search_buckets<Key, Row>(buckets, index, scratch, exec);
      searched = true;
    }
  if (!searched) {
    fill_free_places<Key>(scratch, exec);
    window_level const& last = scratch.last();
    search({batch.op, key_codec::identity, last.keys, batch.size, last.answers, nullptr, nullptr, 0,
            !View::traits.ranked});
  }
  if (batch.positions != nullptr) return;
  switch (answer_bytes<View>(batch.op)) {
    case 1: return restore_window<std::uint8_t>(scratch, batch.out, exec);
    case 4: return restore_window<std::uint32_t>(scratch, batch.out, exec);
    default: return restore_window<std::uint64_t>(scratch, batch.out, exec);
  }
}

/// Runs a batch in windows of equal size, which get smaller if memory is short.
/// @param in_shared_memory whether buckets that fit into shared memory are searched there
/// @param search searches a batch by the structure's own search, without windows
/// @return false, with nothing done, if there is no memory for the smallest window
template <class View, class Search>
bool point_in_windows(View const& view, window_buckets<typename View::key_type> const& buckets,
                      point_batch const& batch, bool in_shared_memory, execution const& exec, Search const& search) {
  using Key = typename View::key_type;
  std::size_t const width = answer_bytes<View>(batch.op);
  // Windows are whole tiles, so all windows of an aligned column begin aligned.
  auto const share_of = [&](std::uint64_t windows) {
    constexpr std::uint64_t tile = tuning::tile_size;
    return std::min(batch.size, ((batch.size + windows - 1) / windows + tile - 1) / tile * tile);
  };
  auto const place = [&](std::uint64_t size, void* base) {
    return place_window(buckets.geometry, size, sizeof(Key), batch.positions == nullptr ? width : 0, base);
  };
  std::uint64_t windows = (batch.size + tuning::window_probes - 1) / tuning::window_probes;
  buffer memory;
  while (memory.bytes() == 0) {
    try {
      memory = buffer(place(share_of(windows), nullptr).bytes, exec);
    } catch (out_of_memory const&) {
      windows *= 2;
      if (share_of(windows) < tuning::window_least_probes) return false;
    }
  }
  std::uint64_t const share = share_of(windows);
  for (std::uint64_t first = 0; first < batch.size; first += share) {
    point_batch part = batch;
    part.size = std::min(share, batch.size - first);
    part.probes = static_cast<unsigned char const*>(batch.probes) + first * sizeof(Key);
    part.out = static_cast<unsigned char*>(batch.out) + first * width;
    window_scratch scratch = place(part.size, memory.data());
    if (batch.positions != nullptr) {
      window_level& last = scratch.level[scratch.levels - 1];
      last.answers = part.out;
      last.positions = batch.positions + first;
      scratch.first_position = batch.first_position + static_cast<std::uint32_t>(first);
    }
    point_window(view, buckets, part, in_shared_memory, scratch, exec, search);
  }
  return true;
}

}  // namespace warpdex::cuda
