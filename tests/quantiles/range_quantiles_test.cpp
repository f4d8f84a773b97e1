// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/range_quantiles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/key_array.hpp"
#include "support/seed.hpp"

/// @file
/// Quantiles of ranges, against sorted lists of the values of each range.
namespace warpdex::test {
namespace {

using number = std::uint64_t;
using numbers = std::vector<number>;

class quantiles : public testing::TestWithParam<backend_kind> {
 protected:
  /// Compares quantiles of the ranks of an index with those of lists.
  /// @param rows of the entries, by rank @param less less(a, b) for the values of two rows
  template <class Row, class Less, class Has>
  void compare(range_quantiles const& of, std::vector<Row> const& rows, Less const& less, Has const& has) {
    numbers first, last;
    for (int i = 0; i < 60; ++i) {
      number const a = random_() % (rows.size() + 1), b = random_() % (rows.size() + 1);
      first.push_back(i % 7 == 0 ? a : std::min(a, b));
      last.push_back(i % 7 == 0 ? b : std::max(a, b));
    }
    for (double const quantile : {0., .25, .5, .9, 1.})
      for (auto const side : {quantile_side::lower, quantile_side::higher, quantile_side::nearest}) {
        std::vector<Row> found(first.size(), 77);
        of.of_ranks(first, last, quantile, side, found, exec_);
        for (std::size_t i = 0; i < first.size(); ++i) {
          std::vector<Row> range;
          for (number rank = first[i]; rank < last[i]; ++rank)
            if (has(rows[rank])) range.push_back(rows[rank]);
          std::sort(range.begin(), range.end(), [&](Row a, Row b) { return less(a, b) || (!less(b, a) && a < b); });
          double const at = quantile * (static_cast<double>(range.size()) - 1);
          double const rank = side == quantile_side::lower    ? std::floor(at)
                              : side == quantile_side::higher ? std::ceil(at)
                                                              : std::floor(at + .5);
          Row const expected = range.empty() ? no_row<Row> : range[static_cast<std::size_t>(rank)];
          ASSERT_EQ(found[i], expected) << "ranks " << first[i] << " to " << last[i] << ", quantile " << quantile
                                        << ", side " << static_cast<int>(side) << ", seed " << test_seed();
        }
      }
  }

  /// @return the rows of the entries, by rank
  template <class Row> std::vector<Row> rows_of(index const& of) {
    numbers ranks(of.size());
    for (number i = 0; i < ranks.size(); ++i) ranks[i] = i;
    matches const found = of.rows_at(ranks, exec_);
    std::vector<Row> rows(ranks.size());
    copy(rows.data(), found.rows.data(), rows.size() * sizeof(Row), exec_);
    return rows;
  }

  template <class Value> void check(std::vector<Value> const& values, bool with_nulls, char const* spec = "AO+BS") {
    std::vector<std::uint32_t> keys(values.size());
    for (auto& key : keys) key = static_cast<std::uint32_t>(random_() % 97);
    std::vector<std::uint8_t> bits(values.size() / 8 + 2, 0xff);
    if (with_nulls)
      for (auto& byte : bits) byte = static_cast<std::uint8_t>(random_());
    index const over = index::build(spec, keys, exec_);
    range_quantiles const of(over, nullable_column(column(values), with_nulls ? bits.data() : nullptr, 3), exec_);
    EXPECT_EQ(of.size(), values.size());
    EXPECT_GT(of.bytes(), 0u);
    compare(
        of, rows_of<std::uint32_t>(over), [&](auto a, auto b) { return less_of(values[a], values[b]); },
        [&](auto row) { return !with_nulls || (bits[(row + 3) / 8] >> ((row + 3) % 8) & 1) != 0; });
  }

  template <class Value> static bool less_of(Value const& a, Value const& b) {
    if constexpr (std::is_floating_point_v<Value>) return !std::isnan(a) && (std::isnan(b) || a < b);
    else return a < b;
  }

  execution const exec_{memory_of(GetParam())};
  std::mt19937_64 random_{test_seed()};
};
INSTANTIATE_TEST_SUITE_P(, quantiles, testing::ValuesIn(present_backends()), backend_name);

TEST_P(quantiles, of_integers) {
  for (std::size_t const size : {1, 2, 63, 64, 65, 1000, 5000})
    for (bool const with_nulls : {false, true}) {
      std::vector<std::int64_t> values(size);
      for (auto& value : values) value = static_cast<std::int64_t>(random_() % (size / 2 + 1)) - 100;
      check(values, with_nulls, size % 2 == 0 ? "AO+BS" : "AO+PB+KS(9)");
    }
}

TEST_P(quantiles, of_floats_with_nan) {
  std::vector<double> values(700);
  for (auto& value : values) value = random_() % 9 == 0 ? std::nan("") : static_cast<double>(random_() % 50) / 4 - 5;
  check(values, false);
  check(values, true);
}

TEST_P(quantiles, of_strings) {
  std::vector<std::string> values(600);
  for (auto& value : values) value = std::string(random_() % 12, 'a') + std::to_string(random_() % 30);
  std::vector<std::uint32_t> keys(values.size());
  for (auto& key : keys) key = static_cast<std::uint32_t>(random_() % 50);
  index const over = index::build("AO+BS", keys, exec_);
  key_array<std::string> const held(values, key_type::bytes, place::host, 5, exec_);
  range_quantiles const of(over, held.view(), exec_);
  compare(
      of, rows_of<std::uint32_t>(over), [&](auto a, auto b) { return values[a] < values[b]; },
      [](auto) { return true; });
}

TEST_P(quantiles, of_ranges_of_keys_and_rows_of_64_bits) {
  std::vector<double> const keys = {2.5, 1.5, 2.5, 9};
  numbers const rows = {4, 0, 2, 4};
  std::vector<float> const values = {10, 20, 30, 40, 50};
  index const over = index::build("AO+BS", keys, rows, exec_);
  range_quantiles const of(over, values, exec_);
  std::vector<std::int32_t> const low = {2, 0, 3}, high = {3, 10, 2};
  numbers found(3);
  of.in_ranges(over, {low, high}, .5, quantile_side::higher, found, exec_);
  EXPECT_EQ(found, (numbers{4, 4, no_row<number>}));
  of.in_ranges(over, {low, high}, 0, quantile_side::lower, found, exec_);
  EXPECT_EQ(found, (numbers{2, 0, no_row<number>}));
}

TEST_P(quantiles, of_nothing) {
  std::vector<std::uint32_t> const none, keys = {1, 2};
  std::vector<std::uint8_t> const all_null = {0};
  std::vector<std::uint32_t> rows(1);
  index const empty = index::build("AO+BS", none, exec_), over = index::build("AO+BS", keys, exec_);
  range_quantiles(empty, none, exec_).of_ranks(numbers{0}, numbers{0}, .5, quantile_side::lower, rows, exec_);
  EXPECT_EQ(rows[0], no_row<std::uint32_t>);
  rows[0] = 7;
  range_quantiles const of(over, nullable_column(column(keys), all_null.data()), exec_);
  of.of_ranks(numbers{0}, numbers{2}, .5, quantile_side::lower, rows, exec_);
  EXPECT_EQ(rows[0], no_row<std::uint32_t>);
}

TEST_P(quantiles, refusals) {
  std::vector<std::uint32_t> const keys = {1, 2, 3}, few = {1, 2};
  index const over = index::build("AO+BS", keys, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { range_quantiles(over, few, exec_); }, "range_quantiles",
                                       "row id number 2 is 2", "2 values"));
  EXPECT_TRUE(
      throws<unsupported>([&] { range_quantiles(index::build("HT(open)", keys, exec_), keys, exec_); }, "order"));
  range_quantiles of(over, keys, exec_);
  std::vector<std::uint32_t> rows(1);
  numbers wide(1);
  auto const ask = [&](numbers const& first, numbers const& last, double quantile, row_output out,
                       quantile_side side = quantile_side::lower) {
    return [&of, this, first, last, quantile, out, side] { of.of_ranks(first, last, quantile, side, out, exec_); };
  };
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {4}, .5, rows), "of_ranks", "last rank number 0", "3 entries"));
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {1, 2}, .5, rows), "last ranks"));
  EXPECT_TRUE(throws<invalid_argument>(ask({0, 0}, {1, 2}, .5, rows), "row output"));
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {1}, 1.5, rows), "quantile is 1.5"));
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {1}, std::nan(""), rows), "quantile is"));
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {1}, .5, wide), "row ids of type u64"));
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {1}, .5, rows, static_cast<quantile_side>(5)), "side number 5"));
  range_quantiles const taken(std::move(of));
  EXPECT_TRUE(throws<invalid_argument>(ask({0}, {1}, .5, rows), "moved from"));
}

}  // namespace
}  // namespace warpdex::test
