// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/data.hpp"

#include "bench/context.hpp"
#include "bench/key_tree.hpp"
#include "bench/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace warpdex::bench {
namespace {

TEST(bench_random, permutations_are_bijections) {
  for (std::uint64_t const size : {1, 2, 3, 4, 5, 31, 32, 33, 1000, 4096, 4097})
    for (std::uint64_t const seed : {0, 1, 2}) {
      auto const p = permutation::of_size(size, seed);
      std::vector<bool> seen(size);
      for (std::uint64_t i = 0; i < size; ++i) {
        auto const x = p(i);
        ASSERT_LT(x, size);
        ASSERT_FALSE(seen[x]);
        seen[x] = true;
        ASSERT_EQ(p.inverse(x), i);
      }
    }
}

TEST(bench_random, permutations_keep_out_of_the_beginning) {
  for (int const bits : {8, 32, 64}) {
    auto const p = permutation::from(100, bits, 7);
    for (std::uint64_t i = 100; i < 256; ++i) {
      auto const x = p(i);
      ASSERT_GE(x, 100u);
      ASSERT_TRUE(bits == 64 || x >> bits == 0);
      ASSERT_EQ(p.inverse(x), i);
    }
  }
}

TEST(bench_random, permutations_spread_evenly) {
  auto const p = permutation::from(0, 32, 3);
  std::vector<int> buckets(256);
  constexpr int draws = 1 << 16;
  for (std::uint64_t i = 0; i < draws; ++i) ++buckets[p(i) >> 24];
  // 256 are expected in each; seven standard deviations are 112.
  for (int const b : buckets) EXPECT_NEAR(b, draws / 256, 112);
}

TEST(bench_random, seeds_change_everything) {
  auto const a = key_set<std::uint32_t>::generate(1000, 100, 1);
  auto const b = key_set<std::uint32_t>::generate(1000, 100, 1);
  auto const c = key_set<std::uint32_t>::generate(1000, 100, 2);
  EXPECT_TRUE(std::ranges::equal(a.keys(), b.keys()));
  EXPECT_FALSE(std::ranges::equal(a.keys(), c.keys()));
}

TEST(bench_random, zipf_has_its_distribution) {
  for (double const s : {0.25, 0.99, 1.0, 1.5, 5.0}) {
    constexpr std::uint64_t n = 50;
    constexpr int draws = 200000;
    zipf const z(n, s);
    noise random(11, 0);
    std::vector<int> counts(n);
    for (int i = 0; i < draws; ++i) {
      auto const k = z(random);
      ASSERT_LT(k, n);
      ++counts[k];
    }
    double total = 0;
    for (std::uint64_t k = 1; k <= n; ++k) total += std::pow(static_cast<double>(k), -s);
    for (std::uint64_t k = 1; k <= n; ++k) {
      double const expected = draws * std::pow(static_cast<double>(k), -s) / total;
      EXPECT_NEAR(counts[k - 1], expected, 6 * std::sqrt(expected) + 6) << "s " << s << " k " << k;
    }
  }
  noise random(1, 0);
  EXPECT_EQ(zipf(1, 1.0)(random), 0u);
}

template <class Key> void check_key_set(std::uint64_t n, double uniformity) {
  SCOPED_TRACE(testing::Message() << "n " << n << " uniformity " << uniformity);
  auto const set = key_set<Key>::generate(n, uniformity, 5);
  ASSERT_EQ(set.size(), n);
  std::set<Key> const unique(set.keys().begin(), set.keys().end());
  ASSERT_EQ(unique.size(), n);
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(set.row(set.keys()[i]), i);
  for (Key k = 0; k < 3000; ++k) ASSERT_EQ(set.row(k) != missing, unique.contains(k)) << static_cast<std::uint64_t>(k);
  if (n == 0) return;
  EXPECT_EQ(set.lowest(), *unique.begin());
  EXPECT_EQ(set.highest(), *unique.rbegin());
  auto const dense = n - static_cast<std::uint64_t>(std::llround(static_cast<double>(n) * uniformity / 100));
  for (Key k = 0; k < dense; ++k) ASSERT_TRUE(unique.contains(k));
}

TEST(bench_data, generated_keys) {
  for (double const uniformity : {0.0, 1.0, 50.0, 100.0})
    for (std::uint64_t const n : {0, 1, 2, 1000}) {
      check_key_set<std::uint32_t>(n, uniformity);
      check_key_set<std::uint64_t>(n, uniformity);
      check_key_set<u128>(n, uniformity);
    }
}

TEST(bench_data, generated_keys_that_repeat) {
  auto const set = key_set<std::uint32_t>::generate(1001, 50, 5, 4);
  ASSERT_EQ(set.size(), 1001u);
  EXPECT_FALSE(set.generated());
  std::map<std::uint32_t, int> counts;
  for (auto const key : set.keys()) ++counts[key];
  EXPECT_EQ(counts.size(), 251u);
  EXPECT_EQ(std::count_if(counts.begin(), counts.end(), [](auto const& c) { return c.second == 4; }), 250);
}

/// The part of the keys that is in the fullest of 1024 equal parts of all values: 1/1024 if keys are uniform.
template <class Key> double fullest_part(key_set<Key> const& set) {
  std::vector<int> counts(1024);
  for (auto const key : set.keys()) ++counts[key >> (8 * sizeof(Key) - 10)];
  return *std::max_element(counts.begin(), counts.end()) / static_cast<double>(set.size());
}

template <class Key> void check_shape(key_shape shape) {
  for (std::uint64_t const n : {0, 1, 2, 100}) EXPECT_EQ(make_shape<Key>(shape, n, 1).size(), n);
  auto const set = make_shape<Key>(shape, 50000, 1);
  EXPECT_TRUE(std::ranges::equal(set.keys(), make_shape<Key>(shape, 50000, 1).keys()));
  EXPECT_FALSE(set.generated()) << "keys may repeat";
  EXPECT_FALSE(std::is_sorted(set.keys().begin(), set.keys().end()));
  EXPECT_LT(set.lowest(), set.highest());
  bool const is_uniform_from_afar =
      shape == key_shape::stairs || shape == key_shape::piecewise || shape == key_shape::prefix;
  EXPECT_TRUE(is_uniform_from_afar || fullest_part(set) > 0.004);
}

TEST(bench_data, shapes) {
  EXPECT_FALSE(shape_named("uniform"));
  auto const names = shape_names();
  int found = 0;
  for (std::size_t begin = 0; begin <= names.size(); ++found) {
    auto const end = std::min(names.find('|', begin), names.size());
    auto const name = names.substr(begin, end - begin);
    SCOPED_TRACE(name);
    auto const shape = shape_named(name);
    ASSERT_TRUE(shape);
    if (*shape == key_shape::isbn) EXPECT_THROW(check_shape<std::uint32_t>(*shape), usage_error);
    else check_shape<std::uint32_t>(*shape);
    check_shape<std::uint64_t>(*shape);
    begin = end + 1;
  }
  EXPECT_EQ(found, 10);
}

config probes_config(double hit_rate, bool inside) {
  config c;
  c.probes = 5000;
  c.hit_rate = hit_rate;
  c.miss_inside = inside;
  return c;
}

template <class Key> void check_hits_and_misses() {
  auto const set = key_set<Key>::generate(1000, 50, 5);
  for (double const rate : {0.0, 0.5, 1.0})
    for (bool const inside : {false, true}) {
      auto const probes = make_probes<Key>(probes_config(rate, inside), set, nullptr);
      std::uint64_t hits = 0;
      for (auto const p : probes.all()) {
        if (set.row(p) != missing) ++hits;
        else ASSERT_EQ(p > set.lowest() && p < set.highest(), inside);
      }
      EXPECT_NEAR(static_cast<double>(hits), 5000 * rate, 250);
      EXPECT_TRUE(rate != 1.0 || hits == 5000);
      EXPECT_TRUE(rate != 0.0 || hits == 0);
    }
}

TEST(bench_data, hits_and_misses) {
  check_hits_and_misses<std::uint32_t>();
  check_hits_and_misses<u128>();
}

TEST(bench_data, misses_of_a_file) {
  std::vector<std::int64_t> const values = {5, -3, 5, 9, -3};
  auto const set = key_set<std::uint64_t>::of_column(column(std::span(values)));
  EXPECT_FALSE(set.generated());
  sorted_set<std::uint64_t> const sorted(set);
  std::map<std::uint64_t, int> seen;
  auto const probes = make_probes<std::uint64_t>(probes_config(0, true), set, &sorted);
  for (auto const p : probes.all()) ++seen[p - (std::uint64_t{1} << 63)];
  // All values between -3 and 9 that are no keys: -2 to 4, and 6 to 8.
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_FALSE(seen.contains(5));
  EXPECT_TRUE(seen.contains(static_cast<std::uint64_t>(-2)));
  EXPECT_TRUE(seen.contains(8));
}

TEST(bench_data, paths_meet_at_the_root) {
  std::vector<int> children(1000);
  for (std::uint64_t row = 1; row < children.size(); ++row) {
    ASSERT_LT(parent_row(row), row);
    ++children[parent_row(row)];
  }
  for (std::size_t row = 0; row < 99; ++row) EXPECT_EQ(children[row], 10);
  EXPECT_EQ(parent_row(0), 0u);
  EXPECT_EQ(path_of(0).rows, 1u);
  EXPECT_EQ(path_of(10).rows, 2u);
  EXPECT_EQ(path_of(111).rows, 4u);
  EXPECT_EQ(path_of(111).sum, 111u + 11 + 1);
}

TEST(bench_data, impossible_misses) {
  auto const dense = key_set<std::uint32_t>::generate(1000, 0, 5);
  EXPECT_THROW(make_probes<std::uint32_t>(probes_config(0.5, true), dense, nullptr), usage_error);
  EXPECT_NO_THROW(make_probes<std::uint32_t>(probes_config(0.5, false), dense, nullptr));
  std::vector<std::uint32_t> const ends = {0, ~std::uint32_t{0}};
  auto const set = key_set<std::uint32_t>::of_column(column(std::span(ends)));
  sorted_set<std::uint32_t> const sorted(set);
  EXPECT_THROW(make_probes<std::uint32_t>(probes_config(0.5, false), set, &sorted), usage_error);
}

TEST(bench_data, sorted_probes_are_the_same_probes) {
  auto const set = key_set<std::uint32_t>::generate(1000, 100, 5);
  auto c = probes_config(1, true);
  auto const plain = make_probes<std::uint32_t>(c, set, nullptr);
  c.order = probe_order::sorted;
  auto const sorted = make_probes<std::uint32_t>(c, set, nullptr);
  EXPECT_TRUE(std::is_sorted(sorted.all().begin(), sorted.all().end()));
  std::vector<std::uint32_t> copy(plain.all().begin(), plain.all().end());
  std::sort(copy.begin(), copy.end());
  EXPECT_TRUE(std::ranges::equal(copy, sorted.all()));
}

TEST(bench_data, answers) {
  std::vector<std::uint32_t> const keys = {7, 3, 7, 3, 10};
  auto const set = key_set<std::uint32_t>::of_column(column(std::span(keys)));
  sorted_set<std::uint32_t> const sorted(set);  // 3 3 7 7 10, rows 1 3 0 2 4
  std::vector<std::uint32_t> const probes = {2, 3, 5, 7, 10, 11};
  auto const expect = [&](lookup const& what, std::vector<std::uint32_t> const& right) {
    auto const answers = make_answers<std::uint32_t>(what, set, &sorted, probes);
    EXPECT_TRUE(std::ranges::equal(answers.all(), right)) << what.name;
  };
  expect(lookups::find, {missing, 1, missing, 0, 4, missing});
  expect(lookups::contains, {0, 1, 0, 1, 1, 0});
  expect(lookups::count, {0, 2, 0, 2, 1, 0});
  expect(lookups::lower_bound, {0, 0, 2, 2, 4, 5});
  expect(lookups::upper_bound, {0, 2, 2, 4, 5, 5});
  expect(lookups::floor, {missing, 1, 1, 0, 4, 4});
  expect(lookups::ceil, {1, 1, 0, 0, 4, missing});
}

}  // namespace
}  // namespace warpdex::bench
