// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/intervals.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "intervals/interval_model.hpp"
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Intervals, against a loop over all of them.
namespace warpdex::test {
namespace {

class interval_tests : public testing::TestWithParam<backend_kind> {
 protected:
  execution const exec_{memory_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, interval_tests, testing::ValuesIn(present_backends()), backend_name);

void expect_answers(question const& q, intervals const& x, interval_probes const& probes, execution const& exec) {
  std::size_t const size = q.lower.values.size();
  auto const counts = x.count(probes, exec);
  std::vector<std::uint32_t> first(size, 7);
  x.find(probes, first, exec);
  matches const found = x.retrieve(probes, exec);
  auto const offsets = read_buffer<std::uint64_t>(found.offsets, size + 1, exec);
  auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, exec);
  EXPECT_EQ(offsets[size], found.total);
  for (std::size_t i = 0; i < size; ++i) {
    SCOPED_TRACE(testing::Message() << "probe " << i);
    auto const expected = q.rows_of(i);
    EXPECT_EQ(counts[i], expected.size());
    EXPECT_EQ(first[i], expected.empty() ? no_row<std::uint32_t> : expected.front());
    EXPECT_EQ((std::vector<std::uint32_t>(rows.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                                          rows.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]))),
              expected);
  }
}

using pairs = std::vector<std::tuple<std::uint32_t, std::uint32_t>>;

pairs pairs_of(question const& q, join_kind kind) {
  pairs all;
  for (std::uint32_t i = 0; i < q.lower.values.size(); ++i) {
    auto const rows = q.rows_of(i);
    if (kind == join_kind::semi && !rows.empty()) all.emplace_back(i, 0);
    if (kind == join_kind::anti && rows.empty()) all.emplace_back(i, 0);
    if (kind == join_kind::left && rows.empty()) all.emplace_back(i, no_row<std::uint32_t>);
    if (kind == join_kind::inner || kind == join_kind::left)
      for (auto const row : rows) all.emplace_back(i, row);
  }
  return all;
}

void expect_pairs(question const& q, intervals const& x, interval_probes const& probes, execution const& exec) {
  for (join_kind const kind : {join_kind::inner, join_kind::left, join_kind::semi, join_kind::anti})
    for (std::uint64_t const batch : {1000000, 7, 1}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", batches of " << batch);
      join_options options;
      options.batch_pairs = batch;
      options.part_probes = batch == 7 ? 5 : 1000;
      joined const found = x.join(probes, kind, exec, options);
      auto const left = read_buffer<std::uint32_t>(found.left, found.size, exec);
      std::vector<std::uint32_t> right(found.size, 0);
      if (found.right.bytes() != 0) right = read_buffer<std::uint32_t>(found.right, found.size, exec);
      pairs all;
      for (std::size_t i = 0; i < left.size(); ++i) all.emplace_back(left[i], right[i]);
      EXPECT_EQ(all, pairs_of(q, kind));
    }
}

/// Within groups. @tparam Group, T types of groups and keys
template <class Group, class T> void expect_groups(execution const& exec, std::uint64_t seed) {
  question_maker maker(seed);
  for (closed_ends const closed : all_closed)
    for (bool const points : {true, false})
      for (std::size_t const size : {0, 1, 40, 300}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", closed " << static_cast<int>(closed) << ", "
                                        << (points ? "points" : "intervals") << ", size " << size);
        bool const nulls = seed % 2 == 1;
        question q = maker.make(size, 40, points, closed, nulls);
        maker.add_groups(q, nulls);
        inputs<T> const columns(q);
        values_of<Group> const groups(q.groups.values), probe_groups(q.probe_groups.values);
        nullable_column const of(groups.view(), q.groups.validity());
        auto const x = intervals::build(of, {columns.starts.view(), q.starts.validity()},
                                        {columns.ends.view(), q.ends.validity()}, exec, closed);
        interval_probes const probes =
            columns.probes().within(nullable_column(probe_groups.view(), q.probe_groups.validity()));
        expect_answers(q, x, probes, exec);
        if (size == 40) expect_pairs(q, x, probes, exec);
      }
}

template <class T> void expect_as_loop(execution const& exec, std::uint64_t seed) {
  question_maker maker(seed);
  for (closed_ends const closed : all_closed)
    for (bool const points : {true, false})
      for (std::size_t const size : {0, 1, 16, 40, 300}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", closed " << static_cast<int>(closed) << ", "
                                        << (points ? "points" : "intervals") << ", size " << size);
        question const q = maker.make(size, 40, points, closed, seed % 2 == 1);
        inputs<T> const columns(q);
        intervals const x = columns.build(exec);
        expect_answers(q, x, columns.probes(), exec);
        if (size == 40) expect_pairs(q, x, columns.probes(), exec);
      }
}

TEST_P(interval_tests, equal_loops) {
  for (std::uint64_t const seed : {1, 2}) {
    expect_as_loop<std::uint32_t>(exec_, seed);
    expect_as_loop<std::int64_t>(exec_, seed);
    expect_as_loop<float>(exec_, seed);
    expect_as_loop<double>(exec_, seed);
    expect_as_loop<u128>(exec_, seed);
    expect_as_loop<date>(exec_, seed);
    expect_as_loop<timestamp>(exec_, seed);
    expect_as_loop<std::string>(exec_, seed);
  }
}

TEST_P(interval_tests, equal_loops_within_groups) {
  for (std::uint64_t const seed : {3, 4}) {
    expect_groups<std::uint32_t, std::uint32_t>(exec_, seed);
    expect_groups<std::string, std::int64_t>(exec_, seed);
    expect_groups<u128, double>(exec_, seed);
    expect_groups<double, std::string>(exec_, seed);
    expect_groups<date, u128>(exec_, seed);
  }
}

/// @param length in units of the keys @param units the same in those of a question
template <class T> void expect_overlap(execution const& exec, asof_tolerance const& length, int units) {
  question_maker maker(static_cast<std::uint64_t>(units));
  for (bool const with_groups : {false, true})
    for (closed_ends const closed : {closed_ends::both, closed_ends::left})
      for (std::size_t const size : {0, 1, 40, 200}) {
        SCOPED_TRACE(testing::Message() << "overlap " << units << ", size " << size << ", groups " << with_groups);
        question q = maker.make(size, 40, false, closed, true);
        q.least = units;
        if (with_groups) maker.add_groups(q, true);
        inputs<T> const columns(q);
        nullable_column const starts(columns.starts.view(), q.starts.validity());
        nullable_column const ends(columns.ends.view(), q.ends.validity());
        interval_probes probes = columns.probes();
        if (!with_groups) {
          expect_answers(q, intervals::build(starts, ends, exec, closed, length), probes, exec);
          continue;
        }
        nullable_column const of(column(q.groups.values), q.groups.validity());
        auto const x = intervals::build(of, starts, ends, exec, closed, length);
        expect_answers(q, x, probes.within({column(q.probe_groups.values), q.probe_groups.validity()}), exec);
      }
}

TEST_P(interval_tests, overlap_by_a_length) {
  for (int const units : {1, 3, 20}) {
    expect_overlap<std::uint32_t>(exec_, units, units);
    expect_overlap<std::int64_t>(exec_, units, units);
    expect_overlap<timestamp>(exec_, units, units);
    expect_overlap<double>(exec_, units * .5, units);
  }
  std::vector<std::int64_t> const most = {std::numeric_limits<std::int64_t>::min()};
  std::vector<std::int64_t> const last = {std::numeric_limits<std::int64_t>::max()};
  constexpr std::int64_t half = std::numeric_limits<std::int64_t>::max();
  auto const x = intervals::build(most, last, exec_, closed_ends::both, half);
  EXPECT_EQ(x.count({most, last}, exec_)[0], 1u);
  EXPECT_EQ(x.count({std::vector<std::int64_t>{1}, last}, exec_)[0], 0u);
  EXPECT_EQ(x.count({std::vector<std::int64_t>{0}, last}, exec_)[0], 1u);
}

TEST_P(interval_tests, long_ones_among_short_ones) {
  question_maker maker(3);
  question q = maker.make(5000, 200, true, closed_ends::left, false);
  for (std::size_t i = 0; i < q.starts.values.size(); ++i) {
    q.starts.values[i] = static_cast<int>(i) * 10;
    q.ends.values[i] = static_cast<int>(i) * 10 + (i % 1000 == 17 ? 50000 : 4);
  }
  for (std::size_t i = 0; i < q.lower.values.size(); ++i)
    q.lower.values[i] = q.upper.values[i] = static_cast<int>(i) * 270;
  inputs<std::int32_t> const columns(q);
  expect_answers(q, columns.build(exec_), columns.probes(), exec_);
}

/// The length of what intervals cover of the probe, by a look at each unit.
int covered_units(question const& q, std::size_t probe) {
  int units = 0;
  for (int at = q.lower.values[probe]; at < q.upper.values[probe]; ++at) {
    bool covered = false;
    for (std::size_t i = 0; i < q.starts.values.size(); ++i)
      covered |= q.same_group(i, probe) && q.starts.valid(i) && q.ends.valid(i) && q.starts.values[i] <= at &&
                 at < q.ends.values[i];
    units += covered ? 1 : 0;
  }
  return q.lower.valid(probe) && q.upper.valid(probe) ? units : 0;
}

template <class T, class Length> void expect_coverage(execution const& exec, double unit, bool with_groups) {
  question_maker maker(11);
  for (bool const nulls : {false, true})
    for (std::size_t const size : {0, 1, 5, 12, 100}) {
      question q = maker.make(size, 60, false, nulls ? closed_ends::none : closed_ends::both, nulls);
      for (std::size_t i = 0; i < size; ++i) q.ends.values[i] = std::min(q.ends.values[i], q.starts.values[i] + 2);
      for (std::size_t i = 0; i < 60; ++i) q.upper.values[i] = std::min(79, q.upper.values[i] + static_cast<int>(i));
      if (with_groups) maker.add_groups(q, nulls);
      inputs<T> const columns(q);
      std::vector<Length> lengths(60);
      interval_probes probes = columns.probes();
      if (with_groups) {
        probes.groups = nullable_column(column(q.probe_groups.values), q.probe_groups.validity());
        intervals::build({column(q.groups.values), q.groups.validity()}, {columns.starts.view(), q.starts.validity()},
                         {columns.ends.view(), q.ends.validity()}, exec, q.closed)
            .coverage(probes, lengths, exec);
      } else {
        columns.build(exec).coverage(probes, lengths, exec);
      }
      for (std::size_t i = 0; i < 60; ++i)
        EXPECT_EQ(static_cast<double>(lengths[i]), covered_units(q, i) * unit) << size << " intervals, probe " << i;
    }
}

TEST_P(interval_tests, cover_parts_of_others) {
  for (bool const with_groups : {false, true}) {
    expect_coverage<std::uint32_t, std::uint64_t>(exec_, 1, with_groups);
    expect_coverage<std::int64_t, std::uint64_t>(exec_, 1, with_groups);
    expect_coverage<date, std::uint64_t>(exec_, 1, with_groups);
    expect_coverage<float, double>(exec_, .5, with_groups);
    expect_coverage<double, double>(exec_, .5, with_groups);
  }

  double const inf = std::numeric_limits<double>::infinity();
  auto const x = intervals::build(std::vector<double>{-inf, 2, 7}, std::vector<double>{0, 3, inf}, exec_);
  std::vector<double> lengths(3);
  x.coverage({std::vector<double>{-1, 1, 2.5}, std::vector<double>{8, 8, 2.75}}, lengths, exec_);
  EXPECT_EQ(lengths, (std::vector<double>{3, 2, .25}));
  x.coverage(std::vector<double>{-1, 1, 7}, lengths, exec_);
  EXPECT_EQ(lengths, (std::vector<double>{1, 0, 1}));
}

TEST_P(interval_tests, probes_of_another_type) {
  std::vector<std::int32_t> const starts = {-5, 0, 7}, ends = {-1, 3, 7};
  auto const x = intervals::build(starts, ends, exec_);
  std::vector<double> const points = {-5.5, -5, -.5, 3, 3.5, 7, 1e300, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(x.count(points, exec_), (std::vector<std::uint64_t>{0, 1, 0, 1, 0, 1, 0, 0}));
  std::vector<std::uint64_t> const lower = {0, 4}, upper = {7, ~std::uint64_t{0}};
  EXPECT_EQ(x.count({lower, upper}, exec_), (std::vector<std::uint64_t>{2, 1}));
}

/// All calls that take intervals or points, of probes that match nothing.
void expect_nothing(intervals const& x, interval_probes const& probes, execution const& exec) {
  std::size_t const size = probes.size();
  EXPECT_EQ(x.count(probes, exec), std::vector<std::uint64_t>(size, 0));
  std::vector<std::uint32_t> first(size, 7);
  x.find(probes, first, exec);
  EXPECT_EQ(first, std::vector<std::uint32_t>(size, no_row<std::uint32_t>));
  EXPECT_EQ(x.retrieve(probes, exec).total, 0u);
  EXPECT_EQ(x.join(probes, join_kind::inner, exec).size, 0u);
  EXPECT_EQ(x.join(probes, join_kind::anti, exec).size, size);
  std::vector<double> lengths(size, 7);
  x.coverage(probes, lengths, exec);
  EXPECT_EQ(lengths, std::vector<double>(size, 0));
  EXPECT_EQ(x.nearest(probes, 3, exec).total, 0u);
  if (!probes.are_points) {
    EXPECT_EQ(x.gaps(probes, exec).total, 0u);
  }
}

template <class T> void expect_nan_matches_nothing(execution const& exec) {
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> const starts = {-inf, 0, 5, inf}, ends = {inf, 10, 6, inf};
  std::vector<T> const lower = {1, nan, nan, nan, -inf, -nan}, upper = {nan, 7, nan, inf, nan, -nan};
  std::vector<std::uint32_t> const groups = {1, 1, 1, 1}, probe_groups = {1, 1, 1, 1, 1, 1};
  std::vector<T> const points = {nan, -nan};
  for (closed_ends const closed : all_closed) {
    SCOPED_TRACE(testing::Message() << "closed " << static_cast<int>(closed));
    auto const x = intervals::build(starts, ends, exec, closed);
    expect_nothing(x, {lower, upper}, exec);
    expect_nothing(x, points, exec);
    auto const grouped = intervals::build(groups, starts, ends, exec, closed);
    expect_nothing(grouped, interval_probes(lower, upper).within(probe_groups), exec);
    expect_nothing(grouped, interval_probes(points).within(std::vector<std::uint32_t>{1, 1}), exec);
  }
  expect_nothing(intervals::build(starts, ends, exec, closed_ends::both, asof_tolerance(1.)), {lower, upper}, exec);
}

TEST_P(interval_tests, nan_matches_nothing) {
  expect_nan_matches_nothing<float>(exec_);
  expect_nan_matches_nothing<double>(exec_);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const whole = intervals::build(std::vector<std::int32_t>{0, 5}, std::vector<std::int32_t>{10, 6}, exec_);
  EXPECT_EQ(whole.count({std::vector<double>{1, nan}, std::vector<double>{nan, 7}}, exec_),
            (std::vector<std::uint64_t>{0, 0}));
}

TEST_P(interval_tests, refuse_what_is_none) {
  using column_of_doubles = std::vector<double>;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        intervals::build(column_of_doubles{1, 2}, column_of_doubles{1, 1.5}, exec_);
      },
      "intervals::build: row 1", "start is 2.000000, its end 1.500000"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        intervals::build(column_of_doubles{1, 2}, column_of_doubles{nan, 3}, exec_);
      },
      "row 0", "its end nan"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { intervals::build(byte_strings(std::vector{"b"}), byte_strings(std::vector{"a"}), exec_); }, "row 0",
      "its start is 'b', its end 'a'"));
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(std::vector<u128>{12}, std::vector<u128>{3}, exec_); },
                                       "its start is 12, its end 3"));
  std::vector<std::uint32_t> const single = {1};
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(single, column_of_doubles{3}, exec_); }, "u32", "f64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(single, std::vector<std::uint32_t>{}, exec_); },
                                       "the column of ends has 0 elements, 1 are needed"));
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(single, single, exec_, static_cast<closed_ends>(9)); },
                                       "closed ends number 9"));
  auto x = intervals::build(single, single, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.count(byte_strings(std::vector{"b"}), exec_); }, "column of points"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        x.count({single, column_of_doubles{3}}, exec_);
      },
      "column of ends", "f64"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { x.join(single, static_cast<join_kind>(9), exec_); }, "join kind number 9"));
  EXPECT_TRUE(throws<unsupported>([&] { x.join(single, join_kind::full, exec_); }, "intervals::join"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { x.count(interval_probes(single).within(single), exec_); }, "within groups"));
  auto const grouped = intervals::build(single, single, single, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { grouped.count(single, exec_); }, "within groups"));
  auto const with_least = [&](auto const& values, asof_tolerance const& least) {
    return intervals::build(values, values, exec_, closed_ends::both, least);
  };
  EXPECT_TRUE(throws<invalid_argument>([&] { with_least(single, -1); }, "the least overlap is -1"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with_least(single, 1.5); }, "the least overlap is no integer"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with_least(column_of_doubles{1}, nan); }, "the least overlap is nan"));
  EXPECT_TRUE(throws<unsupported>([&] { with_least(std::vector<u128>{1}, 1); }, "no lengths of 64 bits"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        with_least(single, 1).count({column_of_doubles{1}, column_of_doubles{2}}, exec_);
      },
      "the least overlap"));
  std::vector<double> lengths(1);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.coverage({single, single}, lengths, exec_); }, "std::uint64_t"));
  auto const strings = intervals::build(byte_strings(std::vector{"a"}), byte_strings(std::vector{"b"}), exec_);
  EXPECT_TRUE(throws<unsupported>([&] { strings.nearest(byte_strings(std::vector{"a"}), 1, exec_); }, "no distances"));
  EXPECT_TRUE(throws<unsupported>(
      [&] {
        strings.coverage({byte_strings(std::vector{"a"}), byte_strings(std::vector{"a"})}, lengths, exec_);
      },
      "no lengths"));
  auto const moved = std::move(x);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.count(single, exec_); }, "moved from"));
  EXPECT_EQ(moved.size(), 1u);
}

}  // namespace
}  // namespace warpdex::test
