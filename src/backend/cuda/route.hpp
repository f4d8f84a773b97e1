// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>
#include <warpdex/search/view.hpp>

#include "batch/batch.hpp"
#include "batch/policy.hpp"

/// @file
/// Decides how a batch runs on a device, in one place and from plain facts. These functions need no device. The engine
/// does what they say, and `advise` asks the same functions what the engine would do.
namespace warpdex::cuda {

/// The facts of an index that the choice depends on.
struct index_facts {
  std::uint64_t size = 0;  ///< entries
  std::size_t key_bytes = 4;
  std::size_t pair_bytes = 8;
  view_traits traits;
  layout pairs = layout::soa;

  /// Whether the pairs are two plain arrays in key order, so that their buckets can be searched in shared memory.
  bool sorted_columns() const { return traits.in_key_order && pairs == layout::soa; }
  std::uint64_t bytes() const { return size * pair_bytes; }
};

template <searchable View> index_facts facts_of(View const& view) {
  using Pairs = typename View::pairs_type;
  return {view.size, sizeof(typename View::key_type), Pairs::bytes_per_pair, View::traits, Pairs::kind};
}

/// Windows are compiled for keys of 4 and 8 bytes.
inline constexpr std::size_t widest_window_key = 8;

/// @return whether batches over an index may run in windows. If so, its keys are cut into buckets when it is built
bool may_use_windows(index_facts const& index, policy const& asked);

/// How a batch of points runs. The members after `in_shared_memory` say how it runs without windows.
struct point_route {
  bool in_windows = false;        ///< whether to use windows, provided that there is memory for the smallest one
  bool in_shared_memory = false;  ///< whether windows search buckets in shared memory, else by the view's own search
  bool by_blocks = false;         ///< whether blocks pin the top of the structure or sort their probes
  bool pins = false;              ///< whether blocks pin
  policy run;                     ///< `run.lanes` is the number of threads per probe
};

/// @param asked the policy of the index's spec
/// @param tuned `asked`, completed by the tuning table, for large batches without windows. It is ignored if the index
/// has no lane groups of `tuned.lanes` lanes
point_route choose(index_facts const& index, point_op op, std::uint64_t probes, policy const& asked,
                   policy const& tuned);

/// How a batch of ranges, or of counts, runs.
struct range_route {
  int lanes = 1;                  ///< threads that search the bounds of a range
  int scan_lanes = 1;             ///< threads that scan a range
  int threads = 0;                ///< threads per block
  std::uint64_t share_above = 0;  ///< a whole warp scans stretches of more slots than this
};

range_route choose_ranges(index_facts const& index, std::uint64_t ranges, policy const& asked);

/// The same for batches that write the rows of ranges whose bounds are known.
range_route choose_fills(index_facts const& index, policy const& asked);

}  // namespace warpdex::cuda
