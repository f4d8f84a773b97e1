// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/windows/window_buckets.hpp"

#include <algorithm>
#include <bit>

#include "backend/cuda/tuning.hpp"

namespace warpdex::cuda {
namespace {

/// Appends the tree of `count` children, whose splitters are samples first + stride, first + 2 * stride, ...
template <class Key>
void append_tree(std::vector<Key>& trees, std::vector<Key> const& samples, std::uint32_t first, std::uint32_t count,
                 std::uint32_t stride) {
  trees.push_back(0);  // a tree starts at entry 1
  for (std::uint32_t nodes = 1; nodes < count; nodes *= 2)
    for (std::uint32_t i = 0; i < nodes; ++i) {
      std::uint32_t const child = (2 * i + 1) * (count / (2 * nodes));
      trees.push_back(samples[first + child * stride]);
    }
}

}  // namespace

bucket_geometry bucket_geometry_of(std::uint64_t size, std::size_t key_bytes) {
  auto const of_size = [&](std::uint64_t keys) { return std::bit_ceil((size + keys - 1) / keys); };
  bucket_geometry geometry;
  if (size <= std::uint64_t{1} << 20) {
    geometry.parents = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(of_size(tuning::least_keys_per_bucket), 1, tuning::buckets_of_few_keys));
    return geometry;
  }
  if (of_size(tuning::keys_per_bucket) <= tuning::most_buckets_a_level) {
    geometry.parents = tuning::most_buckets_a_level;
    return geometry;
  }
  bool const small = key_bytes == 4 && size <= std::uint64_t{1} << 26;
  std::uint64_t const most = std::uint64_t{tuning::most_buckets_a_level} * tuning::most_buckets_a_level;
  auto const buckets = std::min(most, of_size(small ? tuning::keys_a_bucket_up_to_2_26 : tuning::keys_per_bucket));
  auto children = buckets / tuning::parents;
  if (children > tuning::children_of_few_parents)
    children =
        std::bit_ceil(std::max<std::uint64_t>(tuning::children_of_few_parents, buckets / tuning::most_buckets_a_level));
  geometry.parents = static_cast<std::uint32_t>(buckets / children);
  geometry.child_bits = std::countr_zero(children);
  return geometry;
}

template <class Key> linear_map<Key> make_linear_map(Key lowest, Key highest, std::uint32_t buckets) {
  auto const span = static_cast<Key>(highest - lowest);
  u128 const scale = (u128{buckets} << (sizeof(Key) * 8)) / (u128{span} + 1);
  // With 64-bit keys and no fewer buckets than values from the smallest to the largest key, the exact scale needs more
  // than 64 bits. The largest fraction serves then: each key has its own bucket.
  bool const fits = scale >> 64 == 0;
  return {lowest, span, fits ? static_cast<std::uint64_t>(scale) : ~std::uint64_t{0}};
}

template <class Key>
std::vector<Key> make_splitter_trees(std::vector<Key> const& samples, bucket_geometry const& geometry) {
  std::vector<Key> trees;
  trees.reserve(geometry.parents + geometry.buckets());
  append_tree(trees, samples, 0, geometry.parents, geometry.children());
  if (geometry.levels() == 2)
    for (std::uint32_t p = 0; p < geometry.parents; ++p)
      append_tree(trees, samples, p * geometry.children(), geometry.children(), 1);
  return trees;
}

template linear_map<std::uint32_t> make_linear_map(std::uint32_t, std::uint32_t, std::uint32_t);
template linear_map<std::uint64_t> make_linear_map(std::uint64_t, std::uint64_t, std::uint32_t);
template std::vector<std::uint32_t> make_splitter_trees(std::vector<std::uint32_t> const&, bucket_geometry const&);
template std::vector<std::uint64_t> make_splitter_trees(std::vector<std::uint64_t> const&, bucket_geometry const&);

}  // namespace warpdex::cuda
