// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/index.hpp>
#include <warpdex/search/codec.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "support/expect.hpp"
#include "support/key_shapes.hpp"

/// @file
/// Profiles of columns against the indexes that they describe, and what `advise` makes of them.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Key>
column_profile profile_of(std::vector<Key> const& keys, u64 most_sorted = u64{1} << 22, row_type rows = row_type::u32) {
  return profile(std::span(keys), rows, execution(), most_sorted);
}

u64 auxiliary_bytes(std::string const& s, column keys, row_type rows = row_type::u32) {
  return index::build(spec(s + "/rows=" + std::string(to_string(rows))), keys, execution()).memory().auxiliary;
}

template <class Key> Key as_key(u64 bits) {
  Key key;
  std::memcpy(&key, &bits, sizeof key);
  return key;
}

/// Every number of an exact profile is that of the built index.
template <class Key> void expect_exact(std::vector<Key> const& keys, row_type rows = row_type::u32) {
  auto const profile = profile_of(keys, u64{1} << 22, rows);
  EXPECT_TRUE(profile.exact);
  EXPECT_EQ(profile.size, keys.size());
  ASSERT_EQ(profile.models.size(), 7u);
  for (auto const& m : profile.models) {
    auto const eps = std::to_string(m.eps);
    EXPECT_EQ(m.pgm_bytes, auxiliary_bytes("PGM(" + eps + ")", std::span(keys), rows)) << eps;
    EXPECT_EQ(m.spline_bytes, auxiliary_bytes("RS(eps=" + eps + ")", std::span(keys), rows)) << eps;
  }
}

TEST(slow_profile, is_exact_for_short_columns) {
  for (auto const& shape : key_shapes<u32>(20000)) {
    SCOPED_TRACE(shape.name);
    expect_exact(shape.keys);
  }
  for (auto const& shape : key_shapes<u64>(20000)) {
    SCOPED_TRACE(shape.name);
    expect_exact(shape.keys, row_type::u64);
    std::map<u64, int> different;
    for (auto const key : shape.keys) ++different[key];
    auto const profile = profile_of(shape.keys);
    EXPECT_EQ(profile.distinct, different.size());
    EXPECT_EQ(profile.smallest, shape.keys.front());
    EXPECT_EQ(profile.largest, shape.keys.back());
  }
}

TEST(slow_profile, takes_few_and_extreme_keys) {
  expect_exact(std::vector<u64>{});
  expect_exact(std::vector<u64>{7});
  expect_exact(std::vector<u64>(5000, ~u64{0}));
  expect_exact(std::vector<u32>(5000, 42));
  auto const none = profile_of(std::vector<u64>{});
  EXPECT_EQ(none.distinct, 0u);
  EXPECT_EQ(none.models.front().pgm_segments, 0u);
  auto const largest = profile_of(std::vector<u64>(5000, ~u64{0}));
  EXPECT_EQ(largest.distinct, 1u);
  EXPECT_EQ(largest.largest, ~u64{0});
  EXPECT_EQ(largest.models.front().pgm_segments, 1u);
}

TEST(slow_profile, takes_all_types_of_narrow_keys) {
  std::vector<double> const reals = {2.5, -0.0, 0.0, -3.5, std::numeric_limits<double>::quiet_NaN(), 2.5};
  auto const of_reals = profile_of(reals);
  EXPECT_EQ(of_reals.distinct, 4u);
  EXPECT_EQ(as_key<double>(of_reals.smallest), -3.5);
  EXPECT_TRUE(std::isnan(as_key<double>(of_reals.largest)));
  std::vector<std::int32_t> const numbers = {5, -7, 5, std::numeric_limits<std::int32_t>::max()};
  auto const of_numbers = profile_of(numbers);
  EXPECT_EQ(of_numbers.distinct, 3u);
  EXPECT_EQ(as_key<std::int32_t>(of_numbers.smallest), -7);
  EXPECT_EQ(as_key<std::int32_t>(of_numbers.largest), std::numeric_limits<std::int32_t>::max());
  expect_exact(numbers);
  std::mt19937_64 random(3);
  std::vector<float> floats(10000);
  for (auto& f : floats) f = std::exp(std::normal_distribution<float>(0, 3)(random));
  expect_exact(floats);
}

/// Both within a factor of 1.5, except for a few.
void expect_near(u64 estimated, u64 counted, char const* what) {
  constexpr u64 few = 40;
  EXPECT_LE(estimated, counted * 3 / 2 + few) << what;
  EXPECT_LE(counted, estimated * 3 / 2 + few) << what;
}

/// Estimates from runs of an eighth of the column against the counts of all of it.
template <class Key> void expect_good_estimate(std::vector<Key> const& keys) {
  auto const estimated = profile_of(keys, u64{1} << 18);
  auto const counted = profile_of(keys);
  EXPECT_FALSE(estimated.exact);
  ASSERT_TRUE(counted.exact);
  EXPECT_EQ(estimated.smallest, counted.smallest);
  EXPECT_EQ(estimated.largest, counted.largest);
  expect_near(estimated.distinct, counted.distinct, "distinct keys");
  ASSERT_EQ(estimated.models.size(), counted.models.size());
  for (std::size_t i = 0; i < counted.models.size(); ++i) {
    auto const& a = estimated.models[i];
    auto const& b = counted.models[i];
    SCOPED_TRACE("eps " + std::to_string(b.eps));
    expect_near(a.pgm_segments, b.pgm_segments, "segments");
    expect_near(a.spline_points, b.spline_points, "points");
    expect_near(a.pgm_bytes + 1000, b.pgm_bytes + 1000, "bytes of PGM");
    expect_near(a.spline_bytes + 1000, b.spline_bytes + 1000, "bytes of RS");
  }
}

constexpr std::size_t many = std::size_t{1} << 20;

/// Keys in runs of `step`, close together and far apart in turn, so that each border of runs bends the curve.
std::vector<u64> stairs(std::size_t n, u64 step, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<u64> keys(n);
  u64 key = 0;
  for (std::size_t i = 0; i < n; ++i) keys[i] = key += i / step % 2 == 0 ? 1 : 1000 + random() % 100000;
  return keys;
}

TEST(slow_profile, estimates_uniform_keys) {
  std::mt19937_64 random(1);
  std::vector<u64> keys(many);
  for (auto& key : keys) key = random();
  expect_good_estimate(keys);
  std::vector<u32> narrow(keys.begin(), keys.end());
  expect_good_estimate(narrow);
}

TEST(slow_profile, estimates_skewed_keys) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> lognormal(0, 2);
  std::vector<u64> keys(many);
  for (auto& key : keys) key = static_cast<u64>(lognormal(random) * 1e9);
  expect_good_estimate(keys);
}

TEST(slow_profile, estimates_stairs) {
  auto keys = stairs(many, 17, 3);
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(4));
  expect_good_estimate(keys);
}

TEST(slow_profile, estimates_duplicates) {
  std::mt19937_64 random(5);
  std::vector<u64> keys(many);
  for (auto& key : keys) key = random() % (many / 16) * 1000003;
  expect_good_estimate(keys);
  for (std::size_t i = 0; i < many; i += 2) keys[i] = 12345;  // half of the column is one key
  expect_good_estimate(keys);
  for (auto& key : keys) key = random() % 100;
  expect_good_estimate(keys);
  expect_good_estimate(std::vector<u64>(many, ~u64{0}));
}

TEST(slow_profile, refuses_what_it_cannot_take) {
  std::vector<u128> const wide(3);
  EXPECT_TRUE(throws<unsupported>([&] { profile_of(wide); }, "u128"));
  EXPECT_TRUE(throws<invalid_argument>([] { profile(column(nullptr, 3, key_type::u32), row_type::u32, execution()); },
                                       "null pointer"));
  EXPECT_TRUE(throws<invalid_argument>([] { profile_of(std::vector<u32>(3), 1000); }, "most_sorted is 1000"));
  EXPECT_TRUE(throws<invalid_argument>(
      [] { profile(column(nullptr, 0, static_cast<key_type>(77)), row_type::u32, execution()); }, "77"));
}

/// A profile of `n` keys as if it had been made.
column_profile imagined(u64 n, u64 segments) {
  column_profile column{key_type::u64, row_type::u32, n};
  for (u64 const eps : {8, 16, 32, 64, 128})
    column.models.push_back({eps, segments, 3, segments * 16, 2 * segments, segments, segments * 40});
  return column;
}

TEST(slow_advise, learned_indexes_for_known_keys) {
  constexpr u64 n = u64{1} << 26;
  auto const advised = [](char const* words, column_profile const& column, backend_kind on = backend_kind::cuda) {
    return advise(workload_of(spec(words)), column, on);
  };
  auto const even = imagined(n, n / 500);
  auto const uneven = imagined(n, n / 33);
  auto const by_lines = advised("auto(order,least_memory,batch=2^18)", even);
  EXPECT_EQ(by_lines.spec, "PGM(16)");
  ASSERT_TRUE(by_lines.memory);
  EXPECT_EQ(by_lines.memory->pairs, n * 12);
  EXPECT_EQ(by_lines.memory->auxiliary, even.models[1].pgm_bytes);
  ASSERT_TRUE(by_lines.rate);
  EXPECT_NE(by_lines.rate->conditions.find("H200"), std::string::npos);
  EXPECT_EQ(advised("auto(rebuilds,least_memory,batch=2^18)", even).spec, "RS(eps=16)");
  EXPECT_EQ(advised("auto(order,least_memory,batch=2^18)", uneven).spec, "AO+BS") << "a model of 4%";
  EXPECT_EQ(advised("auto(order,least_memory,batch=2^24)", even).spec, "AO+BS") << "windows";
  EXPECT_EQ(advised("auto(order,least_memory,batch=2^10)", imagined(1 << 20, 100)).spec, "AO+BS") << "in the cache";
  EXPECT_EQ(advised("auto(order,least_memory)", even, backend_kind::cpu).spec, "AO+BS");
  EXPECT_EQ(advised("auto(least_memory,batch=2^18)", even).spec, "EO+KS(9)") << "no order";
  constexpr u64 most = (u64{1} << 32) - 2;
  EXPECT_EQ(advised("auto(order,least_memory,batch=1)", imagined(most, 1000)).spec, "AO+BS") << "ranks of 32 bits";
}

TEST(slow_advise, keys_change_nothing_else) {
  auto const column = imagined(1 << 26, 1 << 16);
  for (char const* const words : {"auto", "auto(ranges)", "auto(order,batch=1)", "auto(rebuilds,batch=1)"})
    for (backend_kind const backend : {backend_kind::cpu, backend_kind::cuda}) {
      auto const known = advise(workload_of(spec(words)), column, backend);
      auto const unknown = advise(workload_of(spec(words)), column.keys, column.rows, column.size, backend);
      EXPECT_EQ(known.spec, unknown.spec) << words;
      EXPECT_EQ(known.reasons, unknown.reasons) << words;
    }
}

/// Stairs that rise by two more ranks than twice eps. No line meets more than one of them.
TEST(slow_advise, tells_of_keys_that_follow_no_lines) {
  std::vector<u64> keys(100000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i / 34 * 1000000 + i % 34;
  auto const column = profile_of(keys);
  auto const& model = column.models[1];
  EXPECT_EQ(model.eps, 16u);
  EXPECT_GE(model.pgm_segments, keys.size() / 36);
  EXPECT_LE(model.pgm_segments, keys.size() / 32 + keys.size() / 4096 + 2);
  auto const a = advise(workload{}, column, backend_kind::cpu);
  EXPECT_NE(a.reasons.back().find("follow no lines"), std::string::npos) << a.reasons.back();
  EXPECT_EQ(a.spec, advise(workload{}, key_type::u64, row_type::u32, keys.size(), backend_kind::cpu).spec);
  expect_exact(keys);

  std::vector<u64> many_keys(many);
  for (std::size_t i = 0; i < many; ++i) many_keys[i] = i / 34 * 1000000 + i % 34;
  expect_good_estimate(many_keys);
}

/// What is expected of an index is what it reports once it is built.
TEST(slow_advise, expects_the_bytes_of_the_index) {
  for (u64 const n : {0, 1, 100, 70000}) {
    auto const keys = key_shapes<u64>(n).front().keys;
    auto const column = profile_of(keys);
    for (char const* const words : {"auto", "auto(least_memory)", "auto(order,least_memory)"}) {
      auto const a = advise(workload_of(spec(words)), column, backend_kind::cpu);
      auto const built = index::build(spec(a.spec), std::span(keys), execution()).memory();
      ASSERT_TRUE(a.memory) << a.spec;
      EXPECT_EQ(a.memory->pairs, built.pairs) << a.spec << " of " << n;
      EXPECT_EQ(a.memory->auxiliary, built.auxiliary) << a.spec << " of " << n;
    }
  }
}

TEST(slow_advise, tells_no_rate_that_was_not_measured) {
  auto const rate = [](char const* words, key_type keys, u64 n, backend_kind backend) {
    return advise(workload_of(spec(words)), keys, row_type::u32, n, backend).rate;
  };
  auto const large = rate("auto", key_type::u32, 1 << 28, backend_kind::cuda);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->probes_per_second, 49.71e9);
  EXPECT_EQ(large->conditions, "NVIDIA H200, 2^28 keys of 32 bits, batches of 2^27 points");
  EXPECT_FALSE(rate("auto", key_type::u32, u64{1} << 31, backend_kind::cuda)) << "8 times as many keys";
  EXPECT_FALSE(rate("auto(ranges)", key_type::u32, 1 << 28, backend_kind::cuda)) << "no points";
  EXPECT_FALSE(rate("auto(batch=10)", key_type::u32, 1 << 26, backend_kind::cuda)) << "a few probes";
  EXPECT_FALSE(rate("auto", key_type::u64, 1 << 20, backend_kind::cpu)) << "other programs ran";
  EXPECT_TRUE(rate("auto", key_type::i64, 1 << 28, backend_kind::cuda));
}

}  // namespace
}  // namespace warpdex::test
