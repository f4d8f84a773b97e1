// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/search/route.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_buckets.hpp"
#include "batch/research.hpp"
#include "batch/tuning_table.hpp"

namespace warpdex::cuda {
namespace {

/// @return whether the policy asks for something that only a view's own search can do
bool asks_for_own_search(policy const& request) { return request.lanes > 1 || request.threads != 0; }

/// Whether the index can run a policy: pin, and search by groups of its number of lanes. Specs have been checked for
/// it, and the shipped tuning tables. A table of the user's may name others: tables know no structure.
bool can_run(view_traits const& traits, policy const& run) {
  if (run.pin > policy::pinning::none && !traits.pinnable) return false;
  if (!blocks_are_compiled(run, traits.pinnable)) return false;
  if (run.lanes <= 1 || run.lanes == traits.lanes) return true;
  return research::lanes && traits.any_lanes && run.lanes <= 32 && (run.lanes & (run.lanes - 1)) == 0 &&
         !run.runs_in_blocks();
}

/// @return whether this number of searches fetches no less of a remote index than loads of all its keys do
bool reads_all(index_facts const& index, std::uint64_t searches) {
  return searches >= index.size * index.key_bytes / tuning::link_bytes_a_search;
}

/// @return the bytes of pairs from which on windows pay
std::uint64_t window_bytes(index_facts const& index, bool in_shared_memory) {
  if (!index.traits.ranked) return tuning::window_from_bytes_unordered;
  return in_shared_memory ? tuning::window_from_bytes_in_buckets : tuning::window_from_bytes;
}

/// @return the time to read the row ids of an index once, in microseconds
double microseconds_of_rows(index_facts const& index) {
  auto const row_bytes = static_cast<double>(index.pair_bytes - index.key_bytes);
  return static_cast<double>(index.size) * row_bytes / tuning::in_buckets.bytes_per_ns / 1000;
}

/// @return whether a batch runs in windows, if that follows from the policy and the size of the index alone
std::optional<bool> windows_without_estimate(index_facts const& index, bool in_shared_memory, std::uint64_t batch,
                                             policy const& request) {
  if (!may_use_windows(index, request) || batch == 0) return false;
  if (request.reorder == policy::reordering::window) return true;
  if (request.reorder == policy::reordering::tile) return in_shared_memory;
  // Windows over hashes of strings read the probes at random, and save no more than that (docs/performance/bytes.md).
  if (index.by_reference && !index.traits.ranked) return false;
  if (index.bytes() < window_bytes(index, in_shared_memory)) return false;
  return std::nullopt;
}

bool uses_windows(index_facts const& index, bool in_shared_memory, search_op op, std::uint64_t probes,
                  policy const& request) {
  if (auto const known = windows_without_estimate(index, in_shared_memory, probes, request)) return *known;
  if (index.remote) return in_shared_memory || probes >= tuning::window_from_probes;
  if (in_shared_memory) return expected_in_windows(index, op, probes) < expected_without_windows(index, probes);
  return probes >= tuning::window_from_probes && probes >= index.size / tuning::window_entries_per_probe;
}

/// The same for ranges, in shared memory. Windows find the bounds of a range by two batches. Without them both bounds
/// of a short range are on the same path, so that they take the time of one; then its rows are read.
bool uses_windows(index_facts const& index, range_op op, std::uint64_t ranges, policy const& request) {
  if (asks_for_own_search(request) || request.scan != policy::scanning::automatic) return false;
  if (index.by_reference) return uses_windows(index, false, search_op::lower_bound, ranges, request);
  if (!index.columns || (op == range_op::sum && request.reorder == policy::reordering::tile)) return false;
  if (index.remote && !reads_all(index, op == range_op::count_points ? ranges : 2 * ranges)) return false;
  if (auto const known = windows_without_estimate(index, true, ranges, request)) return *known;
  if (index.remote) return true;
  double const bounds = expected_in_windows(index, search_op::lower_bound, ranges);
  double const without = expected_without_windows(index, ranges);
  switch (op) {
    case range_op::count_points: return bounds < without;
    case range_op::count: return 2 * bounds < without;
    default: return 2 * bounds + 3 * microseconds_of_rows(index) < 2 * without;
  }
}

/// @return whether a batch that runs in windows, in shared memory, runs in tiles instead
tile_choice tiles_for(index_facts const& index, std::uint64_t batch, policy const& request) {
  if (request.reorder == policy::reordering::tile) return tile_choice::always;
  bool const looks = request.reorder == policy::reordering::automatic && !index.remote;
  return looks && batch >= tuning::tiles_from_probes ? tile_choice::if_narrow : tile_choice::never;
}

/// Whether the bounds of ranges over host memory are found by two batches of points. Such batches are partitioned also
/// where they are too small to load whole buckets; those of ranges are not, and would wait for the link once per step.
bool finds_bounds_apart(index_facts const& index, range_op op, std::uint64_t ranges, policy const& request) {
  return index.remote && index.traits.ranked && !index.by_reference && op != range_op::sum &&
         request.scan == policy::scanning::automatic &&
         uses_windows(index, false, search_op::lower_bound, ranges, request);
}

bool pins_for(index_facts const& index, std::uint64_t probes, policy const& run) {
  if (!index.traits.pinnable) return false;
  if (run.pin != policy::pinning::automatic) return run.pin != policy::pinning::none;
  if (index.remote) return false;  // each block would copy the top over the link
  return run.reorder <= policy::reordering::none && run.lanes <= 1 && probes >= tuning::pin_from_probes &&
         (index.traits.spread_top || index.bytes() <= tuning::pin_small_index);
}

std::uint64_t share_above(policy const& run, int lanes, int scan_lanes) {
  switch (run.scan) {
    case policy::scanning::group: return ~std::uint64_t{0};
    case policy::scanning::warp: return tuning::warp_scan_from;
    default:
      return scan_lanes == lanes ? std::uint64_t{tuning::warp_scan_from} * static_cast<unsigned>(scan_lanes)
                                 : tuning::warp_scan_from_in_tiles;
  }
}

}  // namespace

bool may_use_windows(index_facts const& index, policy const& request) {
  if (index.size == 0) return false;
  if (request.reorder == policy::reordering::tile) return index.columns;
  if (request.reorder != policy::reordering::automatic) return request.reorder == policy::reordering::window;
  bool const by_blocks =
      request.pin > policy::pinning::none || request.probes != 0 || request.schedule != policy::scheduling::automatic;
  return !by_blocks && index.bytes() >= window_bytes(index, index.columns);
}

double expected_in_windows(index_facts const& index, search_op op, std::uint64_t probes) {
  constexpr auto costs = tuning::in_buckets;
  auto const entries = static_cast<double>(index.size);
  auto const count = static_cast<double>(probes);
  auto const key_bytes = static_cast<double>(index.key_bytes);
  bool const two_levels = bucket_geometry_of(index.size, index.key_bytes).levels() == 2;
  double nanoseconds = count * (costs.probe_ns + (two_levels ? costs.second_ns : 0)) * key_bytes / 4 +
                       entries * key_bytes / costs.bytes_per_ns;
  if (op == search_op::find || finds_nearest(op)) {
    double const a_row = costs.sparse_row_ns * (index.gathered ? 2 : 1);
    nanoseconds += std::min(count * a_row, microseconds_of_rows(index) * 1000);
  }
  if (index.gathered) nanoseconds += entries * costs.gathered_ns;
  return costs.call_us + (two_levels ? costs.second_us : 0) + nanoseconds / 1000;
}

double expected_without_windows(index_facts const& index, std::uint64_t probes) {
  auto const costs = index.traits.lanes > 1 ? tuning::wide_search : tuning::binary_search;
  auto const bytes = static_cast<double>(std::max<std::uint64_t>(index.bytes(), 1));
  double const near = std::log2(std::clamp(bytes, tuning::near_bytes, tuning::far_bytes) / tuning::near_bytes);
  double const far = std::log2(std::max(bytes, tuning::far_bytes) / tuning::far_bytes);
  double const nanoseconds =
      costs.probe_ns * static_cast<double>(index.key_bytes) / 4 + costs.near_ns * near + costs.far_ns * far;
  return costs.call_us + static_cast<double>(probes) * nanoseconds / 1000;
}

point_route choose(index_facts const& index, search_op op, std::uint64_t probes, policy const& request,
                   policy const& tuned) {
  point_route chosen;
  chosen.in_shared_memory =
      index.columns && !asks_for_own_search(request) && (!index.remote || reads_all(index, probes));
  chosen.in_windows = uses_windows(index, chosen.in_shared_memory, op, probes, request);
  if (chosen.in_windows && chosen.in_shared_memory) chosen.tiles = tiles_for(index, probes, request);
  // The tables were measured in memory of the device. Over the link the lanes of a group read a node in one request,
  // which a single lane takes many for.
  bool const takes_tuned = !index.remote && probes >= tuned_from_probes && can_run(index.traits, tuned);
  if (request.lanes != 0) chosen.window_lanes = request.lanes;
  else if (index.remote) chosen.window_lanes = index.traits.lanes;
  policy& run = chosen.run = takes_tuned ? tuned : request;
  chosen.pins = pins_for(index, probes, run);
  chosen.by_blocks = chosen.pins || run.runs_in_blocks();
  bool const by_groups = !chosen.by_blocks && (index.remote || probes <= tuning::group_search_up_to);
  if (run.lanes == 0) run.lanes = by_groups ? index.traits.lanes : 1;
  return chosen;
}

range_op op_of(range_batch const& batch) {
  if (batch.sums != nullptr) return range_op::sum;
  return batch.lower == batch.upper ? range_op::count_points : range_op::count;
}

range_route choose_ranges(index_facts const& index, range_op op, std::uint64_t ranges, policy const& request) {
  range_route chosen;
  chosen.in_windows = uses_windows(index, op, ranges, request);
  if (chosen.in_windows && index.columns) chosen.tiles = tiles_for(index, ranges, request);
  chosen.by_bounds = !chosen.in_windows && finds_bounds_apart(index, op, ranges, request);
  bool const by_groups = index.remote || ranges <= tuning::group_ranges_up_to;
  chosen.lanes = request.lanes != 0 ? request.lanes : by_groups ? index.traits.lanes : 1;
  // Tiles scan the ranges that single lanes have found. In structures with many short stretches per range, a tile would
  // wait for the longest.
  bool const in_tiles = chosen.lanes == 1 && index.traits.ranked && index.traits.one_stretch &&
                        request.scan == policy::scanning::automatic;
  chosen.scan_lanes = in_tiles ? tuning::scan_lanes : chosen.lanes;
  if (in_tiles && op == range_op::sum && ranges <= tuning::spread_ranges_up_to)
    chosen.spread_bits = tuning::range_spread_bits;
  chosen.threads = request.threads != 0 ? request.threads : tuning::search_threads;
  chosen.share_above = share_above(request, chosen.lanes, chosen.scan_lanes);
  return chosen;
}

range_route choose_fills(index_facts const& index, policy const& request) {
  range_route chosen;
  bool const in_tiles = index.traits.one_stretch;
  chosen.lanes = in_tiles ? 1 : index.traits.lanes;
  chosen.scan_lanes = in_tiles ? tuning::scan_lanes : chosen.lanes;
  chosen.threads = request.threads != 0 ? request.threads : tuning::search_threads;
  chosen.share_above = share_above(request, chosen.lanes, chosen.scan_lanes);
  return chosen;
}

}  // namespace warpdex::cuda
