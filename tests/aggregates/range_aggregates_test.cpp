// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/range_aggregates.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Aggregates of ranges, against loops over the rows.
namespace warpdex::test {
namespace {

class aggregates : public testing::TestWithParam<backend_kind> {
 protected:
  bool on_device() const { return GetParam() == backend_kind::cuda; }

  execution const exec_{memory_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, aggregates, testing::ValuesIn(present_backends()), backend_name);

template <class Number> bool same(aggregate<Number> const& a, aggregate<Number> const& b) {
  return a.sum == b.sum && a.min == b.min && a.max == b.max && a.count == b.count;
}

/// The aggregate of the rows of a range, by a loop.
template <class T, class Keep>
auto loop_over(std::vector<std::uint32_t> const& keys, std::vector<T> const& values, Keep const& keep) {
  aggregate<detail::sum_of<T>> all;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!keep(i)) continue;
    auto const value = static_cast<detail::sum_of<T>>(values[i]);
    all.sum += value;
    all.min = all.count == 0 ? value : std::min(all.min, value);
    all.max = all.count == 0 ? value : std::max(all.max, value);
    ++all.count;
  }
  return all;
}

template <class T>
void expect_as_loop(char const* spec, execution const& exec, bool with_nulls, std::size_t size,
                    moments known = moments::first) {
  SCOPED_TRACE(testing::Message() << spec << ", " << size << " values of " << sizeof(T) << " bytes");
  std::mt19937_64 random(size + sizeof(T));
  std::vector<std::uint32_t> keys(size);
  std::vector<T> values(size);
  std::vector<std::uint8_t> bits(size / 8 + 2, 0xff);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random() % (size / 3 + 1));
  for (auto& value : values) {
    // Sums of halves are exact, so their order does not count.
    if constexpr (std::is_floating_point_v<T>) value = static_cast<T>(static_cast<int>(random() % 4001) - 2000) / 2;
    else value = static_cast<T>(random());
  }
  constexpr std::uint64_t offset = 3;
  if (with_nulls)
    for (auto& byte : bits) byte = static_cast<std::uint8_t>(random());
  auto const valid = [&](std::size_t i) { return (bits[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0; };

  auto const x = index::build(spec, keys, exec);
  range_aggregates<detail::sum_of<T>> const amounts(
      x, with_nulls ? value_column(values, bits.data(), offset) : value_column(values), exec, known);
  std::vector<std::uint32_t> low(50), high(50);
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = static_cast<std::uint32_t>(random() % (size / 3 + 2));
    high[i] = static_cast<std::uint32_t>(i % 5 == 0 ? low[i] : random() % (size / 3 + 2));
  }
  auto const found = amounts.in_ranges(x, {low, high}, exec);
  auto const of_keys = amounts.of_keys(x, low, exec);
  for (std::size_t r = 0; r < low.size(); ++r) {
    auto range =
        loop_over(keys, values, [&](std::size_t i) { return low[r] <= keys[i] && keys[i] <= high[r] && valid(i); });
    auto key = loop_over(keys, values, [&](std::size_t i) { return keys[i] == low[r] && valid(i); });
    if (known == moments::sums) range.min = range.max = key.min = key.max = 0;
    EXPECT_TRUE(same(found[r], range)) << "range " << low[r] << " to " << high[r];
    EXPECT_TRUE(same(of_keys[r], key)) << "key " << low[r];
  }
}

TEST_P(aggregates, equal_loops) {
  for (std::size_t const size : {0, 1, 15, 17, 300, 5000}) {
    expect_as_loop<std::int64_t>("AO+BS", exec_, false, size);
    expect_as_loop<double>("B+(16)", exec_, true, size);
  }
  expect_as_loop<std::int8_t>("AO+BS", exec_, true, 700);
  expect_as_loop<std::uint8_t>("EO+BS", exec_, false, 700);
  expect_as_loop<std::int16_t>("AO+BS", exec_, false, 700);
  expect_as_loop<std::uint16_t>("AO+BS", exec_, false, 700);
  expect_as_loop<std::int32_t>("AO+BS", exec_, false, 700);
  expect_as_loop<std::uint32_t>("AO+BS", exec_, false, 700);
  expect_as_loop<std::uint64_t>("AO+BS/rows=u64", exec_, true, 700);
  expect_as_loop<i128>("AO+BS", exec_, false, 700);
  expect_as_loop<float>("AO+BS", exec_, false, 700);
}

TEST_P(aggregates, sums_alone_equal_loops) {
  for (std::size_t const size : {0, 1, 7, 8, 9, 127, 128, 129, 5000}) {
    expect_as_loop<std::int64_t>("AO+BS", exec_, true, size, moments::sums);
    expect_as_loop<double>("B+(16)", exec_, false, size, moments::sums);
    expect_as_loop<double>("AO+BS/rows=u64", exec_, true, size, moments::sums);
  }
  expect_as_loop<std::uint8_t>("EO+BS", exec_, false, 700, moments::sums);
  expect_as_loop<i128>("AO+BS", exec_, false, 700, moments::sums);
  expect_as_loop<float>("AO+BS", exec_, true, 700, moments::sums);
}

/// Sums of values that no double holds: two doubles hold some of them exactly, and not the others, whose payload then
/// has blocks.
TEST_P(aggregates, sums_alone_are_those_of_blocks) {
  std::mt19937_64 random(5);
  double const inf = std::numeric_limits<double>::infinity();
  std::vector<std::uint32_t> keys(3000);
  std::iota(keys.begin(), keys.end(), 0);
  auto const x = index::build("AO+BS", keys, exec_);
  std::vector<std::uint64_t> first(500), last(500);
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = random() % (keys.size() + 1);
    last[i] = random() % (keys.size() + 1);
  }
  auto const fits = [&](int spread, double odd) {
    std::vector<double> values(keys.size());
    for (double& value : values)
      value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 10) * (random() % 4 == 0 ? 0 : 1),
                         static_cast<int>(random() % static_cast<unsigned>(spread)));
    values[1234] = odd;
    range_aggregates const blocks(x, values, exec_), sums(x, values, exec_, moments::sums);
    std::vector<aggregate<double>> expected(first.size()), found(first.size());
    blocks.of_ranks(first, last, expected, exec_);
    sums.of_ranks(first, last, found, exec_);
    for (std::size_t i = 0; i < first.size(); ++i) {
      bool const equal = found[i].sum == expected[i].sum || (std::isnan(found[i].sum) && std::isnan(expected[i].sum));
      EXPECT_TRUE(equal && found[i].count == expected[i].count) << first[i] << " to " << last[i];
      EXPECT_TRUE(found[i].min == 0 && found[i].max == 0);
    }
    return sums.bytes() != blocks.bytes();
  };
  EXPECT_TRUE(fits(30, 1));
  EXPECT_TRUE(fits(1, -0x1p-20));
  EXPECT_FALSE(fits(60, 1));
  EXPECT_FALSE(fits(1, 0x1p200));
  EXPECT_FALSE(fits(1, inf));
  EXPECT_FALSE(fits(1, std::nan("")));
  EXPECT_FALSE(fits(1, std::numeric_limits<double>::denorm_min()));
}

TEST_P(aggregates, sums_are_exact_and_means_near) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint32_t> const keys = {1, 1, 1, 2};
  std::vector<std::uint64_t> const values = {most, most, most, 7};
  auto const x = index::build("AO+BS", keys, exec_);
  range_aggregates const p(x, values, exec_);  // the kind of number follows from the values
  auto const found = p.of_keys(x, keys, exec_);
  EXPECT_TRUE(found[0].sum == static_cast<i128>(most) * 3);
  EXPECT_EQ(found[0].mean(), static_cast<double>(most));
  EXPECT_EQ(found[3].mean(), 7);
  EXPECT_EQ(p.size(), 4u);
  EXPECT_GT(p.bytes(), 4 * sizeof(std::uint64_t));
  EXPECT_EQ(aggregate<i128>{}.mean(), 0);
}

/// Floating numbers that are large, cancel each other and leave small ones: a sum of doubles would lose these.
TEST_P(aggregates, sums_of_floating_numbers_lose_nothing) {
  std::mt19937_64 random(3);
  std::vector<std::uint32_t> const keys(3000, 1);
  std::vector<double> values(keys.size());
  std::vector<i128> exact(keys.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 12), static_cast<int>(i % 8) * 8);
    if (i % 8 == 7) values[i] = -values[i - 7] * 0x1p56;
    exact[i + 1] = exact[i] + static_cast<i128>(values[i]);
  }
  auto const x = index::build("AO+BS", keys, exec_);
  range_aggregates const p(x, values, exec_);
  std::vector<std::uint64_t> first(200), last(200);
  for (std::size_t i = 0; i < first.size(); ++i) {
    last[i] = random() % (keys.size() + 1);
    first[i] = random() % (last[i] + 1);
  }
  std::vector<aggregate<double>> found(first.size());
  p.of_ranks(first, last, found, exec_);
  for (std::size_t i = 0; i < first.size(); ++i) {
    auto const expected = static_cast<double>(exact[last[i]] - exact[first[i]]);
    double const unit = std::nextafter(std::abs(expected), 1e300) - std::abs(expected);
    EXPECT_NEAR(found[i].sum, expected, unit) << first[i] << " to " << last[i];
  }
}

TEST_P(aggregates, sums_beyond_all_numbers) {
  double const inf = std::numeric_limits<double>::infinity();
  double const most = std::numeric_limits<double>::max();
  std::vector<std::uint32_t> const keys = {1, 1, 2, 2, 3, 3, 3};
  std::vector<double> const values = {inf, 5, inf, -inf, most, most, 1};
  auto const x = index::build("AO+BS", keys, exec_);
  std::vector<std::uint32_t> const query = {1, 2, 3};
  auto const found = range_aggregates(x, values, exec_).of_keys(x, query, exec_);
  EXPECT_EQ(found[0].sum, inf);
  EXPECT_TRUE(std::isnan(found[1].sum));
  EXPECT_EQ(found[2].sum, inf);
}

template <class T> void expect_variances(std::vector<T> const& values, execution const& exec) {
  SCOPED_TRACE(testing::Message() << "values of " << sizeof(T) << " bytes around " << static_cast<double>(values[0]));
  std::vector<std::uint32_t> const keys(values.size(), 1);
  auto const x = index::build("AO+BS", keys, exec);
  range_aggregates<detail::sum_of<T>> const p(x, values, exec, moments::second);
  for (auto const& [begin, end] : {std::pair{0, 2}, {5, 6}, {3, 40}, {1, 700}, {0, 5000}}) {
    std::vector<std::uint64_t> const first = {static_cast<std::uint64_t>(begin)},
                                     last = {static_cast<std::uint64_t>(end)};
    std::vector<aggregate<detail::sum_of<T>>> found(1);
    p.of_ranks(first, last, found, exec);
    long double sum = 0, squares = 0;  // of distances from the first value, which are exact
    for (int i = begin; i < end; ++i) sum += static_cast<long double>(values[i] - values[begin]);
    long double const mean = sum / (end - begin);
    for (int i = begin; i < end; ++i) {
      long double const distance = static_cast<long double>(values[i] - values[begin]) - mean;
      squares += distance * distance;
    }
    auto const expected = static_cast<double>(squares);
    EXPECT_NEAR(found[0].m2, expected, 1e-12 * expected);
    EXPECT_NEAR(found[0].var(0), expected / (end - begin), 1e-12 * expected);
    if (end - begin == 1) {
      EXPECT_EQ(found[0].var(), 0);
    }
  }
}

TEST_P(aggregates, variances_far_from_zero) {
  std::mt19937_64 random(7);
  auto const around = [&]<class T>(T middle, int parts) {
    std::vector<T> result(5000);
    for (T& value : result) value = static_cast<T>(middle + static_cast<T>(random() % 1000) / static_cast<T>(parts));
    return result;
  };
  expect_variances(around(0.0, 8), exec_);
  expect_variances(around(1e12, 8), exec_);
  expect_variances(around(-3e5f, 1), exec_);
  expect_variances(around(std::int64_t{1} << 61, 1), exec_);
  expect_variances(around(std::numeric_limits<std::int64_t>::min(), 1), exec_);
  expect_variances(around(std::uint8_t{0}, 9), exec_);
  expect_variances(around(i128{1} << 110, 1), exec_);
  std::vector<std::uint32_t> const keys = {1, 1};
  std::vector<int> const values = {1, 3};
  auto const x = index::build("AO+BS", keys, exec_);
  EXPECT_EQ(range_aggregates(x, values, exec_).of_keys(x, keys, exec_)[0].m2, 0);
  EXPECT_EQ(range_aggregates(x, values, exec_, moments::second).of_keys(x, keys, exec_)[0].var(), 2);
  EXPECT_TRUE(throws<invalid_argument>([&] { range_aggregates(x, values, exec_, static_cast<moments>(3)); },
                                       "range_aggregates: the moments are number 3"));
}

TEST_P(aggregates, nan_is_above_all_numbers) {
  double const nan = std::nan("");
  std::vector<std::uint32_t> const keys = {1, 1, 2};
  std::vector<double> const values = {nan, -1, nan};
  auto const x = index::build("AO+BS", keys, exec_);
  range_aggregates const p(x, values, exec_);
  std::vector<std::uint32_t> const query = {1, 2};
  auto const found = p.of_keys(x, query, exec_);
  EXPECT_EQ(found[0].min, -1);
  EXPECT_TRUE(std::isnan(found[0].max) && std::isnan(found[0].sum) && std::isnan(found[1].min));
}

TEST_P(aggregates, rows_of_keys_of_other_kinds) {
  std::vector<double> const keys = {2.5, 1.5, 2.5};
  std::vector<std::uint32_t> const rows = {4, 0, 2};
  std::vector<std::int16_t> const values = {10, 20, 30, 40, 50};
  auto const x = index::build("AO+BS", keys, rows, exec_);
  range_aggregates const p(x, values, exec_);
  std::vector<std::int32_t> const low = {2}, high = {3};  // bounds of another type than the keys
  EXPECT_TRUE(same(p.in_ranges(x, {low, high}, exec_)[0], {80, 30, 50, 2}));
}

TEST_P(aggregates, refusals) {
  std::vector<std::uint32_t> const keys = {1, 2, 3};
  std::vector<std::int32_t> const values = {1, 2, 3}, few = {1, 2};
  std::vector<double> const reals = {1, 2, 3};
  auto const x = index::build("AO+BS", keys, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { range_aggregates(x, few, exec_); }, "range_aggregates",
                                       "row id number 2 is 2", "2 values"));
  EXPECT_TRUE(throws<invalid_argument>([&] { range_aggregates<i128>(x, reals, exec_); }, "floating"));
  EXPECT_TRUE(throws<invalid_argument>([&] { range_aggregates<double>(x, values, exec_); }, "integers"));
  EXPECT_TRUE(
      throws<unsupported>([&] { range_aggregates(index::build("HT(open)", keys, exec_), values, exec_); }, "order"));
  value_column odd(values);
  odd.width = 3;
  EXPECT_TRUE(throws<invalid_argument>([&] { range_aggregates<i128>(x, odd, exec_); }, "3 bytes"));
  odd = values;
  odd.kind = static_cast<number_kind>(9);
  EXPECT_TRUE(throws<invalid_argument>([&] { range_aggregates<i128>(x, odd, exec_); }, "kind number 9"));
  range_aggregates const p(x, values, exec_);
  std::vector<aggregate<i128>> out(2);
  EXPECT_TRUE(throws<invalid_argument>([&] { p.in_ranges(x, {few, keys}, out, exec_); }, "upper bounds"));
  EXPECT_TRUE(throws<invalid_argument>([&] { p.in_ranges(x, {keys, keys}, out, exec_); }, "output"));
  auto const other = index::build("AO+BS", few, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { p.of_keys(other, few, out, exec_); }, "the index"));
  EXPECT_TRUE(throws<invalid_argument>([&] { p.top_k(x, {few, keys}, 1, exec_); }, "top_k", "upper bounds"));
  EXPECT_TRUE(throws<invalid_argument>([&] { p.top_k(other, {few, few}, 1, exec_); }, "top_k", "the index"));
  EXPECT_TRUE(throws<invalid_argument>([&] { p.top_k(x, {{}, {}}, 1, exec_); }, "top_k"));
  range_aggregates const sums(x, values, exec_, moments::sums);
  EXPECT_TRUE(throws<unsupported>([&] { sums.top_k(x, {keys, keys}, 1, exec_); }, "top_k", "sums alone"));
  std::vector<std::uint64_t> const first = {0, 0}, last = {3, 4};
  EXPECT_TRUE(
      throws<invalid_argument>([&] { p.of_ranks(first, last, out, exec_); }, "last rank number 1", "3 entries"));
}

/// The first k values of a range with their rows, by a sort of all of them in key order.
template <class T, class Keep>
auto sorted_top(std::vector<std::uint32_t> const& keys, std::vector<T> const& values, std::uint64_t k, bool greatest,
                Keep const& keep) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keep(i)) rows.push_back(static_cast<std::uint32_t>(i));
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto a, auto b) { return greatest ? values[b] < values[a] : values[a] < values[b]; });
  rows.resize(std::min<std::uint64_t>(rows.size(), k));
  return rows;
}

/// An answer, on the host.
template <class Number> struct fetched_top {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> rows;
  std::vector<Number> values;

  fetched_top(top_matches<Number> const& from, execution const& exec)
      : offsets(from.probes + 1), rows(from.total), values(from.total) {
    copy(offsets.data(), from.offsets.data(), offsets.size() * sizeof offsets[0], exec);
    if (from.total == 0) return;
    copy(values.data(), from.values.data(), values.size() * sizeof(Number), exec);
    if (from.row_type == row_type::u32) {
      copy(rows.data(), from.rows.data(), rows.size() * sizeof rows[0], exec);
      return;
    }
    std::vector<std::uint64_t> wide(from.total);
    copy(wide.data(), from.rows.data(), wide.size() * sizeof wide[0], exec);
    std::transform(wide.begin(), wide.end(), rows.begin(), [](auto row) { return static_cast<std::uint32_t>(row); });
  }

  std::vector<std::uint32_t> rows_of(std::size_t range) const {
    auto const at = [&](std::uint64_t i) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
    return {at(offsets[range]), at(offsets[range + 1])};
  }
};

enum class shape_of_values { random, few, ascending, descending };

template <class T>
void expect_top_as_sorted(char const* spec, execution const& exec, bool with_nulls, std::size_t size,
                          shape_of_values shape = shape_of_values::random) {
  SCOPED_TRACE(testing::Message() << spec << ", " << size << " values of " << sizeof(T) << " bytes, shape "
                                  << static_cast<int>(shape));
  using number = detail::sum_of<T>;
  std::mt19937_64 random(size + sizeof(T));
  std::vector<std::uint32_t> keys(size);
  std::vector<T> values(size);
  std::vector<std::uint8_t> bits(size / 8 + 1, 0xff);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random() % (size / 3 + 1));
  for (std::size_t i = 0; i < size; ++i) {
    switch (shape) {
      case shape_of_values::random: values[i] = static_cast<T>(static_cast<std::int64_t>(random() >> 8)); break;
      case shape_of_values::few: values[i] = static_cast<T>(random() % 3); break;
      case shape_of_values::ascending: values[i] = static_cast<T>(keys[i]); break;
      case shape_of_values::descending: values[i] = static_cast<T>(size - keys[i]); break;
    }
  }
  if (with_nulls)
    for (auto& byte : bits) byte = static_cast<std::uint8_t>(random() & random());
  auto const valid = [&](std::size_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; };

  auto const x = index::build(spec, keys, exec);
  range_aggregates<number> const amounts(x, with_nulls ? value_column(values, bits.data()) : value_column(values),
                                         exec);
  std::vector<std::uint32_t> low = {0, 1, 5}, high = {~std::uint32_t{0}, 0, 5};  // all, none, one key
  for (int i = 0; i < 20; ++i) {
    low.push_back(static_cast<std::uint32_t>(random() % (size / 3 + 2)));
    high.push_back(static_cast<std::uint32_t>(random() % (size / 3 + 2)));
  }
  for (std::uint64_t const k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{10},
                                std::uint64_t{100}, ~std::uint64_t{0}}) {
    for (bool const greatest : {true, false}) {
      fetched_top<number> const found(
          greatest ? amounts.top_k(x, {low, high}, k, exec) : amounts.bottom_k(x, {low, high}, k, exec), exec);
      for (std::size_t r = 0; r < low.size(); ++r) {
        auto const expected = sorted_top(keys, values, k, greatest, [&](std::size_t i) {
          return low[r] <= keys[i] && keys[i] <= high[r] && valid(i);
        });
        ASSERT_EQ(found.rows_of(r), expected) << k << " of " << low[r] << " to " << high[r];
      }
      for (std::size_t i = 0; i < found.rows.size(); ++i)
        ASSERT_TRUE(found.values[i] == static_cast<number>(values[found.rows[i]]));
    }
  }
}

TEST_P(aggregates, top_of_ranges_as_sorted) {
  for (std::size_t const size : {0, 1, 16, 17, 300, 5000}) {
    expect_top_as_sorted<std::int64_t>("AO+BS", exec_, false, size);
    expect_top_as_sorted<double>("B+(16)", exec_, true, size);
  }
  for (auto const shape : {shape_of_values::few, shape_of_values::ascending, shape_of_values::descending}) {
    expect_top_as_sorted<std::int32_t>("AO+BS", exec_, false, 5000, shape);
    expect_top_as_sorted<float>("AO+BS", exec_, true, 5000, shape);
  }
  expect_top_as_sorted<std::int8_t>("AO+BS", exec_, true, 700);
  expect_top_as_sorted<std::uint8_t>("EO+BS", exec_, false, 700);
  expect_top_as_sorted<std::int16_t>("AO+BS", exec_, false, 700);
  expect_top_as_sorted<std::uint16_t>("AO+BS", exec_, false, 700);
  expect_top_as_sorted<std::uint32_t>("AO+BS", exec_, false, 700);
  expect_top_as_sorted<std::uint64_t>("AO+BS/rows=u64", exec_, true, 700);
  expect_top_as_sorted<i128>("AO+BS", exec_, false, 700);
}

TEST_P(aggregates, top_of_nan_and_of_bounds) {
  double const nan = std::nan("");
  std::vector<std::uint32_t> const keys = {1, 1, 2, 3, 4};
  std::vector<double> const values = {-0.0, nan, 0.0, 7, nan};
  auto const x = index::build("AO+BS", keys, exec_);
  range_aggregates const p(x, values, exec_);
  std::vector<std::uint32_t> const low = {1, 1}, high = {4, 4};
  using row_list = std::vector<std::uint32_t>;
  fetched_top<double> const greatest(p.top_k(x, {low, high}, 4, exec_), exec_);
  EXPECT_EQ(greatest.rows_of(0), (row_list{1, 4, 3, 0}));  // NaN first, and zeros of both signs are equal
  EXPECT_TRUE(std::isnan(greatest.values[0]) && greatest.values[2] == 7);
  fetched_top<double> const least(p.bottom_k(x, {low, high}, 4, exec_), exec_);
  EXPECT_EQ(least.rows_of(1), (row_list{0, 2, 3, 1}));
  key_ranges const open{low, high, closed_ends::none};
  EXPECT_EQ(fetched_top<double>(p.top_k(x, open, 9, exec_), exec_).rows_of(0), (row_list{3, 2}));
  std::uint8_t const first_is_null = 0b10;
  nullable_column nulls(low);
  nulls.validity = &first_is_null;
  fetched_top<double> const of_null(p.top_k(x, {nulls, high}, 1, exec_), exec_);
  EXPECT_EQ(of_null.rows_of(0), row_list{});
  EXPECT_EQ(of_null.rows_of(1), row_list{1});
}

TEST_P(aggregates, top_as_spans) {
  if (on_device()) GTEST_SKIP() << "spans are on the host";
  std::vector<std::uint32_t> const keys = {3, 1, 2, 1};
  std::vector<std::int32_t> const values = {30, 10, 20, 11};
  auto const x = index::build("AO+BS", keys, exec_);
  std::vector<std::uint32_t> const low = {1, 9, 2}, high = {2, 9, 3};
  auto found = range_aggregates(x, values, exec_).top_k(x, {low, high}, 2);
  EXPECT_EQ(found.total, 4u);
  EXPECT_EQ(found.all_rows<>()[0], 2u);
  EXPECT_EQ(found.values_of(1).size(), 0u);
  EXPECT_TRUE(found.values_of(0)[1] == 11 && found.values_of(2)[0] == 30 && found.all_values()[3] == 20);
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)found.values_of(3); }, "number 3 of 3"));
  auto const wide = index::build("AO+BS/rows=u64", keys, exec_);
  auto const of_wide = range_aggregates(wide, values, exec_).top_k(wide, {low, high}, 1);
  EXPECT_TRUE(of_wide.values_of(2).size() == 1 && of_wide.values_of(2)[0] == 30);
}

TEST_P(aggregates, gather_takes_values_of_rows) {
  std::vector<std::uint32_t> const keys = {5, 7, 5}, query = {7, 6, 5};
  std::vector<double> const amounts = {1.5, 2.5, 3.5};
  auto const x = index::build("HT(open)", keys, exec_);
  auto const rows = x.find(query, exec_);
  EXPECT_EQ(gather(rows, amounts, -1.0, exec_), (std::vector<double>{2.5, -1, 1.5}));
  std::vector<std::uint8_t> const bytes = {1, 2, 3};
  EXPECT_EQ(gather(rows, bytes, std::uint8_t{9}, exec_), (std::vector<std::uint8_t>{2, 9, 1}));
  std::vector<date> const days = {{1}, {2}, {3}};
  EXPECT_EQ(gather(rows, days, date{}, exec_)[1].days, 0);
  std::vector<u128> const wide = {u128{1} << 100, 2, 3};
  std::vector<std::uint64_t> const wide_rows = {0, no_row<std::uint64_t>};
  auto const taken = gather(wide_rows, wide, u128{3} << 99, exec_);
  EXPECT_TRUE(taken[0] == u128{1} << 100 && taken[1] == u128{3} << 99);
  EXPECT_EQ(gather(std::vector<std::uint32_t>{}, amounts, 0.0, exec_).size(), 0u);

  std::vector<std::uint32_t> const beyond = {0, 3};
  EXPECT_TRUE(
      throws<invalid_argument>([&] { gather(beyond, amounts, 0.0, exec_); }, "row id number 1 is 3", "3 values"));
  std::vector<double> out(1);
  EXPECT_TRUE(throws<invalid_argument>([&] { gather(beyond, amounts, out, 0.0, exec_); }, "output"));
}

/// All arrays on the device.
TEST_P(aggregates, arrays_of_the_device) {
  if (!on_device()) GTEST_SKIP() << "a device is needed";
  std::vector<std::uint32_t> const keys = {5, 7, 5};
  std::vector<std::int64_t> const amounts = {10, 20, 30};
  input_array<std::uint32_t> const near_keys(keys, place::device, 1, exec_);
  input_array<std::int64_t> const near_amounts(amounts, place::device, 1, exec_);
  auto const* const k = static_cast<std::uint32_t const*>(near_keys.data());
  auto const* const a = static_cast<std::int64_t const*>(near_amounts.data());
  auto const x = index::build("AO+BS", std::span(k, 3), exec_);
  buffer const rows(3 * sizeof(std::uint32_t), exec_);
  buffer const taken(3 * sizeof(std::int64_t), exec_);
  buffer const sums(3 * sizeof(aggregate<i128>), exec_);
  std::span const row_span(rows.as<std::uint32_t>(), 3);
  x.find(std::span(k, 3), row_span, exec_);
  gather(row_span, std::span(a, 3), std::span(taken.as<std::int64_t>(), 3), std::int64_t{0}, exec_);
  range_aggregates const p(x, std::span(a, 3), exec_);
  p.of_keys(x, std::span(k, 3), std::span(sums.as<aggregate<i128>>(), 3), exec_);
  std::vector<std::int64_t> values(3);
  std::vector<aggregate<i128>> found(3);
  copy(values.data(), taken.data(), taken.bytes(), exec_);
  copy(found.data(), sums.data(), sums.bytes(), exec_);
  EXPECT_EQ(values, (std::vector<std::int64_t>{10, 20, 10}));
  EXPECT_TRUE(found[0].sum == 40 && found[1].sum == 20 && found[2].count == 2);

  // Aggregates of 40 bytes begin wherever a double may.
  std::vector<double> const reals = {1, 2, 4};
  buffer const places(4 * sizeof(aggregate<double>), exec_);
  auto* const odd = reinterpret_cast<aggregate<double>*>(places.as<double>() + 1);
  range_aggregates(x, reals, exec_).of_keys(x, std::span(k, 3), std::span(odd, 3), exec_);
  std::vector<aggregate<double>> sums_of_reals(3);
  copy(sums_of_reals.data(), odd, 3 * sizeof(aggregate<double>), exec_);
  EXPECT_EQ(sums_of_reals[0].sum, 5);
}

}  // namespace
}  // namespace warpdex::test
