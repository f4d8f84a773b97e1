// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/index.hpp>
#include <warpdex/search/codec.hpp>
#include <warpdex/sorted.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/expect.hpp"
#include "support/seed.hpp"

/// @file
/// Searches of a caller's own sorted column, against an index over it.
namespace warpdex::test {
namespace {

template <class Key> std::vector<Key> some_keys(std::size_t size, std::mt19937_64& random) {
  std::vector<Key> result(size);
  for (auto& key : result) {
    key = static_cast<Key>(static_cast<std::int64_t>(random() % 2000) - (std::is_unsigned_v<Key> ? 0 : 1000));
    if (random() % 16 == 0)
      key = random() % 2 != 0 ? std::numeric_limits<Key>::max() : std::numeric_limits<Key>::lowest();
    if constexpr (std::is_floating_point_v<Key>) {
      if (random() % 16 == 0) key = std::numeric_limits<Key>::quiet_NaN();
      if (random() % 16 == 0) key = random() % 2 != 0 ? Key{-0.0} : Key{0.0};
    }
  }
  return result;
}

template <class Key, class Probe> void check_bounds(std::mt19937_64& random) {
  for (std::size_t const size : {0, 1, 2, 7, 300, 5000}) {
    auto keys = some_keys<Key>(size, random);
    std::sort(keys.begin(), keys.end(), [](Key a, Key b) { return encode(a) < encode(b); });
    EXPECT_TRUE(ascends(column(keys), {}));
    auto const probes = some_keys<Probe>(20'001, random);
    index const built = index::build("AO+BS", column(keys), {});
    for (std::size_t const count : {std::size_t{1}, std::size_t{15}, probes.size()}) {
      column const some(probes.data(), count, column(probes).type);
      std::vector<std::uint64_t> expected(count), found(count);
      built.lower_bound(some, expected, {});
      lower_bound_in(column(keys), some, found, {});
      ASSERT_EQ(found, expected) << size << " keys, " << count << " probes, seed " << test_seed();
      built.upper_bound(some, expected, {});
      upper_bound_in(column(keys), some, found, {});
      ASSERT_EQ(found, expected) << size << " keys, " << count << " probes, seed " << test_seed();
    }
  }
}

TEST(sorted, bounds_of_all_types) {
  std::mt19937_64 random(test_seed());
  check_bounds<std::uint32_t, std::uint32_t>(random);
  check_bounds<std::int32_t, std::int32_t>(random);
  check_bounds<std::int64_t, std::int64_t>(random);
  check_bounds<std::uint64_t, std::uint64_t>(random);
  check_bounds<float, float>(random);
  check_bounds<double, double>(random);
}

TEST(sorted, probes_of_another_type) {
  std::mt19937_64 random(test_seed());
  check_bounds<std::uint32_t, std::int64_t>(random);
  check_bounds<std::int32_t, double>(random);
  check_bounds<float, std::uint64_t>(random);
}

TEST(sorted, tells_whether_keys_ascend) {
  std::vector<std::int32_t> keys(600'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int32_t>(i / 2) - 1000;
  EXPECT_TRUE(ascends(column(keys), {}));
  for (std::size_t const at : {std::size_t{1}, std::size_t{1024}, std::size_t{1} << 18, keys.size() - 1}) {
    auto broken = keys;
    broken[at] = -5000;
    EXPECT_FALSE(ascends(column(broken), {})) << at;
  }
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(ascends(column(std::vector<double>{-0.0, 0.0, -0.0, 1, nan, nan}), {}));
  EXPECT_FALSE(ascends(column(std::vector<double>{nan, 1}), {}));
}

template <class Key, class Probe> void check_on_device(std::mt19937_64& random) {
  execution const exec(device_memory());
  auto keys = some_keys<Key>(4097, random);
  std::sort(keys.begin(), keys.end(), [](Key a, Key b) { return encode(a) < encode(b); });
  auto const probes = some_keys<Probe>(20'001, random);
  buffer const on_device(keys.size() * sizeof(Key), exec), query(probes.size() * sizeof(Probe), exec);
  buffer const answers(probes.size() * sizeof(std::uint64_t), exec);
  copy(on_device.data(), keys.data(), on_device.bytes(), exec);
  copy(query.data(), probes.data(), query.bytes(), exec);
  for (bool const upper : {false, true}) {
    auto const search = upper ? upper_bound_in : lower_bound_in;
    std::vector<std::uint64_t> expected(probes.size()), found(probes.size());
    search(column(keys), column(probes), expected, {});
    search(column(keys), column(probes), found, exec);
    ASSERT_EQ(found, expected) << "arrays on the host, seed " << test_seed();
    search({on_device.data(), keys.size(), column(keys).type}, {query.data(), probes.size(), column(probes).type},
           {answers.as<std::uint64_t>(), probes.size()}, exec);
    copy(found.data(), answers.data(), answers.bytes(), exec);
    ASSERT_EQ(found, expected) << "arrays on the device, seed " << test_seed();
  }
}

TEST(sorted, columns_on_a_device) {
  if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
  std::mt19937_64 random(test_seed());
  check_on_device<std::uint32_t, std::uint32_t>(random);
  check_on_device<std::int64_t, std::int64_t>(random);
  check_on_device<std::int64_t, double>(random);
  check_on_device<float, std::uint64_t>(random);
  check_on_device<double, double>(random);
}

TEST(sorted, wrong_arguments) {
  std::vector<std::uint32_t> const keys = {1, 2};
  std::vector<std::uint64_t> out(1);
  EXPECT_TRUE(throws<invalid_argument>([&] { lower_bound_in(column(keys), column(keys), out, {}); }, "1 elements"));
  std::vector<date> const days = {{1}};
  EXPECT_TRUE(throws<invalid_argument>([&] { upper_bound_in(column(keys), column(days), out, {}); }, "date"));
  byte_strings const words(std::vector<std::string>{"a"});
  EXPECT_TRUE(throws<unsupported>([&] { lower_bound_in(words, words, out, {}); }, "bytes"));
}

}  // namespace
}  // namespace warpdex::test
