// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>
#include <warpdex/search/view.hpp>

#include "batch/batch.hpp"
#include "batch/policy.hpp"

/// @file
/// How a batch runs on a device, decided in one place from plain facts, without a device. The engine does what is said
/// here, and `advise` asks the same functions what it would do.
namespace warpdex::cuda {

/// What the choice depends on of an index.
struct index_facts {
  std::uint64_t size = 0;  ///< entries
  std::size_t key_bytes = 4;
  std::size_t pair_bytes = 8;
  view_traits traits;
  layout pairs = layout::soa;

  /// Whether the pairs are two plain arrays in key order, whose parts can be searched in shared memory.
  bool sorted_columns() const { return traits.in_key_order && pairs == layout::soa; }
  std::uint64_t bytes() const { return size * pair_bytes; }
};

template <searchable View> index_facts facts_of(View const& view) {
  using Pairs = typename View::pairs_type;
  return {view.size, sizeof(typename View::key_type), Pairs::bytes_per_pair, View::traits, Pairs::kind};
}

/// Windows are compiled for keys of 4 and 8 bytes.
inline constexpr std::size_t widest_window_key = 8;

/// Whether batches over an index may run in windows, so that its keys are cut into buckets when it is built.
bool may_use_windows(index_facts const& index, policy const& asked);

/// How a batch of points runs.
struct point_route {
  bool in_windows = false;        ///< as long as there is memory for the smallest; what follows tells how otherwise
  bool in_shared_memory = false;  ///< windows search their buckets there, else as the view does, on `asked.lanes`
  bool by_blocks = false;         ///< blocks pin the top of the structure or sort their probes, else each thread searches
  bool pins = false;
  policy run;  ///< without windows; `run.lanes` is how many threads search a probe
};

/// @param asked the policy of the index's spec
/// @param tuned the same with what the tuning table fills in, for large batches without windows
point_route choose(index_facts const& index, point_op op, std::uint64_t probes, policy const& asked,
                   policy const& tuned);

/// How a batch of ranges, or of counts, runs.
struct range_route {
  int lanes = 1;       ///< threads that search the bounds of a range
  int scan_lanes = 1;  ///< threads that scan it
  int threads = 0;     ///< per block
  std::uint64_t share_above = 0;  ///< slots of a stretch that `scan_lanes` threads scan alone; longer ones take a warp
};

range_route choose_ranges(index_facts const& index, std::uint64_t ranges, policy const& asked);

/// The same for the rows of ranges that were found before.
range_route choose_fills(index_facts const& index, policy const& asked);

}  // namespace warpdex::cuda
