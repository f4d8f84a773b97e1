// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <warpdex/search/interpolated.hpp>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

namespace warpdex {
namespace {

using u64 = std::uint64_t;
using view_of_keys = interpolated<soa_pairs<u64, std::uint32_t>>;

/// Searches like `run`, and counts the visits. @return slot and visits
std::pair<u64, int> search(view_of_keys const& view, u64 target) {
  auto at = view.start(target);
  int visits = 1;
  while (!view.visit(single_lane{}, at)) ++visits;
  return {at.slot, visits};
}

/// Looks for each key and the values next to it. @return the most visits of a search, and the average for keys
std::pair<int, double> expect_lower_bounds(std::vector<u64> keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> const rows(keys.size());
  view_of_keys const view({keys.data(), rows.data()}, keys.size());
  int most = 0;
  double sum = 0;
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (u64 const target : {keys[i] - 1, keys[i], keys[i] + 1}) {
      auto const [slot, visits] = search(view, target);
      u64 const expected = static_cast<u64>(std::lower_bound(keys.begin(), keys.end(), target) - keys.begin());
      if (slot != expected) {
        ADD_FAILURE() << "key " << target << ": slot " << slot << ", not " << expected;
        return {0, 0};
      }
      most = std::max(most, visits);
      if (target == keys[i]) sum += visits;
    }
  EXPECT_LE(most, 3 * std::bit_width(keys.size()) + 1) << "each third visit halves what is left";
  return {most, sum / static_cast<double>(keys.size())};
}

TEST(interpolated, evenly_spread_keys_take_few_visits) {
  std::mt19937_64 random(1);
  std::vector<u64> keys(1 << 16);
  for (u64& key : keys) key = random();
  auto const [most, average] = expect_lower_bounds(keys);
  EXPECT_LT(average, 12) << "a binary search takes 16";
  EXPECT_LT(most, 27);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = 1000 + 7 * i;
  EXPECT_LT(expect_lower_bounds(keys).second, 5) << "guesses are right but for rounding";
}

TEST(interpolated, no_keys_take_more_than_three_times_a_binary_search) {
  std::mt19937_64 random(2);
  std::vector<u64> keys(20000);
  for (u64& key : keys) key = u64{1} << random() % 64;  // exponential, and most of them repeat
  expect_lower_bounds(keys);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * i * i * i;
  expect_lower_bounds(keys);
  for (u64& key : keys) key = random() % 8 == 0 ? random() : random() % 1000;  // a crowd, and outliers
  expect_lower_bounds(keys);
  std::fill(keys.begin(), keys.end(), 5);
  expect_lower_bounds(keys);
  std::fill(keys.begin() + 10000, keys.end(), ~u64{0});
  expect_lower_bounds(keys);
}

TEST(interpolated, few_keys) {
  for (u64 n = 1; n <= 40; ++n) {
    std::vector<u64> keys(n);
    for (u64 i = 0; i < n; ++i) keys[i] = i % 3 == 0 ? i * i : ~u64{0} - i * i;
    expect_lower_bounds(keys);
  }
}

}  // namespace
}  // namespace warpdex
