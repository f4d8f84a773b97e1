// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_buckets.hpp"

/// @file
/// Makes the window buckets of an index.
namespace warpdex::cuda {

/// Samples for each bucket i the key of rank i * size / buckets, then the largest key, and then the keys that outliers
/// leave at both ends.
template <class Entries> struct sample_keys {
  Entries entries;
  std::uint32_t buckets;
  typename Entries::key_type* samples;

  __device__ void operator()(std::uint64_t i) const {
    std::uint64_t const last = entries.size - 1;
    std::uint64_t const outliers = min(std::uint64_t{tuning::outliers}, last / 2);
    std::uint64_t const rank = i < buckets        ? i * entries.size / buckets
                               : i == buckets     ? last
                               : i == buckets + 1 ? outliers
                                                  : last - outliers;
    samples[i] = entries.pairs.key(entries.slot_of(static_cast<typename Entries::position>(rank)));
  }
};

/// Finds the rank of the first key of each bucket with linear borders by binary search, and after the last bucket the
/// size of the index.
template <class Entries> struct find_borders {
  Entries entries;
  linear_map<leading_type<typename Entries::key_type>> map;
  std::uint64_t* borders;

  __device__ void operator()(std::uint64_t bucket) const {
    std::uint64_t first = 0;
    std::uint64_t last = entries.size;
    while (first < last) {
      std::uint64_t const middle = first + (last - first) / 2;
      auto const key = entries.pairs.key(entries.slot_of(static_cast<typename Entries::position>(middle)));
      if (bucket_of(map, leading_part(key)) < bucket) first = middle + 1;
      else last = middle;
    }
    borders[bucket] = first;
  }
};

/// Cuts all hashes into buckets of equal width. As hashes are spread evenly, these hold about equal numbers of keys.
template <class Key> window_buckets<Key> make_window_buckets_of_hashes(std::uint64_t size) {
  window_buckets<Key> result;
  result.geometry = bucket_geometry_of(size, sizeof(Key));
  result.map = make_linear_map(leading_type<Key>{0}, static_cast<leading_type<Key>>(-1), result.geometry.buckets());
  return result;
}

/// Cuts the keys of an index into buckets of equal width. If one of these were larger than `bucket_capacity`, or in an
/// index that is too large for such buckets much larger than the others, outliers are left to the first and the last
/// bucket; and if that does not help, keys of at most 8 bytes are cut into buckets of equal size. Synchronises.
/// @param capacity of a bucket, in entries
/// @param remote whether the keys are in host memory
template <class Entries>
window_buckets<typename Entries::key_type> make_window_buckets(Entries const& entries, bucket_geometry const& geometry,
                                                               std::uint64_t capacity, bool remote,
                                                               execution const& exec) {
  using Key = typename Entries::key_type;
  auto const& device = cuda_backend();
  window_buckets<Key> result;
  result.geometry = geometry;
  std::uint32_t const count = result.geometry.buckets();
  std::vector<Key> samples(count + 3);
  std::vector<std::uint64_t> borders(count + 1);
  result.borders = buffer(borders.size() * sizeof(std::uint64_t), exec);
  auto const to_host = [&](auto& host, buffer const& from) {
    device.copy(host.data(), from.data(), from.bytes(), exec);
    device.synchronize(exec);
  };
  {
    buffer const sampled(samples.size() * sizeof(Key), exec);
    for_each(exec, samples.size(), sample_keys<Entries>{entries, count, sampled.template as<Key>()});
    to_host(samples, sampled);
  }
  auto const cut = [&](Key lowest, Key highest) {
    result.map = make_linear_map(leading_part(lowest), leading_part(highest), count);
    for_each(exec, borders.size(),
             find_borders<Entries>{entries, result.map, result.borders.template as<std::uint64_t>()});
    to_host(borders, result.borders);
    result.largest = 0;
    for (std::uint32_t b = 0; b < count; ++b) result.largest = std::max(result.largest, borders[b + 1] - borders[b]);
  };
  // The buckets of a very large index are not searched in shared memory. They only need about equal sizes.
  std::uint64_t const equal_share = entries.size / count;
  std::uint64_t const most = std::max<std::uint64_t>(capacity, equal_share + equal_share / 16);
  cut(samples.front(), samples[count]);
  if (result.largest > most) cut(samples[count + 1], samples[count + 2]);
  if constexpr (sizeof(Key) <= 8)
    if (result.largest > most) {
      result.largest = entries.size / count + 1;
      for (std::uint32_t b = 0; b < count; ++b) borders[b] = b * static_cast<std::uint64_t>(entries.size) / count;
      auto const trees = make_splitter_trees(samples, result.geometry);
      result.splitters = buffer(trees.size() * sizeof(Key), exec);
      device.copy(result.splitters.data(), trees.data(), result.splitters.bytes(), exec);
    }
  device.copy(result.borders.data(), borders.data(), result.borders.bytes(), exec);
  device.synchronize(exec);
  if (remote) result.host_borders = std::move(borders);
  return result;
}

/// The same with buckets that fit into shared memory.
template <class Entries>
window_buckets<typename Entries::key_type> make_window_buckets(Entries const& entries, bool remote,
                                                               execution const& exec) {
  return make_window_buckets(entries, bucket_geometry_of(entries.size, sizeof(typename Entries::key_type)),
                             tuning::bucket_capacity, remote, exec);
}

}  // namespace warpdex::cuda
