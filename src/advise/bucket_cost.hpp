// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/advise.hpp>

#include "structures/structure.hpp"

/// @file
/// A model of what the bucket of cgRX costs (docs/guide/advise.md, "Buckets of cgRX").
namespace warpdex {

/// What lookups in cgRX cost with buckets of one size, without windows.
struct bucket_cost {
  std::uint64_t bucket = 0;
  double picoseconds = 0;  ///< per lookup, in large batches on an H200
  double bytes = 0;        ///< per entry, beyond the pairs

  /// @return picoseconds times bytes: the inverse of lookups per second and byte, the measure of paper 003
  double per_rate_and_byte(double pair_bytes) const { return picoseconds * (pair_bytes + bytes); }
};

/// @param column the keys; without it they are taken to be spread over all values of their type
/// @param bucket up to `tuning::largest_modelled_bucket`: larger ones were measured, but do not follow the model
bucket_cost cost_of_bucket(workload const& w, index_shape const& shape, column_profile const* column,
                           std::uint64_t bucket);

/// @return the bucket with the most lookups per second and byte; of those that differ by less than the model can tell,
/// the smallest. With `least_memory`, the smallest whose bytes are next to nothing
bucket_cost best_bucket(workload const& w, index_shape const& shape, column_profile const* column);

}  // namespace warpdex
