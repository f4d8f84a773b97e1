// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_table_test.hpp"

#include <warpdex/search/hash_buckets.hpp>

/// @file
/// Cases that the conformance tests of HT(buckets) do not reach: keys chosen to collide, the length of searches, groups
/// of lanes, and damaged chains.
namespace warpdex::test {
namespace {

class hash_buckets_on : public hash_table_on {
 protected:
  hash_buckets_on()
      : hash_table_on({"HT(buckets,load=0.1)", "HT(buckets)", "HT(buckets,15,load=4)/layout=SoA",
                       "HT(buckets,15,load=1.5)", "HT(buckets)/layout=SoA"}) {}
};

/// Groups of lanes that look at a whole base node; keys and rows of 4 bytes have them.
class hash_buckets_in_groups_on : public hash_table_on {
 protected:
  hash_buckets_in_groups_on() : hash_table_on({"HT(buckets,15,load=1.5)", "HT(buckets)/layout=SoA"}) {}
};

TEST_P(hash_buckets_in_groups_on, slow_hostile_keys_of_32_bits) { expect_all_right<std::uint32_t>(); }
TEST_P(hash_buckets_in_groups_on, slow_keys_that_crowd_under_every_seed) { expect_crowds_are_held<std::uint32_t>(); }
TEST_P(hash_buckets_in_groups_on, keys_chosen_for_the_seed_of_a_table) { expect_crowds_come_later<std::uint32_t>(); }
TEST_P(hash_buckets_in_groups_on, the_end_of_the_hashes_is_a_key_like_others) { expect_right_at_ends(); }

TEST_P(hash_buckets_on, slow_hostile_keys_of_32_bits) { expect_all_right<std::uint32_t>(); }
TEST_P(hash_buckets_on, slow_hostile_keys_of_64_bits) { expect_all_right<std::uint64_t>(); }
TEST_P(hash_buckets_on, nobody_foresees_the_next_seed) {
  expect_unforeseen_seeds<std::uint32_t>();
  expect_unforeseen_seeds<std::uint64_t>();
}
TEST_P(hash_buckets_on, slow_keys_that_crowd_under_every_seed) {
  expect_crowds_are_held<std::uint32_t>();
  expect_crowds_are_held<std::uint64_t>();
}
TEST_P(hash_buckets_on, keys_chosen_for_the_seed_of_a_table) {
  expect_crowds_come_later<std::uint32_t>();
  expect_crowds_come_later<std::uint64_t>();
}
TEST_P(hash_buckets_on, the_end_of_the_hashes_is_a_key_like_others) { expect_right_at_ends(); }

TEST_P(hash_buckets_on, sizes) {
  std::vector<std::uint32_t> keys = spread_keys<std::uint32_t>(100000);
  auto const bytes = [&](char const* spec) {
    return static_cast<double>(index::build(spec, std::span(keys), exec_).memory().total());
  };
  EXPECT_NEAR(bytes("HT(buckets)"), 1.023e6, 5000);
  EXPECT_NEAR(bytes("HT(buckets,load=1.5)"), 0.979e6, 5000);
  EXPECT_NEAR(bytes("HT(buckets,load=0.5)"), 1.715e6, 5000);
  keys[7] = keys[8];  // as docs/reference/structures.md says: 32 % beyond the pairs once a key repeats
  EXPECT_NEAR(bytes("HT(buckets)"), 1.055e6, 5000);
  std::fill(keys.begin(), keys.end(), 5u);
  EXPECT_LT(bytes("HT(buckets)"), 400200);  // the row ids, and one key
}

TEST_P(hash_buckets_on, tables_are_the_same_everywhere) {
  expect_same_everywhere(
      {"HT(buckets)", "HT(buckets,load=1.5)/layout=SoA", "HT(buckets,load=4)/layout=packed/rows=u64"});
}

INSTANTIATE_TEST_SUITE_P(all, hash_buckets_on, testing::ValuesIn(present_backends()), backend_name);
INSTANTIATE_TEST_SUITE_P(all, hash_buckets_in_groups_on, testing::ValuesIn(present_backends()), backend_name);

using view_t = hash_buckets<aos_pairs<std::uint32_t, std::uint32_t>>;

TEST(hash_buckets_view, searches_are_short) {
  constexpr std::uint64_t n = 100000;
  auto const keys = spread_keys<std::uint32_t>(2 * n);
  std::vector<std::uint32_t> const present(keys.begin(), keys.begin() + n);
  std::vector<std::uint32_t> const absent(keys.begin() + n, keys.end());
  for (auto const& [spec, most] :
       {std::pair("HT(buckets,load=0.5)", 1.1), {"HT(buckets)", 1.62}, {"HT(buckets,load=1.5)", 2.65}}) {
    index const table = index::build(spec, std::span(present), execution());
    auto const view = table.view<view_t>();
    EXPECT_LT(visits(view, present), most) << spec;
    EXPECT_LT(visits(view, absent), most) << spec;
  }
}

TEST(hash_buckets_view, in_a_loop_of_the_users_own) { expect_right_in_a_loop<view_t>("HT(buckets)"); }

TEST(hash_buckets_view, groups_of_lanes_find_the_same) {
  auto const keys = spread_keys<std::uint64_t>(6000);
  for (char const* const spec : {"HT(buckets,load=0.5)", "HT(buckets)", "HT(buckets,load=1.5)", "HT(buckets,load=4)"}) {
    index const table = index::build(spec, std::span(keys).first(3000), execution());
    auto const view = table.view<hash_buckets<aos_pairs<std::uint64_t, std::uint32_t>>>();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const key = keys[i];
      std::uint32_t const row = i < 3000 ? static_cast<std::uint32_t>(i) : no_row<std::uint32_t>;
      EXPECT_EQ(find(view, key), row);
      EXPECT_EQ(find(view, key, lane_in_flight()), row);
      EXPECT_EQ(find(view, key, host_tile<4>()), row);
      EXPECT_EQ(find(view, key, host_tile<16>()), row);
      EXPECT_EQ(find(view, key, host_tile<32>()), row);
    }
  }
}

class damaged_buckets : public damaged_table {
 protected:
  struct pair {
    std::uint64_t key, row;
    bool taken() const { return row != no_row<std::uint64_t>; }
  };
  static constexpr pair empty = {~std::uint64_t{0}, no_row<std::uint64_t>};

  void SetUp() override {
    save("HT(buckets)/rows=u64", spread_keys<std::uint64_t>(1000));
    auto const whole = io::file::open(path_, true);
    std::uint64_t table[4];
    std::memcpy(table, whole.bytes("table").data(), sizeof(table));
    homes_ = table[1];
    ASSERT_EQ(homes_, 67u);
  }

  /// Whether a change is found. The change gets the pairs and the slot of the first node after the base nodes.
  testing::AssertionResult is_found_in(std::function<void(std::span<pair>, std::size_t)> const& change) {
    return is_found("pairs", on<pair>([&](std::span<pair> all) { change(all, 16 * homes_); }));
  }

  /// The slot of the link of a base node: of bucket number `which` among those with one chain node, or with several if
  /// `longer`.
  std::size_t link(std::span<pair> all, int which, bool longer) const {
    for (std::size_t at = 15; at < 16 * homes_; at += 16) {
      bool const has_second = all[at].row != 0 && all[16 * homes_ + 4 * all[at].row - 1].row != 0;
      if (all[at].row != 0 && has_second == longer && which-- == 0) return at;
    }
    ADD_FAILURE() << "no such chain";
    return 15;
  }

  std::size_t homes_ = 0;
};

TEST_F(damaged_buckets, links) {
  EXPECT_TRUE(
      is_found_in([&](auto all, auto chains) { all[link(all, 0, false)].row = (all.size() - chains) / 4 + 1; }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) { all[link(all, 0, false)].row = ~std::uint64_t{0}; }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) { all[link(all, 0, false)].row = std::uint64_t{1} << 62; }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) { all[link(all, 0, false)].row = 0; }));  // a chain lost
  EXPECT_TRUE(is_found_in([&](auto all, auto) { all[link(all, 0, false)].key = 1; }));
  EXPECT_TRUE(is_found_in([&](auto all, auto chains) {  // a chain that never ends
    std::size_t const at = link(all, 0, false);
    all[chains + 4 * all[at].row - 1].row = all[at].row;
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto chains) {  // two nodes that link to each other
    std::size_t const at = link(all, 0, true);
    std::uint64_t const second = all[chains + 4 * all[at].row - 1].row;
    all[chains + 4 * second - 1].row = all[at].row;
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // the chains of two buckets exchanged
    std::swap(all[link(all, 0, false)], all[link(all, 1, false)]);
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // a node in two chains
    all[link(all, 0, false)] = all[link(all, 1, false)];
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto chains) {  // a chain that ends too early
    all[chains + 4 * all[link(all, 0, true)].row - 1].row = 0;
  }));
}

TEST_F(damaged_buckets, pairs) {
  auto const first_quarter = [&](std::span<pair> all, auto const& right) {
    for (std::size_t at = 0; at < 16 * homes_; at += 4)
      if (at % 16 != 12 && right(all.subspan(at, 4))) return all.subspan(at, 4);
    ADD_FAILURE() << "no such quarter";
    return all.first(4);
  };
  auto const full = [](std::span<pair> quarter) { return quarter[3].taken(); };
  auto const half = [](std::span<pair> quarter) { return quarter[1].taken() && !quarter[2].taken(); };
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // a key of another bucket
    first_quarter(all, half)[0].key ^= std::uint64_t{1} << 63;
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // two keys exchanged
    auto const quarter = first_quarter(all, full);
    std::swap(quarter[1], quarter[2]);
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // a key twice
    auto const quarter = first_quarter(all, half);
    quarter[2] = quarter[1];
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // a key lost
    first_quarter(all, half)[1] = empty;
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // an empty slot before a key
    auto const quarter = first_quarter(all, half);
    std::swap(quarter[1], quarter[2]);
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto) {  // an empty slot that would not end a search
    first_quarter(all, half)[3].key = 0;
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto chains) {  // a key too far from home
    auto const overflown = link(all, 0, false) - 15;
    auto const node = chains + 4 * (all[overflown + 15].row - 1);
    for (std::size_t at = overflown + 14; at > overflown; --at)
      if (all[at].taken()) {
        for (std::size_t to = node + 2; to > node; --to) all[to] = all[to - 1];
        all[node] = all[at];
        all[at] = empty;
        return;
      }
  }));
  EXPECT_TRUE(is_found_in([&](auto all, auto chains) {  // an empty node in a chain
    auto const node = chains + 4 * (all[link(all, 0, true)].row - 1);
    for (std::size_t at = node; at < node + 3; ++at) all[at] = empty;
  }));
}

TEST_F(damaged_buckets, numbers) {
  expect_found_in_numbers();
  save("HT(buckets,load=4)", spread_keys<std::uint32_t>(1000));  // all base nodes have links
  expect_found_in_numbers();
}

/// Nodes outside all chains are no damage if they are empty.
TEST_F(damaged_buckets, nodes_in_no_chain) {
  auto const with_node = [&](pair const& slot, pair const& last) {
    auto const whole = io::file::open(path_, true);
    bytes table(whole.bytes("table").begin(), whole.bytes("table").end());
    bytes pairs(whole.bytes("pairs").begin(), whole.bytes("pairs").end());
    on<std::uint64_t>([](std::span<std::uint64_t> all) { ++all[2]; })(table);
    pair const node[] = {slot, empty, empty, last};
    auto const added = std::as_bytes(std::span(node));
    pairs.insert(pairs.end(), added.begin(), added.end());
    std::vector<io::section> const sections = {{"table", table.data(), table.size()},
                                               {"pairs", pairs.data(), pairs.size()}};
    io::write(folder_ / "more.wdx", whole.head(), sections);
    return index::load(folder_ / "more.wdx", exec_).size();
  };
  EXPECT_EQ(with_node(empty, {0, 0}), 1000u);
  EXPECT_TRUE(throws<format_error>([&] { with_node({5, 5}, {0, 0}); }, "more.wdx"));
  EXPECT_TRUE(throws<format_error>([&] { with_node({0, no_row<std::uint64_t>}, {0, 0}); }, "more.wdx"));
  EXPECT_TRUE(throws<format_error>([&] { with_node(empty, {0, 1}); }, "more.wdx"));
}

TEST_F(damaged_buckets, lists) { expect_found_in_lists("HT(buckets)"); }
TEST_F(damaged_buckets, groups) { expect_groups_are_read<view_t>("HT(buckets)"); }

}  // namespace
}  // namespace warpdex::test
