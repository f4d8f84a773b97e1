// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "support/expect.hpp"
#include "support/sanitizers.hpp"
#include "support/seed.hpp"

/// @file
/// As-of joins of two columns that ascend, against the join with an index.
namespace warpdex::test {
namespace {

template <class Key> class asof_merge_of : public testing::Test {};
using key_types_here = std::conditional_t<under_address_sanitizer, testing::Types<std::uint32_t, float, date>,
                                          testing::Types<std::uint32_t, std::int64_t, float, double, date, timestamp>>;
TYPED_TEST_SUITE(asof_merge_of, key_types_here);

template <class Key> Key key_from(std::int64_t number) {
  if constexpr (std::is_same_v<Key, date>) return {static_cast<std::int32_t>(number)};
  else if constexpr (std::is_same_v<Key, timestamp>) return {number};
  else return static_cast<Key>(number + (std::is_unsigned_v<Key> ? 100 : 0));
}

template <class Key> std::vector<Key> ascending(std::size_t size, std::int64_t range, std::mt19937_64& random) {
  std::vector<std::int64_t> numbers(size);
  for (auto& number : numbers) number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range)) - 50;
  std::sort(numbers.begin(), numbers.end());
  std::vector<Key> result;
  for (auto const number : numbers) result.push_back(key_from<Key>(number));
  if constexpr (std::is_floating_point_v<Key>)
    if (size > 2) result.back() = std::numeric_limits<Key>::quiet_NaN();
  return result;
}

TYPED_TEST(asof_merge_of, answers_as_an_index) {
  using Key = TypeParam;
  std::mt19937_64 random(test_seed());
  for (auto const& [lefts, rights, range] :
       {std::tuple{300, 200, 100}, {40'000, 500, 3000}, {50, 30'000, 4000}, {0, 5, 10}, {5, 0, 10}, {3, 3, 1}}) {
    auto const left = ascending<Key>(static_cast<std::size_t>(lefts), range, random);
    auto const right = ascending<Key>(static_cast<std::size_t>(rights), range, random);
    index const built = index::build("AO+BS", column(right), {});
    for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
      for (int flags = 0; flags < 24; ++flags) {
        asof_options ask;
        ask.strategy = strategy;
        ask.allow_exact_matches = (flags & 1) != 0;
        if ((flags & 2) != 0) ask.tolerance = std::int64_t{3};
        ask.prefer = static_cast<asof_preference>(flags >> 2 & 1);
        ask.ties = static_cast<asof_ties>(flags >> 3);
        std::vector<std::uint32_t> expected(left.size()), rows(left.size());
        join_asof(built, column(left), row_output(expected), {}, ask);
        ASSERT_TRUE(asof_merge(column(left), column(right), row_output(rows), {}, ask));
        ASSERT_EQ(rows, expected) << "strategy " << static_cast<int>(strategy) << ", flags " << flags << ", " << lefts
                                  << " and " << rights << " values, seed " << test_seed();
      }
  }
}

TYPED_TEST(asof_merge_of, answers_as_an_index_of_groups) {
  using Key = TypeParam;
  std::mt19937_64 random(test_seed() + 1);
  for (auto const& [lefts, rights, range, groups] :
       {std::tuple{300, 200, 100, 3}, {4000, 500, 3000, 40}, {50, 3000, 400, 700}, {0, 5, 10, 2}, {5, 0, 10, 2}}) {
    auto const left = ascending<Key>(static_cast<std::size_t>(lefts), range, random);
    auto const right = ascending<Key>(static_cast<std::size_t>(rights), range, random);
    auto const groups_of = [&random](std::size_t size, int count) {
      std::vector<std::int32_t> result(size);
      for (auto& group : result) group = static_cast<std::int32_t>(random() % static_cast<unsigned>(count)) - 2;
      return result;
    };
    auto const left_groups = groups_of(left.size(), groups + 2), right_groups = groups_of(right.size(), groups);
    auto const built = grouped_index::build("AO+BS", column(right_groups), column(right), {});
    for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
      for (int flags = 0; flags < 24; ++flags) {
        asof_options const ask{strategy, (flags & 1) != 0,
                               (flags & 2) != 0 ? std::optional<asof_tolerance>(std::int64_t{3}) : std::nullopt,
                               static_cast<asof_preference>(flags >> 2 & 1), static_cast<asof_ties>(flags >> 3)};
        std::vector<std::uint32_t> expected(left.size()), rows(left.size());
        join_asof(built, column(left_groups), column(left), row_output(expected), {}, ask);
        ASSERT_TRUE(asof_merge(column(left_groups), column(left), column(right_groups), column(right), row_output(rows),
                               {}, ask));
        ASSERT_EQ(rows, expected) << "strategy " << static_cast<int>(strategy) << ", flags " << flags << ", " << lefts
                                  << " and " << rights << " values, seed " << test_seed();
      }
  }
}

TEST(asof_merge, few_groups_in_parts) {
  std::mt19937_64 random(test_seed() + 2);
  for (auto const& [lefts, rights] : {std::pair(200'000, 30'000), {70'000, 90'000}}) {
    auto const left = ascending<std::int64_t>(static_cast<std::size_t>(lefts), 20'000, random);
    auto const right = ascending<std::int64_t>(static_cast<std::size_t>(rights), 20'000, random);
    std::vector<std::uint32_t> left_groups(left.size()), right_groups(right.size());
    for (auto& group : left_groups) group = static_cast<std::uint32_t>(random() % 9);
    for (std::size_t i = 0; i < right.size(); ++i)  // one group is rare
      right_groups[i] = i == 100 ? 7 : static_cast<std::uint32_t>(random() % 7);
    auto const built = grouped_index::build("AO+BS", column(right_groups), column(right), {});
    for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
      for (bool const last : {false, true}) {
        asof_options const ask{strategy, last != (strategy == asof_strategy::forward), std::nullopt,
                               asof_preference::earlier, last ? asof_ties::last : asof_ties::first};
        std::vector<std::uint32_t> expected(left.size()), rows(left.size());
        join_asof(built, column(left_groups), column(left), row_output(expected), {}, ask);
        ASSERT_TRUE(asof_merge(column(left_groups), column(left), column(right_groups), column(right), row_output(rows),
                               {}, ask));
        ASSERT_TRUE(rows == expected) << "strategy " << static_cast<int>(strategy) << ", last " << last << ", seed "
                                      << test_seed();
      }
  }
}

TEST(asof_merge, says_that_groups_are_too_far_apart) {
  std::vector<std::int64_t> const groups = {0, std::int64_t{1} << 40}, times = {1, 2};
  std::vector<std::uint32_t> rows(2, 7);
  EXPECT_FALSE(asof_merge(column(groups), column(times), column(groups), column(times), row_output(rows), {}));
  EXPECT_EQ(rows, std::vector<std::uint32_t>(2, 7));
}

TEST(asof_merge, says_that_a_column_descends) {
  std::vector<std::int32_t> const up = {1, 2, 2, 3}, down = {1, 2, 1, 4};
  std::vector<std::uint32_t> rows(4, 7);
  EXPECT_FALSE(asof_merge(column(up), column(down), row_output(rows), {}));
  EXPECT_FALSE(asof_merge(column(down), column(up), row_output(rows), {}));
  EXPECT_EQ(rows, std::vector<std::uint32_t>(4, 7));
}

TEST(asof_merge, wrong_arguments) {
  std::vector<std::int32_t> const three = {1, 2, 3};
  std::vector<std::int64_t> const wide = {1, 2, 3};
  std::vector<std::uint32_t> rows(3), two(2);
  EXPECT_TRUE(throws<unsupported>([&] { asof_merge(column(three), column(wide), row_output(rows), {}); }, "i64"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { asof_merge(column(three), column(three), row_output(two), {}); }, "2 elements"));
  std::vector<std::int32_t> const two_groups = {1, 2};
  auto const in_groups = [&](column left, column right) {
    asof_merge(left, column(three), right, column(three), row_output(rows), {});
  };
  EXPECT_TRUE(throws<unsupported>([&] { in_groups(column(three), column(wide)); }, "i64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { in_groups(column(two_groups), column(three)); }, "column of groups"));
  std::vector<u128> const far = {1, 2, 3};
  EXPECT_TRUE(throws<unsupported>([&] { asof_merge(column(far), column(far), row_output(rows), {}); }, "u128"));
}

}  // namespace
}  // namespace warpdex::test
