// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "advise/bucket_cost.hpp"

#include <warpdex/search/codec.hpp>
#include <warpdex/search/ray_tracer.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/tuning.hpp"

namespace warpdex {
namespace {

constexpr double pair_bytes(index_shape const& shape) {
  return static_cast<double>(size_of(shape.keys) + size_of(shape.rows));
}

/// @return the number of rows of the scene between the smallest and the largest key
double rows_spanned(index_shape const& shape, column_profile const* column) {
  int const bits = 8 * static_cast<int>(std::min<std::size_t>(8, size_of(shape.keys)));
  if (column == nullptr) return std::exp2(bits - ray_digits::x_bits);
  auto const row = [&](std::uint64_t key) {
    auto const codec = codec_of(shape.keys);
    return ray_digits::row(bits == 32 ? encode(codec, static_cast<std::uint32_t>(key)) : encode(codec, key));
  };
  return static_cast<double>(row(column->largest) - row(column->smallest) + 1);
}

}  // namespace

bucket_cost cost_of_bucket(workload const& w, index_shape const& shape, column_profile const* column,
                           std::uint64_t bucket) {
  auto const key = static_cast<double>(size_of(shape.keys));
  auto const position = static_cast<double>(size_of(shape.rows));
  auto const size = static_cast<double>(shape.size);
  auto const in_bucket = static_cast<double>(bucket);
  constexpr double nodes = 1.0 / (ray_tracer<std::uint32_t, std::uint32_t>::width - 1);  // per primitive
  bucket_cost cost{bucket, tuning::ray_search_ps, (key + position + nodes * (key + sizeof(ray_box))) / in_bucket};

  if (key > 4) cost.picoseconds += tuning::wide_ray_search_ps;
  double const beyond_cache = std::log2(std::max(1.0, size * cost.bytes / tuning::gpu_cache_bytes));
  double const bucket_steps = std::log2(std::max(1.0, in_bucket * key / tuning::bucket_read_at_once));
  cost.picoseconds += beyond_cache * tuning::ray_cache_step_ps + bucket_steps * tuning::bucket_step_ps;
  cost.picoseconds += std::max(0.0, 1 - size / in_bucket / rows_spanned(shape, column)) * tuning::ray_behind_row_ps;
  if (!w.ranges) return cost;
  double const range =
      tuning::searches_per_range * cost.picoseconds + static_cast<double>(w.hits) * tuning::range_entry_ps;
  cost.picoseconds = w.points ? (cost.picoseconds + range) / 2 : range;
  return cost;
}

bucket_cost best_bucket(workload const& w, index_shape const& shape, column_profile const* column) {
  std::vector<bucket_cost> costs;
  for (std::uint64_t bucket = 2; bucket <= tuning::largest_modelled_bucket; bucket *= 2)
    costs.push_back(cost_of_bucket(w, shape, column, bucket));
  double const pair = pair_bytes(shape);
  double least = costs.front().per_rate_and_byte(pair);
  for (auto const& cost : costs) least = std::min(least, cost.per_rate_and_byte(pair));
  auto const suits = [&](bucket_cost const& cost) {
    if (w.least_memory) return cost.bytes < tuning::small_model * pair;
    return cost.per_rate_and_byte(pair) < least * tuning::same_by_bucket_model;
  };
  return *std::find_if(costs.begin(), costs.end() - 1, suits);
}

}  // namespace warpdex
