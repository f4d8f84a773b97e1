// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>
#include <warpdex/search/view.hpp>

#include <optional>

#include "backend/backend.hpp"
#include "backend/update/slots.hpp"
#include "batch/batch.hpp"
#include "batch/policy.hpp"
#include "batch/router.hpp"

/// @file
/// Decides how a batch runs on a device, in one place and from plain facts. These functions need no device. The engine
/// does what they say, and `advise` asks the same functions what the engine would do.
namespace warpdex::cuda {

/// @return the entries of an index, if they are two arrays whose slots follow from ranks: sorted arrays in SoA, with or
/// without pivots or a model; Eytzinger orders and leaves in SoA
template <searchable View> std::optional<sorted_view> columns_of(View const& view) {
  if constexpr (View::pairs_type::kind == layout::soa && !windows_by_reference<View>) {
    if constexpr (View::traits.in_key_order) return sorted_view{view.pairs.keys, view.pairs.rows.data, view.size};
    else if constexpr (View::traits.level_fanout != 0)
      return sorted_view{view.pairs.keys, view.pairs.rows.data, view.size, {View::traits.level_fanout}};
    else if constexpr (View::traits.in_leaves && sizeof(typename View::position) == 4) {
      sorted_view leaves{view.pairs.pool.keys, view.pairs.pool.rows.data, view.size};
      if (!view.leaves_are_full()) leaves.order.leaves = leaf_order_of(view);
      return leaves;
    }
  }
  return std::nullopt;
}

/// The facts of an index that the choice depends on.
struct index_facts {
  std::uint64_t size = 0;  ///< entries
  std::size_t key_bytes = 4;
  std::size_t pair_bytes = 8;  ///< those of a key alone if row ids are not stored
  view_traits traits;
  /// Whether `columns_of` knows the entries, so that buckets can be searched in shared memory. Those in host memory are
  /// copied to the device by ranks.
  bool columns = false;
  bool gathered = false;      ///< whether the columns are not in key order
  bool remote = false;        ///< whether the keys are in host memory, so that searches read them over the link
  bool by_reference = false;  ///< whether windows move references to probes

  std::uint64_t bytes() const { return size * pair_bytes; }
};

template <searchable View> index_facts facts_of(View const& view, bool remote = false) {
  auto const columns = columns_of(view);
  constexpr std::size_t key_bytes = sizeof(typename View::key_type);
  bool const stores_rows = !columns || columns->rows != nullptr;
  return {view.size,
          key_bytes,
          stores_rows ? view.pairs.pair_bytes() : key_bytes,
          View::traits,
          columns && (!remote || columns->order.by_rank()),
          columns && !columns->order.by_rank(),
          remote,
          windows_by_reference<View>};
}

/// @return whether batches over an index may run in windows. If so, its keys are cut into buckets when it is built
bool may_use_windows(index_facts const& index, policy const& request);

/// @return the time that a batch of points is expected to take, in microseconds, for an index of `columns`
double expected_in_windows(index_facts const& index, search_op op, std::uint64_t probes);
double expected_without_windows(index_facts const& index, std::uint64_t probes);

/// Whether a batch over an index of `columns` runs in tiles in the order in which its probes come
/// (backend/cuda/search/tile_search.cuh), instead of in windows.
enum class tile_choice : std::uint8_t {
  never,
  if_narrow,  ///< if a sample on the device shows that adjacent probes have adjacent keys
  always
};

/// How a batch of points runs. The members after `in_shared_memory` say how it runs without windows.
struct point_route {
  bool in_windows = false;        ///< whether to use windows, provided that there is memory for the smallest one
  bool in_shared_memory = false;  ///< whether windows search buckets in shared memory, else by the view's own search
  bool by_blocks = false;         ///< whether blocks pin the top of the structure or sort their probes
  tile_choice tiles = tile_choice::never;  ///< if `in_windows` and `in_shared_memory`
  int window_lanes = 1;                    ///< threads per probe of a view's own search in windows
  bool pins = false;                       ///< whether blocks pin
  policy run;                              ///< `run.lanes` is the number of threads per probe
};

/// @param request the policy of the index's spec
/// @param tuned `request`, completed by the tuning table, for large batches without windows. It is ignored if the index
/// has no lane groups of `tuned.lanes` lanes
point_route choose(index_facts const& index, search_op op, std::uint64_t probes, policy const& request,
                   policy const& tuned);

/// How a batch of ranges, or of counts, runs.
struct range_route {
  bool in_windows = false;  ///< as in `point_route`, with buckets in shared memory
  tile_choice tiles = tile_choice::never;
  bool by_bounds = false;         ///< whether two batches of points in windows find the bounds, not one of ranges
  int lanes = 1;                  ///< threads that search the bounds of a range
  int scan_lanes = 1;             ///< threads that scan a range
  unsigned spread_bits = 0;       ///< every 2^spread_bits-th lane group has a range; the others only help to scan
  int threads = 0;                ///< threads per block
  std::uint64_t share_above = 0;  ///< a whole warp scans stretches of more slots than this
};

/// What a batch of ranges asks for: the entries of single keys counted, those of ranges counted, or rows summed.
enum class range_op : std::uint8_t { count_points, count, sum };
range_op op_of(range_batch const& batch);

range_route choose_ranges(index_facts const& index, range_op op, std::uint64_t ranges, policy const& request);

/// The same for batches that write the rows of ranges whose bounds are known.
range_route choose_fills(index_facts const& index, policy const& request);

}  // namespace warpdex::cuda
