// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sharded.hpp>

#include <warpdex/index.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "sharded/shards.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/limited_memory.hpp"

/// @file
/// What is special about shards. That they answer as the whole does is tested for every structure in conformance/.
namespace warpdex::test {
namespace {

std::vector<std::uint64_t> entries_of(sharded_index const& index) {
  std::vector<std::uint64_t> result;
  for (shard_info const& shard : index.shards()) result.push_back(shard.entries);
  return result;
}

TEST(sharded, keys_are_spread_evenly) {
  for (std::uint64_t const entries : entries_of(in_ranges(random_numbers(200000, 1u << 31, 1), 5)))
    EXPECT_NEAR(static_cast<double>(entries), 40000, 2000);
}

/// Sorted keys, of which the sample has a part. Its stretches reach to the last key.
TEST(sharded, sorted_keys_are_spread_evenly) {
  numbers keys((1 << 17) - 1);
  std::iota(keys.begin(), keys.end(), 0);
  for (std::uint64_t const entries : entries_of(in_ranges(keys, 4)))
    EXPECT_NEAR(static_cast<double>(entries), 32768, 200);
}

TEST(sharded, equal_keys_are_in_one_shard) {
  numbers const keys(1000, 7);
  sharded_index const index = in_ranges(keys, 3);
  EXPECT_EQ(entries_of(index), (std::vector<std::uint64_t>{0, 0, 1000}));
  EXPECT_EQ(index.count(7u), 1000u);
  EXPECT_EQ(index.find(7u), 0u);
  EXPECT_EQ(index.floor(numbers{6, 7, 8}), (numbers{no_row<std::uint32_t>, 0, 0}));
  EXPECT_EQ(index.ceil(numbers{6, 7, 8}), (numbers{0, 0, no_row<std::uint32_t>}));
}

TEST(sharded, without_keys_it_takes_updates) {
  sharded_index index = in_ranges({}, 3);
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.count(1u), 0u);
  EXPECT_EQ(index.insert(numbers{5, 1}, numbers{0, 1}, {}).inserted, 2u);
  EXPECT_EQ(index.lower_bound(numbers{0, 2, 9}), (std::vector<std::uint64_t>{0, 1, 2}));
  index.verify();
}

TEST(sharded, fewer_keys_than_shards) {
  sharded_index const index = in_ranges({30, 10}, 7);
  EXPECT_EQ(index.lower_bound(numbers{5, 10, 20, 30, 40}), (std::vector<std::uint64_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(index.range_count({numbers{0, 10, 11}, numbers{9, 30, 29}}), (std::vector<std::uint64_t>{0, 2, 0}));
}

/// Neighbours of a shard answer when their own has nothing, after erasures too.
TEST(sharded, floor_and_ceil_look_into_neighbours) {
  numbers keys(100);
  std::iota(keys.begin(), keys.end(), 0);
  sharded_index index = in_ranges(keys, 5);
  numbers erased(58);
  std::iota(erased.begin(), erased.end(), 21);
  EXPECT_EQ(index.erase(erased, {}).erased, 58u);
  EXPECT_EQ(index.floor(numbers{20, 50, 78, 79}), (numbers{20, 20, 20, 79}));
  EXPECT_EQ(index.ceil(numbers{20, 21, 50, 79}), (numbers{20, 79, 79, 79}));
  EXPECT_EQ(index.upper_bound(numbers{50}), (std::vector<std::uint64_t>{21}));
}

/// Long batches go to the shards, and to copies, in parts.
TEST(sharded, slow_long_batches) {
  numbers const keys = random_numbers(5000, 6000, 2), probes = random_numbers((1 << 20) + 77, 7000, 3);
  std::vector<std::uint8_t> bits(probes.size() / 8 + 2);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint8_t>(i * 37 | 1);
  nullable_column const query(probes, bits.data(), 3);
  index const whole = index::build("B+(16)", keys, {});
  for (placement const how : {placement::range, placement::replicate}) {
    auto const shards = sharded_index::build("B+(16)", keys, how, hosts(3));
    EXPECT_EQ(shards.find(query), whole.find(query));
    EXPECT_EQ(shards.floor(query), whole.floor(query));
    EXPECT_EQ(shards.count(query), whole.count(query));
  }
}

TEST(sharded, probes_of_other_types) {
  numbers const keys = random_numbers(1000, 3000, 4);
  index const whole = index::build("AO+BS", keys, {});
  sharded_index const shards = in_ranges(keys, 4);
  std::vector<double> probes;
  for (int i = -50; i < 3100; ++i) probes.push_back(i * 1.25 - 3);
  EXPECT_EQ(shards.find(probes), whole.find(probes));
  EXPECT_EQ(shards.upper_bound(probes), whole.upper_bound(probes));
  EXPECT_EQ(shards.floor(probes), whole.floor(probes));
}

TEST(sharded, paths_go_through_shards) {
  numbers keys(300), parents(300);
  std::iota(keys.begin(), keys.end(), 0);
  for (std::uint32_t i = 0; i < 300; ++i) parents[i] = i / 3;
  matches const plain = index::build("HT(open)", keys, {}).ancestors(keys, parents, {});
  matches const other = in_ranges(keys, 4, "HT(open)").ancestors(keys, parents, {});
  EXPECT_TRUE(std::ranges::equal(plain.all_rows(), other.all_rows()));
}

TEST(sharded, many_threads_look_up) {
  numbers const keys = random_numbers(20000, 1 << 20, 5);
  sharded_index const shards = in_ranges(keys, 3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      numbers const probes = random_numbers(3000, 1 << 20, 6 + i);
      EXPECT_EQ(shards.find(probes), index::build("AO+BS", keys, {}).find(probes));
    });
  for (auto& thread : threads) thread.join();
}

TEST(sharded, more_places_than_shards) {
  numbers const keys = random_numbers(1000, 3000, 14);
  auto const built = sharded_index::build("AO+BS", keys, placement::range, hosts(3), 1);
  EXPECT_EQ(built.find(keys), index::build("AO+BS", keys, {}).find(keys));
}

TEST(sharded, probes_spread_over_places) {
  numbers const keys = random_numbers(20000, 1 << 16, 7);
  sharded_index const shards = in_ranges(keys, 3);
  numbers const probes[3] = {random_numbers(4000, 1 << 16, 8), {}, random_numbers(77, 1 << 16, 9)};
  std::vector<numbers> found(3);
  std::vector<key_ranges> query;
  std::vector<std::vector<lookup_output>> outputs;
  for (int i = 0; i < 3; ++i) {
    found[i].resize(probes[i].size());
    query.push_back({probes[i]});
    outputs.push_back({row_output(found[i].data(), found[i].size(), row_type::u32)});
  }
  shards.look_up_spread(lookups::find, query, outputs);
  index const whole = index::build("AO+BS", keys, {});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(found[i], whole.find(probes[i]));
  auto const asks = [&](std::span<key_ranges const> pieces) { shards.look_up_spread(lookups::find, pieces, outputs); };
  EXPECT_TRUE(
      throws<invalid_argument>([&] { asks(std::span(query).first(2)); }, "find: 2 pieces of probes for 3 places"));
  outputs.pop_back();
  EXPECT_TRUE(throws<invalid_argument>([&] { asks(query); }, "find: 2 pieces of outputs for 3 places"));
  outputs.push_back({row_output(found[2].data(), 5, row_type::u32)});
  EXPECT_TRUE(throws<invalid_argument>([&] { asks(query); }, "place 2 of 3, on the host: find: the output"));
}

TEST(sharded, keys_in_pieces) {
  numbers const keys = random_numbers(20000, 1 << 15, 12);
  column const pieces[] = {std::span(keys).first(7000), std::span(keys).subspan(7000, 0),
                           std::span(keys).subspan(7000)};
  index const whole = index::build("AO+BS", keys, {});
  numbers const probes = random_numbers(3000, 1 << 15, 13);
  for (placement const how : {placement::range, placement::replicate}) {
    auto const built = sharded_index::build_spread("AO+BS", pieces, how, hosts(3));
    EXPECT_EQ(built.find(probes), whole.find(probes));
    EXPECT_EQ(built.upper_bound(probes), whole.upper_bound(probes));
  }
  std::vector<double> const others{1, 2};
  column const mixed[] = {keys, others};
  auto const build = [](std::span<column const> from) {
    return sharded_index::build_spread("AO+BS", from, placement::range, hosts(2));
  };
  EXPECT_TRUE(throws<invalid_argument>([&] { build(mixed); }, "pieces of the key column have the types u32 and f64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { build({}); }, "there are no pieces of a key column"));
}

/// More entries than the manifest has bytes.
TEST(sharded, files_of_many_entries) {
  folder const home;
  numbers const keys = random_numbers(1 << 17, 1u << 31, 11);
  sharded_index const built = in_ranges(keys, 3);
  built.save(home / "index");
  EXPECT_EQ(sharded_index::load(home / "index", hosts(2)).find(keys), built.find(keys));
}

TEST(sharded, says_what_it_does) {
  numbers const keys{1, 2, 3, 4};
  auto const automatic = sharded_index::build("auto", keys, placement::automatic, hosts(2));
  EXPECT_EQ(automatic.how(), placement::replicate);
  EXPECT_NE(automatic.explain().find("replicate over 2 places: the pairs take 32 bytes, at most 40 %"),
            std::string::npos)
      << automatic.explain();
  sharded_index const ranges = in_ranges(keys, 2);
  EXPECT_NE(ranges.explain().find("\nshard 1 on the host: 2 entries"), std::string::npos) << ranges.explain();
  EXPECT_EQ(ranges.memory().pairs, ranges.shards()[0].memory.pairs + ranges.shards()[1].memory.pairs);
  EXPECT_EQ(parse_placement("Auto"), placement::automatic);
  EXPECT_TRUE(throws<invalid_argument>([] { (void)parse_placement("ranges"); }, "did you mean range?"));
}

TEST(sharded, wrong_places) {
  numbers const keys{1, 2, 3};
  auto const build = [&](std::vector<shard_place> const& places, placement how = placement::range,
                         std::uint32_t shards = 0) {
    return [&keys, places, how, shards] { (void)sharded_index::build("AO+BS", keys, how, places, shards); };
  };
  EXPECT_TRUE(throws<invalid_argument>(build({}), "build: there are no places"));
  EXPECT_TRUE(throws<invalid_argument>(build({{}, {execution(), 0}}), "place 1", "its device is number 0"));
  EXPECT_TRUE(throws<invalid_argument>(build({{execution(), -2}}), "place 0", "that of the host", "number -2"));
  execution none;
  none.memory = nullptr;
  EXPECT_TRUE(throws<invalid_argument>(build({{none}}), "place 0"));
  EXPECT_TRUE(throws<invalid_argument>(build(hosts(2), placement::replicate, 3), "3 shards in 2 places"));
  EXPECT_TRUE(throws<invalid_argument>(build(hosts(2), static_cast<placement>(9)), "placement number 9"));
  EXPECT_TRUE(throws<invalid_argument>(build(hosts(2), placement::range, 65537), "65537 shards"));
  EXPECT_TRUE(
      throws<spec_error>([&] { (void)sharded_index::build("AO+XS", keys, placement::range, hosts(2)); }, "AO+XS"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { (void)sharded_index::build("AO+BS", keys, numbers{1}, placement::range, hosts(2)); }, "the row column"));
}

/// The second place runs out of memory: the message names it, and nothing has changed.
TEST(sharded, memory_runs_out_in_one_shard) {
  numbers const keys = random_numbers(10000, 1u << 31, 7);
  limited_memory scarce(host_memory());
  std::vector<shard_place> const places{{}, {execution(scarce)}};
  scarce.limit = 1000;
  auto const build = [&] { return sharded_index::build("AO+BS", keys, placement::range, places); };
  EXPECT_TRUE(throws<out_of_memory>([&] { (void)build(); }, "shard 1 of 2, on the host: "));
  scarce.limit = static_cast<std::size_t>(-1);
  sharded_index index = build();
  auto const before = index.lower_bound(keys);
  scarce.limit = 1000;
  numbers const rows(keys.size());
  EXPECT_TRUE(throws<out_of_memory>([&] { index.insert(keys, rows, {}); }, "shard 1 of 2, on the host: "));
  EXPECT_TRUE(throws<out_of_memory>([&] { index.erase(keys, {}); }, "shard 1 of 2"));
  scarce.limit = static_cast<std::size_t>(-1);
  EXPECT_EQ(index.size(), keys.size());
  EXPECT_EQ(index.lower_bound(keys), before);
  index.verify();
}

}  // namespace
}  // namespace warpdex::test
