// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/search/route.hpp"

#include <gtest/gtest.h>
#include <warpdex/search/bplus_tree.hpp>
#include <warpdex/search/eytzinger.hpp>
#include <warpdex/search/hash_open.hpp>
#include <warpdex/search/pgm.hpp>
#include <warpdex/search/pivot_tree.hpp>
#include <warpdex/search/sorted_array.hpp>
#include <warpdex/search/sorted_bytes.hpp>

#include <vector>

#include "backend/cuda/tuning.hpp"
#include "batch/research.hpp"

namespace warpdex::cuda {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using soa = soa_pairs<u32, u32>;
using aos = aos_pairs<u32, u32>;

template <class View> index_facts facts(u64 size, bool stores_rows = true, bool remote = false) {
  static u32 const row{};
  View view{};
  view.size = static_cast<typename View::position>(size);
  if constexpr (requires { view.pairs.rows; })
    if (stores_rows) view.pairs.rows = &row;
  return facts_of(view, remote);
}

point_route route(index_facts const& index, search_op op, u64 probes, policy const& request = {}) {
  return choose(index, op, probes, request, request);
}

constexpr u64 many = u64{1} << 27;

TEST(route, large_batches_over_sorted_columns_run_in_shared_memory) {
  auto const found = route(facts<sorted_array<soa>>(many), search_op::find, many);
  EXPECT_TRUE(found.in_windows);
  EXPECT_TRUE(found.in_shared_memory);
  EXPECT_FALSE(route(facts<sorted_array<aos>>(many), search_op::find, many).in_shared_memory);
  EXPECT_FALSE(route(facts<hash_open<soa>>(many), search_op::find, many).in_shared_memory);
  EXPECT_TRUE(route(facts<eytzinger<9, soa>>(many), search_op::find, many).in_shared_memory);
  for (auto const op : {search_op::contains, search_op::lower_bound, search_op::upper_bound, search_op::floor})
    EXPECT_TRUE(route(facts<sorted_array<soa>>(many), op, many).in_shared_memory);
  EXPECT_TRUE(choose_ranges(facts<sorted_array<soa>>(many), range_op::count, many, {}).in_windows);
  EXPECT_FALSE(choose_ranges(facts<sorted_array<aos>>(many), range_op::count, many, {}).in_windows);
  // By reference a window searches both bounds of a range at once.
  for (auto const op : {range_op::count_points, range_op::count, range_op::sum})
    EXPECT_TRUE(choose_ranges(facts<sorted_bytes<u32>>(many), op, many, {}).in_windows);
  // Two batches of bounds take longer than one, and sums also read the rows.
  auto const nodes = facts<pivot_tree<9, soa>>(u64{1} << 26);
  EXPECT_TRUE(choose_ranges(nodes, range_op::count_points, u64{1} << 22, {}).in_windows);
  EXPECT_FALSE(choose_ranges(nodes, range_op::count, u64{1} << 22, {}).in_windows);
  EXPECT_TRUE(choose_ranges(nodes, range_op::count, u64{1} << 25, {}).in_windows);
  EXPECT_TRUE(choose_ranges(nodes, range_op::sum, u64{1} << 23, {}).in_windows);
}

TEST(route, leaves_are_columns) {
  using tree = bplus_tree<16, 16, soa>;
  tree const full(many, many / 16, 16);
  tree const with_gaps(many, many / 15, 15);
  EXPECT_TRUE(facts_of(full).columns);
  EXPECT_FALSE(facts_of(full).gathered);
  EXPECT_TRUE(facts_of(with_gaps).columns);
  EXPECT_TRUE(facts_of(with_gaps).gathered);
  // Pieces of columns in host memory are copied to the device, which gaps keep from being pieces.
  EXPECT_TRUE(facts_of(full, true).columns);
  EXPECT_FALSE(facts_of(with_gaps, true).columns);
  EXPECT_FALSE(facts_of(bplus_tree<16, 16, aos>(many, many / 16, 16)).columns);
}

TEST(route, windows_begin_at_the_sizes_of_the_tuning) {
  auto const in_windows = [](index_facts const& index, search_op op, u64 probes) {
    return route(index, op, probes).in_windows;
  };
  auto const pairs = facts<eytzinger<9, aos>>(u64{1} << 22);
  EXPECT_TRUE(in_windows(pairs, search_op::contains, tuning::window_from_probes));
  EXPECT_FALSE(in_windows(pairs, search_op::contains, tuning::window_from_probes - 1));
  EXPECT_TRUE(in_windows(pairs, search_op::floor, many));
  EXPECT_TRUE(in_windows(pairs, search_op::ceil, many));
  EXPECT_FALSE(in_windows(facts<sorted_array<soa>>(many), search_op::find, 0));
  u64 const least = tuning::window_from_bytes_in_buckets / 8;
  EXPECT_TRUE(in_windows(facts<sorted_array<soa>>(least), search_op::find, many));
  EXPECT_FALSE(in_windows(facts<sorted_array<soa>>(least - 1), search_op::find, many));
  EXPECT_FALSE(in_windows(facts<sorted_array<soa>>(0), search_op::find, many));
  u64 const hashed = tuning::window_from_bytes_unordered / aos::key_stride;
  EXPECT_TRUE(in_windows(facts<hash_open<aos>>(hashed), search_op::find, many));
  EXPECT_FALSE(in_windows(facts<hash_open<aos>>(hashed - 1), search_op::find, many));
}

/// The larger index needs the larger batch, since windows read all of its keys; and so does the index whose own search
/// is fast. Measured on an H200, u32: batches on both sides of the border.
TEST(route, windows_in_shared_memory_begin_where_they_are_faster) {
  auto const in_windows = [](index_facts const& index, int log_probes) {
    return route(index, search_op::find, u64{1} << log_probes).in_windows;
  };
  auto const halves = [](int log_size) { return facts<sorted_array<soa>>(u64{1} << log_size); };
  auto const nodes = [](int log_size) { return facts<pivot_tree<9, soa>>(u64{1} << log_size); };
  EXPECT_FALSE(in_windows(halves(16), 18));
  EXPECT_TRUE(in_windows(halves(16), 22));
  EXPECT_FALSE(in_windows(halves(26), 18));
  EXPECT_TRUE(in_windows(halves(26), 20));
  EXPECT_TRUE(in_windows(halves(28), 21));
  EXPECT_FALSE(in_windows(nodes(16), 20));
  EXPECT_TRUE(in_windows(nodes(20), 22));
  EXPECT_FALSE(in_windows(nodes(26), 20));
  EXPECT_TRUE(in_windows(nodes(26), 22));
  EXPECT_FALSE(in_windows(nodes(28), 21));
  EXPECT_TRUE(in_windows(nodes(28), 23));
  auto const levels = facts<eytzinger<9, soa>>(u64{1} << 26);
  EXPECT_GT(expected_in_windows(levels, search_op::find, many), expected_in_windows(nodes(26), search_op::find, many));
}

TEST(route, hashes_of_16_bytes_have_windows) {
  auto const index = facts<hash_open<soa_slots<u128, u32>>>(many);
  EXPECT_TRUE(may_use_windows(index, {}));
  EXPECT_TRUE(route(index, search_op::find, many).in_windows);
}

TEST(route, what_a_policy_asks_for_is_done) {
  auto const tree = facts<bplus_tree<16, 16, aos>>(many);
  policy request;
  request.lanes = 16;
  EXPECT_EQ(route(tree, search_op::find, 100, request).run.lanes, 16);
  EXPECT_EQ(route(tree, search_op::floor, many, request).run.lanes, 16);
  EXPECT_EQ(choose_ranges(tree, range_op::count, 100, request).lanes, 16);
  EXPECT_EQ(choose_ranges(tree, range_op::count, many, request).lanes, 16);
  request = {};
  request.threads = 512;
  EXPECT_EQ(route(tree, search_op::floor, many, request).run.threads, 512);
  EXPECT_EQ(choose_ranges(tree, range_op::count, many, request).threads, 512);
  auto const sorted = facts<pivot_tree<9, soa>>(many);
  EXPECT_FALSE(route(sorted, search_op::find, many, request).in_shared_memory)
      << "its blocks have threads of their own";
  request = {};
  request.lanes = 8;
  EXPECT_FALSE(route(sorted, search_op::find, many, request).in_shared_memory) << "it searches with one lane";
  request = {};
  request.reorder = policy::reordering::window;
  EXPECT_TRUE(route(sorted, search_op::find, 1, request).in_windows);
  request.reorder = policy::reordering::none;
  EXPECT_FALSE(route(sorted, search_op::find, many, request).in_windows);
  for (auto const& [field, by_blocks] : std::vector<std::pair<int, bool>>{{0, true}, {1, true}, {2, true}, {3, true}}) {
    request = {};
    if (field == 0) request.pin = policy::pinning::steps;
    if (field == 1) request.probes = 4;
    if (field == 2) request.schedule = policy::scheduling::fixed;
    if (field == 3) request.reorder = policy::reordering::block;
    auto const chosen = route(sorted, search_op::find, many, request);
    EXPECT_EQ(chosen.by_blocks, by_blocks) << field;
    EXPECT_FALSE(chosen.in_windows) << field;
    EXPECT_EQ(chosen.pins, field == 0) << field;
  }
}

TEST(route, tiles) {
  auto const sorted = facts<pivot_tree<9, soa>>(many);
  EXPECT_EQ(route(sorted, search_op::find, many, {}).tiles, tile_choice::if_narrow);
  EXPECT_EQ(choose_ranges(sorted, range_op::count, many, {}).tiles, tile_choice::if_narrow);
  policy request;
  request.reorder = policy::reordering::window;
  EXPECT_EQ(route(sorted, search_op::find, many, request).tiles, tile_choice::never) << "a policy is kept";
  request.reorder = policy::reordering::tile;
  EXPECT_EQ(route(sorted, search_op::find, 1, request).tiles, tile_choice::always);
  EXPECT_EQ(choose_ranges(sorted, range_op::count_points, 1, request).tiles, tile_choice::always);
  EXPECT_FALSE(choose_ranges(sorted, range_op::sum, many, request).in_windows) << "tiles have no sums";
  auto const pairs = facts<sorted_array<aos>>(many);
  EXPECT_FALSE(route(pairs, search_op::find, many, request).in_windows) << "only columns have slices";
}

TEST(route, small_batches_are_searched_by_groups) {
  policy none;
  none.reorder = policy::reordering::none;
  auto const index = facts<pivot_tree<9, soa>>(many);
  EXPECT_EQ(route(index, search_op::find, tuning::group_search_up_to, none).run.lanes, 8);
  EXPECT_EQ(route(index, search_op::find, tuning::group_search_up_to + 1, none).run.lanes, 1);
  EXPECT_EQ(route(facts<sorted_array<soa>>(many), search_op::find, 1, none).run.lanes, 1);
  EXPECT_EQ(choose_ranges(index, range_op::count, tuning::group_ranges_up_to, none).lanes, 8);
  EXPECT_EQ(choose_ranges(index, range_op::count, tuning::group_ranges_up_to + 1, none).lanes, 1);
}

TEST(route, single_lanes_share_long_stretches) {
  auto const sorted = choose_ranges(facts<pivot_tree<9, soa>>(many), range_op::count, many, {});
  EXPECT_EQ(sorted.lanes, 1);
  EXPECT_EQ(sorted.scan_lanes, tuning::scan_lanes);
  EXPECT_EQ(sorted.share_above, tuning::warp_scan_from_in_tiles);
  EXPECT_EQ(choose_ranges(facts<eytzinger<9, soa>>(many), range_op::count, many, {}).scan_lanes, 1)
      << "their stretches are short";
  policy request;
  request.scan = policy::scanning::group;
  EXPECT_EQ(choose_ranges(facts<pivot_tree<9, soa>>(many), range_op::count, many, request).scan_lanes, 1);
  EXPECT_EQ(choose_ranges(facts<pivot_tree<9, soa>>(many), range_op::count, many, request).share_above, ~u64{0});
  EXPECT_EQ(choose_fills(facts<bplus_tree<16, 16, aos>>(many), {}).scan_lanes, tuning::scan_lanes);
  // Few sums keep more warps busy if not all lanes have a range.
  auto const spread = [](range_op op, u64 ranges) {
    return choose_ranges(facts<sorted_array<soa>>(many), op, ranges, {}).spread_bits;
  };
  EXPECT_EQ(spread(range_op::sum, tuning::spread_ranges_up_to), tuning::range_spread_bits);
  EXPECT_EQ(spread(range_op::sum, tuning::spread_ranges_up_to + 1), 0u);
  EXPECT_EQ(spread(range_op::count, 1), 0u);
  EXPECT_EQ(choose_ranges(facts<pivot_tree<9, soa>>(many), range_op::sum, tuning::group_ranges_up_to, {}).spread_bits,
            0u)
      << "groups of lanes are spread already";
  EXPECT_EQ(choose_fills(facts<eytzinger<9, aos>>(many), {}).scan_lanes, 8);
}

TEST(route, large_batches_without_windows_take_the_tuned_policy) {
  policy tuned;
  tuned.pin = policy::pinning::steps;
  auto const index = facts<eytzinger<9, soa>>(u64{1} << 16);
  EXPECT_TRUE(choose(index, search_op::floor, u64{1} << 20, {}, tuned).by_blocks);
  EXPECT_FALSE(choose(index, search_op::floor, u64{1} << 10, {}, tuned).by_blocks);
}

TEST(route, tuned_lanes_that_are_not_compiled_are_not_taken) {
  policy tuned;
  tuned.threads = 512;
  auto const threads = [&](index_facts const& index, int lanes) {
    tuned.lanes = lanes;
    return choose(index, search_op::floor, u64{1} << 20, {}, tuned).run.threads;
  };
  auto const array = facts<sorted_array<soa>>(u64{1} << 16);
  EXPECT_EQ(threads(array, 1), 512);
  EXPECT_EQ(threads(array, 8), 0);
  auto const narrow = facts<bplus_tree<16, 16, soa>>(u64{1} << 16);
  for (int const lanes : {0, 1, 8}) EXPECT_EQ(threads(narrow, lanes), 512) << lanes;
  for (int const lanes : {2, 4, 16, 32}) EXPECT_EQ(threads(narrow, lanes), research::lanes ? 512 : 0) << lanes;
  EXPECT_EQ(threads(narrow, 12), 0);
  tuned.pin = policy::pinning::steps;
  EXPECT_EQ(threads(narrow, 8), research::block ? 512 : 0) << "its usual group";
  EXPECT_EQ(threads(narrow, 16), 0);
  tuned.pin = policy::pinning::automatic;
  auto const wide = facts<bplus_tree<16, 16, soa_pairs<u64>>>(u64{1} << 16);
  EXPECT_EQ(threads(wide, 8), 512) << "its usual group";
  EXPECT_EQ(threads(wide, 16), 0);
}

TEST(route, tuned_pins_are_taken_where_there_is_a_top_to_copy) {
  policy tuned;
  tuned.threads = 512;
  auto const threads = [&](index_facts const& index, policy::pinning pin) {
    tuned.pin = pin;
    return choose(index, search_op::floor, u64{1} << 20, {}, tuned).run.threads;
  };
  for (auto const pin : {policy::pinning::automatic, policy::pinning::none})
    EXPECT_EQ(threads(facts<pgm<soa>>(u64{1} << 16), pin), 512);
  for (auto const pin : {policy::pinning::steps, policy::pinning::full}) {
    EXPECT_EQ(threads(facts<pgm<soa>>(u64{1} << 16), pin), 0);
    EXPECT_EQ(threads(facts<sorted_array<soa>>(u64{1} << 16), pin), 512);
  }
}

TEST(route, a_sorted_array_of_any_size_is_pinned) {
  policy none;
  none.reorder = policy::reordering::none;
  EXPECT_TRUE(route(facts<sorted_array<aos>>(many), search_op::find, many, none).pins);
  EXPECT_FALSE(route(facts<pivot_tree<9, aos>>(many), search_op::find, many, none).pins);
  EXPECT_TRUE(route(facts<pivot_tree<9, aos>>(1 << 16), search_op::find, many, none).pins);
  EXPECT_FALSE(route(facts<hash_open<aos>>(1 << 16), search_op::find, many, none).pins);
  EXPECT_FALSE(route(facts<sorted_array<aos>>(many), search_op::find, 1000, none).pins);
}

TEST(route, keys_without_rows_are_bytes_of_keys) {
  EXPECT_EQ(facts<sorted_array<soa>>(many).bytes(), 8 * many);
  EXPECT_EQ(facts<sorted_array<soa>>(many, false).bytes(), 4 * many);
  EXPECT_EQ(facts<sorted_array<aos>>(many, false).bytes(), 8 * many);
}

/// Lanes of a group read a node over the link in one request. Buckets are loaded only by batches whose separate
/// searches would read as many bytes.
TEST(route, keys_on_the_host_are_searched_by_groups_in_order) {
  using tree = pivot_tree<17, soa_pairs<u64, u64>>;
  u64 const size = u64{1} << 33;
  auto const index = facts<tree>(size, false, true);
  for (search_op const op : {search_op::find, search_op::floor, search_op::ceil}) {
    auto const sparse = route(index, op, u64{1} << 26);
    EXPECT_TRUE(sparse.in_windows);
    EXPECT_FALSE(sparse.in_shared_memory);
    EXPECT_EQ(sparse.window_lanes, 16);
  }
  EXPECT_EQ(route(facts<tree>(size, false), search_op::find, many).window_lanes, 1);
  u64 const dense = size * sizeof(u64) / tuning::link_bytes_a_search;
  EXPECT_TRUE(route(index, search_op::find, dense).in_shared_memory);
  EXPECT_FALSE(route(index, search_op::find, dense - 1).in_shared_memory);
  EXPECT_TRUE(choose_ranges(index, range_op::count_points, dense, {}).in_windows);
  EXPECT_TRUE(choose_ranges(index, range_op::count, dense / 2, {}).in_windows);
  EXPECT_FALSE(choose_ranges(index, range_op::count, dense / 2 - 1, {}).in_windows);
  EXPECT_EQ(choose_ranges(index, range_op::count, dense / 4, {}).lanes, 16);

  // Sparse ranges are two batches of points, which are partitioned.
  u64 const least = tuning::window_from_probes;
  policy in_windows;
  in_windows.reorder = policy::reordering::window;
  for (range_op const op : {range_op::count_points, range_op::count}) {
    EXPECT_TRUE(choose_ranges(index, op, dense / 2 - 1, {}).by_bounds);
    EXPECT_TRUE(choose_ranges(index, op, least, {}).by_bounds);
    EXPECT_FALSE(choose_ranges(index, op, least - 1, {}).by_bounds);
    EXPECT_FALSE(choose_ranges(index, op, dense, {}).by_bounds);
    EXPECT_FALSE(choose_ranges(facts<tree>(size, false), op, least, {}).by_bounds);
    EXPECT_TRUE(choose_ranges(index, op, 1, in_windows).by_bounds);
    EXPECT_FALSE(choose_ranges(index, op, 1, in_windows).in_windows) << "it would load all buckets";
  }
  EXPECT_FALSE(choose_ranges(index, range_op::sum, least, {}).by_bounds);

  auto const small = route(index, search_op::find, tuning::window_from_probes - 1);
  EXPECT_FALSE(small.in_windows);
  EXPECT_EQ(small.run.lanes, 16);
  EXPECT_FALSE(small.pins);
  policy request;
  request.lanes = 1;
  EXPECT_EQ(route(index, search_op::find, u64{1} << 26, request).window_lanes, 1);
  EXPECT_FALSE(route(facts<sorted_array<soa>>(many, false, true), search_op::find, u64{1} << 21).pins);
}

}  // namespace
}  // namespace warpdex::cuda
