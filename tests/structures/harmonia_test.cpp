// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"
#include "support/damaged_index.hpp"

#include <warpdex/search/harmonia.hpp>

#include <gtest/gtest.h>

#include <algorithm>

/// @file
/// Cases that the conformance tests of Harmonia do not reach: the shape of the tree, groups of lanes on a machine
/// without a GPU, and damaged trees.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
template <class Key> using view_of = harmonia<32, soa_pairs<Key, u32>>;

/// Keys in random order, some of them more than once.
template <class Key> std::vector<Key> some_keys(u64 n) {
  std::vector<Key> keys(n);
  for (u64 i = 0; i < n; ++i) keys[i] = static_cast<Key>(i * 0x9e3779b97f4a7c15ull >> 40);
  return keys;
}

/// All nodes but the root are children, in order and level by level. Within a level the numbers of children differ by
/// at most one. Key j of a node is the last key below its child j; keys after the last child repeat its key.
void expect_tree(view_of<u32> const& view) {
  u64 const inner = view.nodes.count;
  u64 const nodes = inner + view.leaves;
  std::vector<u32> largest(nodes);
  for (u64 leaf = 0; leaf < view.leaves; ++leaf) largest[inner + leaf] = view.last_key(leaf);
  auto const end_of_children = [&](u64 node) { return node + 1 < inner ? u64{view.children[node + 1]} : nodes; };
  for (u64 node = inner; node-- > 0;) {
    u64 const last = end_of_children(node) - 1;
    ASSERT_LT(node, view.children[node]);
    ASSERT_LE(view.children[node], last);
    for (u64 j = 0; j < 32; ++j)
      ASSERT_EQ(view.pivots[node * 32 + j], largest[std::min(view.children[node] + j, last)]) << node << " " << j;
    largest[node] = largest[last];
  }
  u64 first = 0;
  for (int level = 0; level < view.nodes.levels; ++level) {
    u64 const last = view.nodes.info[level].last_node;
    u64 fewest = ~u64{0};
    u64 most = 0;
    for (u64 node = first; node <= last; ++node) {
      u64 const has = end_of_children(node) - view.children[node];
      fewest = std::min(fewest, has);
      most = std::max(most, has);
    }
    ASSERT_EQ(view.children[first], last + 1);
    ASSERT_LE(most, 33u);
    ASSERT_LE(most - fewest, 1u);
    first = last + 1;
  }
  ASSERT_EQ(first, inner);
}

TEST(harmonia_view, trees_of_many_sizes) {
  for (u64 const n : {1, 31, 32, 33, 1055, 1056, 1057, 1088, 1089, 2000, 34847, 34848, 34849, 36000, 100001}) {
    SCOPED_TRACE(n);
    std::vector<u32> keys(n);
    for (u64 i = 0; i < n; ++i) keys[i] = static_cast<u32>(i * 7);
    index const built = index::build("Harmonia(32)", std::span(keys), execution());
    ASSERT_NO_FATAL_FAILURE(expect_tree(built.view<view_of<u32>>()));
  }
}

/// Updates make and remove leaves. The tree above them is then even again: see expect_tree.
TEST(harmonia_view, trees_after_updates) {
  std::vector<u32> keys(40000);
  for (u32 i = 0; i < keys.size(); ++i) keys[i] = i * 100;
  index built = index::build("Harmonia(32)", std::span(keys), execution());
  for (u32 round = 0; round < 20; ++round) {
    std::vector<u32> insert(150);
    std::vector<u32> erase(100);
    for (u32 i = 0; i < insert.size(); ++i) insert[i] = round * 150000 + i * 3 + 1;
    for (u32 i = 0; i < erase.size(); ++i) erase[i] = keys[round * 1500 + i];
    std::vector<u32> const rows(insert.size(), round);
    built.update(std::span(insert), std::span(rows), std::span(erase), execution());
    auto const view = built.view<view_of<u32>>();
    ASSERT_NE(view.bases, nullptr) << "not in place";
    ASSERT_NE(view.leaves, 1250u);
    ASSERT_NO_FATAL_FAILURE(expect_tree(view));
  }
}

TEST(harmonia_view, size) {
  auto const keys = some_keys<u64>(100000);
  auto const used = index::build("Harmonia(32)", std::span(keys), execution()).memory();
  EXPECT_EQ(used.pairs, 1200000u);
  EXPECT_EQ(used.auxiliary, (95 + 3 + 1) * (32 * 8 + 4u));
}

/// A group of lanes, one after another.
template <int Lanes> struct lanes_in_turn {
  static constexpr int lanes = Lanes;
  template <int Count, class Right> int count(Right right) const {
    static_assert(Count % Lanes == 0 || Count < Lanes);
    int found = 0;
    for (int j = 0; j < Count; ++j) found += right(j) ? 1 : 0;
    return found;
  }
};

template <class View> void expect_bounds(std::string const& spec) {
  using Key = typename View::key_type;
  for (u64 const n : {0, 1, 32, 33, 1056, 5000, 40000}) {
    SCOPED_TRACE(spec + " " + std::to_string(n));
    auto keys = some_keys<Key>(n);
    if (n > 40) std::fill(keys.begin(), keys.begin() + 40, static_cast<Key>(-1));
    index const built = index::build(spec, std::span(keys), execution());
    auto const view = built.template view<View>();
    std::sort(keys.begin(), keys.end());
    std::vector<Key> probes = {0, 1, static_cast<Key>(-1), static_cast<Key>(-2)};
    for (u64 i = 0; i < n; i += 3)
      for (u64 const by : {0, 1}) probes.push_back(static_cast<Key>(keys[i] + by));
    for (Key const probe : probes) {
      auto const expected = static_cast<u64>(std::lower_bound(keys.begin(), keys.end(), probe) - keys.begin());
      ASSERT_EQ(lower_bound(view, probe), expected) << probe;
      ASSERT_EQ(lower_bound(view, probe, lanes_in_turn<4>{}), expected) << probe;
      ASSERT_EQ(lower_bound(view, probe, lanes_in_turn<8>{}), expected) << probe;
      ASSERT_EQ(lower_bound(view, probe, lanes_in_turn<16>{}), expected) << probe;
      ASSERT_EQ(lower_bound(view, probe, lanes_in_turn<32>{}), expected) << probe;
    }
  }
}

TEST(harmonia_view, groups_of_all_sizes) {
  expect_bounds<view_of<u32>>("Harmonia(32)");
  expect_bounds<view_of<u64>>("Harmonia(32)");
  if (is_compiled("Harmonia(32)/layout=AoS"))
    expect_bounds<harmonia<32, aos_pairs<u32, u32>>>("Harmonia(32)/layout=AoS");
  if (is_compiled("Harmonia(32)/layout=packed", key_type::u64))
    expect_bounds<harmonia<32, packed_pairs<u64, u32>>>("Harmonia(32)/layout=packed");
}

class damaged_tree : public damaged_index {};

TEST_F(damaged_tree, links) {
  save("Harmonia(32)", some_keys<u32>(100000));
  for (std::size_t const node : {0, 1, 4, 98})
    for (u32 const change : {1u, ~u32{0}, 0x80000000u})
      EXPECT_TRUE(is_found("children", on<u32>([&](std::span<u32> all) { all[node] += change; }))) << node;
  EXPECT_TRUE(is_found("children", [](bytes& b) { b.pop_back(); }));
}

TEST_F(damaged_tree, keys) {
  save("Harmonia(32)", some_keys<u64>(100000));
  for (std::size_t const i : {0, 31, 32, 3000})
    EXPECT_TRUE(is_found("pivots", on<u64>([&](std::span<u64> all) { all[i] ^= 1; }))) << i;
  EXPECT_TRUE(is_found("pivots", [](bytes& b) { b.resize(b.size() + 8); }));
  EXPECT_TRUE(is_found("keys", on<u64>([](std::span<u64> all) { std::swap(all[0], all[99999]); })));
  EXPECT_TRUE(is_found("rows", on<u32>([](std::span<u32> all) { all[5] = no_row<u32>; })));
}

}  // namespace
}  // namespace warpdex::test
