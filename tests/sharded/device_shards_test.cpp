// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

/// @file
/// Shards on devices answer long batches as the whole index on the host does: in windows that they share, and where
/// these serve no such batch.
namespace warpdex::test {
namespace {

constexpr std::size_t key_count = 300'007;
constexpr std::size_t probe_count = (std::size_t{1} << 19) + 1005;
constexpr std::uint32_t shard_count = 3;

/// How keys are spread.
enum class spread : std::uint8_t { evenly, in_clusters, with_outliers };

template <class Key> std::vector<Key> make_keys(spread how, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> result(count);
  for (Key& key : result) {
    auto const number = static_cast<std::int64_t>(random() % 2'000'000) - (std::is_signed_v<Key> ? 1'000'000 : 0);
    std::int64_t const cluster = how == spread::in_clusters ? number % 3 * 500 : 0;
    key = static_cast<Key>(how == spread::in_clusters ? cluster * 1000 + number % 7000 * number % 7000 : number);
    if (how == spread::with_outliers && random() % 1000 == 0) key = static_cast<Key>(key * Key{900});
  }
  return result;
}

/// One place per device, at most one per shard.
std::vector<shard_place> all_devices() {
  std::vector<shard_place> places;
  for (device_info const& device : devices())
    if (places.size() != shard_count) places.push_back(place_on(device.ordinal));
  return places;
}

template <class Key> void expect_same(char const* spec, spread how) {
  SCOPED_TRACE(std::string(spec) + ", keys of " + std::string(to_string(column(std::vector<Key>{}).type)) +
               ", spread " + std::to_string(static_cast<int>(how)));
  std::vector<Key> const keys = make_keys<Key>(how, key_count, 1);
  std::vector<Key> probes = make_keys<Key>(how, probe_count, 2);
  for (Key const border : {*std::min_element(keys.begin(), keys.end()), *std::max_element(keys.begin(), keys.end())})
    for (int d : {-1, 0, 1}) probes[static_cast<std::size_t>(77 * (d + 2))] = static_cast<Key>(border + Key(d));
  std::copy_n(keys.begin(), 1000, probes.begin() + 500);
  std::vector<std::uint8_t> bits(probes.size() / 8 + 2, 0xfd);
  std::vector<Key> const upper = make_keys<Key>(how, probe_count, 3);
  auto const shards = sharded_index::build(spec, keys, placement::range, all_devices(), shard_count);
  index const whole = index::build(spec, keys, {});
  for (std::size_t const size : {probe_count, std::size_t{2000}}) {
    nullable_column const query(std::span<Key const>(probes).first(size), bits.data(), 3);
    std::span<Key const> const ends(upper.data(), size);
    EXPECT_EQ(shards.contains(query), whole.contains(query));
    EXPECT_EQ(shards.find(query), whole.find(query));
    EXPECT_EQ(shards.count(query), whole.count(query));
    if (!whole.ordered()) continue;
    EXPECT_EQ(shards.floor(query), whole.floor(query));
    EXPECT_EQ(shards.ceil(query), whole.ceil(query));
    EXPECT_EQ(shards.lower_bound(query), whole.lower_bound(query));
    EXPECT_EQ(shards.upper_bound(query), whole.upper_bound(query));
    EXPECT_EQ(shards.range_count({query, ends}), whole.range_count({query, ends}));
    EXPECT_EQ(shards.range_sum({query, ends}), whole.range_sum({query, ends}));
  }
}

class device_shards : public testing::TestWithParam<char const*> {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
  }
};

TEST_P(device_shards, answer_long_batches) {
  for (spread const how : {spread::evenly, spread::in_clusters, spread::with_outliers}) {
    expect_same<std::uint32_t>(GetParam(), how);
    expect_same<std::int64_t>(GetParam(), how);
  }
  expect_same<double>(GetParam(), spread::evenly);
}

/// Windows are those of the new shards.
TEST_P(device_shards, answer_after_updates) {
  std::vector<std::uint32_t> const keys = make_keys<std::uint32_t>(spread::evenly, key_count, 4);
  std::vector<std::uint32_t> const more = make_keys<std::uint32_t>(spread::evenly, 20'000, 5);
  std::vector<std::uint32_t> const probes = make_keys<std::uint32_t>(spread::evenly, probe_count, 6);
  std::vector<std::uint32_t> rows(more.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(key_count + i);
  auto shards = sharded_index::build(GetParam(), keys, placement::range, all_devices(), shard_count);
  index whole = index::build(GetParam(), keys, {});
  for (any_index* searched : {static_cast<any_index*>(&shards), static_cast<any_index*>(&whole)}) {
    searched->insert(more, rows, {});
    searched->erase(std::span(keys).first(5000), {});
  }
  EXPECT_EQ(shards.find(probes), whole.find(probes));
  EXPECT_EQ(shards.count(probes), whole.count(probes));
  if (whole.ordered()) {
    EXPECT_EQ(shards.upper_bound(probes), whole.upper_bound(probes));
  }
}

INSTANTIATE_TEST_SUITE_P(all, device_shards,
                         testing::Values("AO+BS", "AO+PB+KS(9)/layout=aos", "EO+BS", "B+(16)", "HT(open)"),
                         [](auto const& test) {
                           std::string name = test.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace warpdex::test
