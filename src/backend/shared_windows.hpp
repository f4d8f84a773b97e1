// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "batch/batch.hpp"

/// @file
/// Windows that the shards of an index share: the device of a call partitions its probes by the buckets of all shards,
/// each device searches the buckets of its shards, and the device of the call restores the answers. Probes and answers
/// stay where they are. Searches read and write them over the link, so the partition is the exchange.
namespace warpdex {

/// The entries of a shard, in two arrays of one device.
struct window_shard {
  sorted_view entries;  ///< at least one
  int device;
  std::uint64_t before;     ///< entries of the shards before it
  std::uint64_t first_row;  ///< the smallest row id of its first key
  std::uint64_t last_row;   ///< the same of its last key
};

/// The buckets of all shards.
class shared_windows {
 public:
  virtual ~shared_windows() = default;

  /// Runs a batch of the current device, whose arrays are there. Does not synchronise.
  /// @param streams per shard one of its device; work on them is ordered after and before that on the call's stream
  /// @param exec its stream is not the default one
  /// @throws out_of_memory, if there is none for the smallest windows; device_error
  virtual void point(point_batch const& batch, std::span<stream_ref const> streams, execution const& exec) const = 0;
  virtual void range(range_batch const& batch, std::span<stream_ref const> streams, execution const& exec) const = 0;

  /// @return whether there are windows for such batches: not for sums, nor for `nearest`
  static bool take(search_op op, bool sums) noexcept { return !sums && op != search_op::nearest; }
};

/// Makes the buckets of shards. Synchronises.
/// @param shards in key order
/// @param homes the devices from which calls come; all have access to each other's memory
/// @return null if the buckets would be too large for shared memory
std::unique_ptr<shared_windows> share_windows(std::vector<window_shard> const& shards, pair_types types,
                                              std::span<int const> homes);

}  // namespace warpdex
