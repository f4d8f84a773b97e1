// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/exact.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

/// @file
/// Probes of another type than the keys: every operation against a scan that compares the values themselves.
namespace warpdex::test {
namespace {

using numbers = std::vector<std::uint64_t>;

/// Values in the order of keys: NaN after all others, days and moments in microseconds.
struct ordered_value {
  bool nan;
  exact value;
  friend bool operator<(ordered_value a, ordered_value b) { return a.nan != b.nan ? b.nan : a.value < b.value; }
  friend bool operator==(ordered_value a, ordered_value b) { return a.nan == b.nan && a.value == b.value; }
};

template <class T> ordered_value ordered(T value) {
  if constexpr (std::is_same_v<T, date>) return {false, static_cast<exact>(value.days) * 86'400'000'000};
  else if constexpr (std::is_same_v<T, timestamp>) return {false, static_cast<exact>(value.microseconds)};
  else if constexpr (std::is_floating_point_v<T>) return {std::isnan(value), std::isnan(value) ? 0 : exact{value}};
  else return {false, static_cast<exact>(value)};
}

/// Values at the ends of the type, around those of other types, and small ones, with repetitions.
template <class T> std::vector<T> values(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> result;
  if constexpr (std::is_same_v<T, date>) {
    for (int i = -40; i < 40; ++i) result.push_back({i / 2});
    result.push_back({std::numeric_limits<std::int32_t>::max()});
    result.push_back({std::numeric_limits<std::int32_t>::min()});
  } else if constexpr (std::is_same_v<T, timestamp>) {
    for (int i = -80; i < 80; ++i) result.push_back({i * std::int64_t{21'600'000'000} + i % 3});
    result.push_back({std::numeric_limits<std::int64_t>::max()});
    result.push_back({std::numeric_limits<std::int64_t>::min()});
  } else {
    using limits = std::numeric_limits<T>;
    for (int i = 0; i < 100; ++i) {
      if constexpr (std::is_floating_point_v<T>)
        result.push_back(static_cast<T>(static_cast<int>(random() % 80) - 40) / 4);
      else if constexpr (std::is_signed_v<T>) result.push_back(static_cast<T>(static_cast<int>(random() % 40) - 20));
      else result.push_back(static_cast<T>(random() % 40));
    }
    for (T const v : {limits::max(), static_cast<T>(limits::max() / 2), static_cast<T>(limits::lowest() + 1)}) {
      result.push_back(v);
      result.push_back(static_cast<T>(v - 1));
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (double const v : {0x1p31, 0x1p32, 0x1p53, 0x1p63, 0x1p64, 0x1p64 - 4096, 1e30, 0.1, 3e-46}) {
        result.push_back(static_cast<T>(v));
        result.push_back(static_cast<T>(-v));
      }
      for (T const v : {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), T{-0.0}, limits::denorm_min()})
        result.push_back(v);
    }
  }
  std::shuffle(result.begin(), result.end(), random);
  return result;
}

class probes_of_another_type : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  /// The results of a scan of the keys.
  template <class Key, class Matches> numbers rows_where(std::vector<Key> const& keys, Matches const& matches) const {
    numbers rows;
    for (std::size_t row = 0; row < keys.size(); ++row)
      if (matches(ordered(keys[row]))) rows.push_back(row);
    return rows;
  }

  template <class Key, class Probe> void expect_right(place where) {
    std::vector<Key> const keys = values<Key>(1);
    std::vector<Probe> const probes = values<Probe>(2);
    std::size_t const m = probes.size();
    index const i = index::build(sample_, std::span(keys), exec_);
    SCOPED_TRACE(std::string(to_string(detail::key_type_of<Probe>())) + " among " +
                 std::string(to_string(i.key_type())));
    input_array<Probe> const array(probes, where, 0, exec_);
    column const query(array.data(), m, detail::key_type_of<Probe>());

    output_array<std::uint8_t> flags(m, 9, where, exec_);
    output_array<std::uint32_t> found(m, 9, where, exec_);
    output_array<std::uint64_t> counts(m, 9, where, exec_);
    i.contains(query, flags.span(), exec_);
    i.find(query, found.span(), exec_);
    i.count(query, counts.span(), exec_);
    auto const flags_read = flags.read();
    auto const found_read = found.read();
    auto const counts_read = counts.read();
    matches const all = i.retrieve(query, exec_);
    auto const offsets = read_buffer<std::uint64_t>(all.offsets, m + 1, exec_);
    auto const rows = read_buffer<std::uint32_t>(all.rows, all.total, exec_);
    std::vector<std::uint32_t> positions(m), any(m), in_order(m, 7);
    i.find_unordered(query, std::span(positions), std::span(any), exec_);
    for (std::size_t j = 0; j < m; ++j) in_order[positions[j]] = any[j];
    EXPECT_EQ(in_order, found_read);
    for (std::size_t p = 0; p < m; ++p) {
      auto const equal = rows_where(keys, [&](ordered_value key) { return key == ordered(probes[p]); });
      ASSERT_EQ(flags_read[p], equal.empty() ? 0 : 1) << p;
      ASSERT_EQ(found_read[p], equal.empty() ? no_row<std::uint32_t> : equal[0]) << p;
      ASSERT_EQ(counts_read[p], equal.size()) << p;
      ASSERT_EQ(numbers(rows.begin() + static_cast<std::ptrdiff_t>(offsets[p]),
                        rows.begin() + static_cast<std::ptrdiff_t>(offsets[p + 1])),
                equal)
          << p;
    }
    if (i.ordered()) expect_right_in_order(i, keys, probes, query, where);
  }

  template <class Key, class Probe>
  void expect_right_in_order(index const& i, std::vector<Key> const& keys, std::vector<Probe> const& probes,
                             column query, place where) {
    std::size_t const m = probes.size();
    Key const untouched = keys[3];
    output_array<std::uint64_t> out(m, 9, where, exec_);
    i.lower_bound(query, out.span(), exec_);
    numbers const lower = out.read();
    i.upper_bound(query, out.span(), exec_);
    numbers const upper = out.read();
    output_array<std::uint32_t> floor_rows(m, 9, where, exec_);
    output_array<Key> floor_keys(m, untouched, where, exec_);
    i.floor(query, key_output(floor_keys.data(), m, i.key_type()), floor_rows.span(), exec_);
    auto const rows_read = floor_rows.read();
    auto const keys_read = floor_keys.read();
    output_array<std::uint32_t> rows_alone(m, 9, where, exec_);
    i.floor(query, key_output(), rows_alone.span(), exec_);
    EXPECT_EQ(rows_alone.read(), rows_read);

    output_array<std::uint32_t> ceil_rows(m, 9, where, exec_);
    output_array<Key> ceil_keys(m, untouched, where, exec_);
    i.ceil(query, key_output(ceil_keys.data(), m, i.key_type()), ceil_rows.span(), exec_);
    auto const ceils = ceil_rows.read();
    auto const keys_above = ceil_keys.read();

    // Ranges from each probe to the next, and from a key of the keys' type to a probe.
    column const from(query.data, m - 1, query.type);
    column const to(static_cast<char const*>(query.data) + sizeof(Probe), m - 1, query.type);
    output_array<std::uint64_t> counts(m - 1, 9, where, exec_);
    i.range_count({from, to}, counts.span(), exec_);
    numbers const counts_read = counts.read();
    i.range_sum({from, to}, counts.span(), exec_);
    numbers const sums_read = counts.read();
    matches const in_ranges = i.range_retrieve({from, to}, exec_);
    auto const offsets = read_buffer<std::uint64_t>(in_ranges.offsets, m, exec_);
    std::size_t const mixed_size = std::min(m, keys.size());
    input_array<Key> const key_array(keys, where, 0, exec_);
    numbers mixed(mixed_size);
    i.range_count({column(key_array.data(), mixed_size, i.key_type()), column(query.data, mixed_size, query.type)},
                  std::span(mixed), exec_);

    for (std::size_t p = 0; p < m; ++p) {
      ordered_value const probe = ordered(probes[p]);
      auto const less = rows_where(keys, [&](ordered_value key) { return key < probe; });
      auto const not_above = rows_where(keys, [&](ordered_value key) { return !(probe < key); });
      ASSERT_EQ(lower[p], less.size()) << p;
      ASSERT_EQ(upper[p], not_above.size()) << p;
      if (not_above.empty()) {
        ASSERT_EQ(rows_read[p], no_row<std::uint32_t>) << p;
        ASSERT_TRUE(ordered(keys_read[p]) == ordered(untouched)) << p;
      } else {
        ordered_value largest = ordered(keys[not_above[0]]);
        for (auto const row : not_above) largest = std::max(largest, ordered(keys[row]));
        ASSERT_TRUE(ordered(keys_read[p]) == largest) << p;
        ASSERT_EQ(rows_read[p], rows_where(keys, [&](ordered_value key) { return key == largest; })[0]) << p;
      }
      auto const not_below = rows_where(keys, [&](ordered_value key) { return !(key < probe); });
      if (not_below.empty()) {
        ASSERT_EQ(ceils[p], no_row<std::uint32_t>) << p;
        ASSERT_TRUE(ordered(keys_above[p]) == ordered(untouched)) << p;
      } else {
        ordered_value smallest = ordered(keys[not_below[0]]);
        for (auto const row : not_below) smallest = std::min(smallest, ordered(keys[row]));
        ASSERT_TRUE(ordered(keys_above[p]) == smallest) << p;
        ASSERT_EQ(ceils[p], rows_where(keys, [&](ordered_value key) { return key == smallest; })[0]) << p;
      }
      auto const within = [&](ordered_value low, ordered_value high) {
        return rows_where(keys, [&](ordered_value key) { return !(key < low) && !(high < key); });
      };
      if (p < mixed_size) {
        ASSERT_EQ(mixed[p], within(ordered(keys[p]), probe).size()) << p;
      }
      if (p + 1 == m) continue;
      auto const hits = within(probe, ordered(probes[p + 1]));
      ASSERT_EQ(counts_read[p], hits.size()) << p;
      ASSERT_EQ(offsets[p + 1] - offsets[p], hits.size()) << p;
      ASSERT_EQ(sums_read[p], std::accumulate(hits.begin(), hits.end(), std::uint64_t{0})) << p;
    }
  }

  template <class Key> void expect_right_among() {
    place const near = std::get<1>(GetParam()) == backend_kind::cuda ? place::device : place::host;
    expect_right<Key, std::uint32_t>(near);
    expect_right<Key, std::uint64_t>(near);
    expect_right<Key, std::int32_t>(near);
    expect_right<Key, std::int64_t>(near);
    expect_right<Key, float>(near);
    expect_right<Key, double>(near);
    if (near == place::device) expect_right<Key, double>(place::host);
  }

  std::string const sample_ = std::get<0>(GetParam());
  test_stream stream_{std::get<1>(GetParam())};
  execution exec_{memory_of(std::get<1>(GetParam())), stream_, 2};
};

TEST_P(probes_of_another_type, among_unsigned_numbers) {
  expect_right_among<std::uint32_t>();
  expect_right_among<std::uint64_t>();
}

TEST_P(probes_of_another_type, among_signed_numbers) {
  expect_right_among<std::int32_t>();
  expect_right_among<std::int64_t>();
}

TEST_P(probes_of_another_type, among_floats) {
  expect_right_among<float>();
  expect_right_among<double>();
}

TEST_P(probes_of_another_type, days_and_moments) {
  expect_right<date, timestamp>(place::host);
  expect_right<timestamp, date>(place::host);
}

TEST_P(probes_of_another_type, what_has_no_order_among_the_keys) {
  std::vector<std::uint32_t> const keys = {1, 2, 3};
  std::vector<date> const probes = {{1}, {2}, {3}};
  std::vector<std::uint32_t> rows(3);
  index const i = index::build(sample_, std::span(keys), exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(std::span(probes), std::span(rows), exec_); }, "find",
                                       "the probe column", "date", "u32"));
}

INSTANTIATE_TEST_SUITE_P(all, probes_of_another_type,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

TEST(wide_keys, probes_of_another_type) {
  std::vector<u128> const keys = {5, u128{1} << 64, ~u128{0}};
  std::vector<std::int64_t> const signed_probes = {5, -1, -5, 6};
  std::vector<double> const floats = {5, 0x1p64, 5.5, 0x1p128};
  std::vector<std::uint32_t> rows(4);
  execution const exec;
  index const i = index::build("HT(open)", std::span(keys), exec);
  constexpr auto none = no_row<std::uint32_t>;
  i.find(std::span(signed_probes), std::span(rows), exec);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, none, none, none}));
  i.find(std::span(floats), std::span(rows), exec);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, none, none}));
}

}  // namespace
}  // namespace warpdex::test
