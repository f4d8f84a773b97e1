// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/intervals.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <tuple>

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

constexpr closed_ends all_closed[] = {closed_ends::both, closed_ends::left, closed_ends::right, closed_ends::neither};

/// Values of a column by their numbers, which have their order.
template <class T> struct values_of {
  explicit values_of(std::vector<int> const& numbers) {
    for (int const number : numbers) {
      if constexpr (std::is_same_v<T, u128>) values.push_back((u128{1} << 100) + static_cast<u128>(number) * 3);
      else if constexpr (std::is_floating_point_v<T>) values.push_back(static_cast<T>(number - 40) / 2);
      else if constexpr (std::is_unsigned_v<T>) values.push_back(static_cast<T>(number));
      else values.push_back(static_cast<T>(number - 40));
    }
  }
  column view() const { return column(values); }
  std::vector<T> values;
};

template <> struct values_of<std::string> {
  explicit values_of(std::vector<int> const& numbers) {
    for (int const number : numbers)
      values.push_back(std::string(1, static_cast<char>('a' + number / 10)) + std::to_string(number % 10));
  }
  column view() const { return values.view(); }
  byte_strings values;
};

/// A column of small numbers, some of which are null.
struct numbers {
  std::vector<int> values;
  std::vector<std::uint8_t> bits;

  bool valid(std::size_t i) const { return bits.empty() || (bits[i / 8] >> (i % 8) & 1) != 0; }
  std::uint8_t const* validity() const { return bits.empty() ? nullptr : bits.data(); }
};

/// Whether interval [a, b] matches the point c = d, or the interval [c, d].
bool matches_by_definition(closed_ends closed, bool point, int a, int b, int c, int d) {
  bool const left = closed == closed_ends::both || closed == closed_ends::left;
  bool const right = closed == closed_ends::both || closed == closed_ends::right;
  if (point) return (left ? a <= c : a < c) && (right ? c <= b : c < b);
  if (closed == closed_ends::both) return c <= d && std::max(a, c) <= std::min(b, d);
  return std::max(a, c) < std::min(b, d);
}

/// What a call should find.
struct question {
  numbers starts, ends, lower, upper;
  numbers groups = {}, probe_groups = {};  ///< none without groups
  int least = 0;                           ///< the least overlap of intervals, or 0
  bool points;
  closed_ends closed;

  bool has_groups() const { return !probe_groups.values.empty(); }
  bool same_group(std::size_t i, std::size_t probe) const {
    return !has_groups() ||
           (groups.valid(i) && probe_groups.valid(probe) && groups.values[i] == probe_groups.values[probe]);
  }
  bool overlaps_enough(std::size_t i, std::size_t probe) const {
    int const last = std::min(ends.values[i], upper.values[probe]);
    return least == 0 || last - std::max(starts.values[i], lower.values[probe]) >= least;
  }
  std::vector<std::uint32_t> rows_of(std::size_t probe) const {
    std::vector<std::uint32_t> rows;
    if (!lower.valid(probe) || !upper.valid(probe)) return rows;
    for (std::size_t i = 0; i < starts.values.size(); ++i)
      if (same_group(i, probe) && overlaps_enough(i, probe) && starts.valid(i) && ends.valid(i) &&
          matches_by_definition(closed, points, starts.values[i], ends.values[i], lower.values[probe],
                                upper.values[probe]))
        rows.push_back(static_cast<std::uint32_t>(i));
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return starts.values[x] < starts.values[y]; });
    return rows;
  }
};

class question_maker {
 public:
  explicit question_maker(std::uint64_t seed) : random_(seed) {}

  question make(std::size_t size, std::size_t probes, bool points, closed_ends closed, bool nulls) {
    question q;
    q.points = points;
    q.closed = closed;
    int const lengths[] = {1, 2, 8, 80};  // so that some nest in others
    for (std::size_t i = 0; i < size; ++i) {
      int const start = draw(80);
      q.starts.values.push_back(start);
      q.ends.values.push_back(std::min(79, start + draw(lengths[draw(4)])));
    }
    for (std::size_t i = 0; i < probes; ++i) {
      q.lower.values.push_back(draw(80));
      q.upper.values.push_back(points ? q.lower.values[i] : std::clamp(q.lower.values[i] + draw(12) - 2, 0, 79));
    }
    if (nulls)
      for (numbers* const of : {&q.starts, &q.ends, &q.lower, &q.upper}) {
        for (std::size_t i = 0; i < of->values.size() / 8 + 1; ++i)
          of->bits.push_back(static_cast<std::uint8_t>(random_() | random_()));
      }
    if (points) q.upper = q.lower;
    return q;
  }

  /// Gives intervals and probes groups; some probes have one that no interval has.
  void add_groups(question& q, bool nulls) {
    for (std::size_t i = 0; i < q.starts.values.size(); ++i) q.groups.values.push_back(3 * draw(4));
    for (std::size_t i = 0; i < q.lower.values.size(); ++i) q.probe_groups.values.push_back(3 * draw(4) + draw(8) / 7);
    for (numbers* const of : {&q.groups, &q.probe_groups})
      for (std::size_t i = 0; nulls && i < of->values.size() / 8 + 1; ++i)
        of->bits.push_back(static_cast<std::uint8_t>(random_() | random_()));
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::mt19937_64 random_;
};

/// The columns of a question.
template <class T> struct asked {
  explicit asked(question const& q)
      : of(q), starts(q.starts.values), ends(q.ends.values), lower(q.lower.values), upper(q.upper.values) {}

  intervals build(execution const& exec) const {
    return intervals::build({starts.view(), of.starts.validity()}, {ends.view(), of.ends.validity()}, exec, of.closed);
  }
  interval_probes probes() const {
    nullable_column const low(lower.view(), of.lower.validity());
    if (of.points) return {low};
    return {low, nullable_column(upper.view(), of.upper.validity())};
  }

  question const& of;
  values_of<T> starts, ends, lower, upper;
};

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
        asked<T> const columns(q);
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
        asked<T> const columns(q);
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
        asked<T> const columns(q);
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
  asked<std::int32_t> const columns(q);
  expect_answers(q, columns.build(exec_), columns.probes(), exec_);
}

/// The rows of all intervals of its group by their distance from a point, before it first.
std::vector<std::uint32_t> nearest_rows(question const& q, std::size_t probe) {
  int const point = q.lower.values[probe];
  auto const distance = [&](std::uint32_t i) {
    return std::max({q.starts.values[i] - point, point - q.ends.values[i], 0});
  };
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < q.starts.values.size(); ++i)
    if (q.same_group(i, probe)) rows.push_back(i);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::tuple(distance(x), q.starts.values[x]) < std::tuple(distance(y), q.starts.values[y]);
  });
  return rows;
}

template <class T> void expect_nearest(execution const& exec, bool with_groups) {
  question_maker maker(7);
  for (std::size_t const size : {0, 1, 3, 40, 200}) {
    question q = maker.make(size, 40, true, closed_ends::both, false);
    for (std::size_t i = 0; i < size; ++i) q.ends.values[i] = std::min(q.ends.values[i], q.starts.values[i] + 3);
    if (with_groups) maker.add_groups(q, false);
    asked<T> const columns(q);
    auto const x = with_groups ? intervals::build(q.groups.values, columns.starts.view(), columns.ends.view(), exec)
                               : columns.build(exec);
    interval_probes probes(columns.lower.view());
    if (with_groups) probes.groups = q.probe_groups.values;
    for (std::uint64_t const k : {0, 1, 2, 17, 1000}) {
      matches const found = x.nearest(probes, k, exec);
      auto const offsets = read_buffer<std::uint64_t>(found.offsets, 41, exec);
      auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, exec);
      for (std::size_t i = 0; i < 40; ++i) {
        SCOPED_TRACE(testing::Message() << size << " intervals, point " << i << ", k " << k);
        auto expected = nearest_rows(q, i);
        expected.resize(std::min<std::size_t>(k, expected.size()));
        EXPECT_EQ((std::vector<std::uint32_t>(rows.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                                              rows.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]))),
                  expected);
      }
    }
  }
}

TEST_P(interval_tests, nearest_ones) {
  for (bool const with_groups : {false, true}) {
    expect_nearest<std::uint32_t>(exec_, with_groups);
    expect_nearest<double>(exec_, with_groups);
    expect_nearest<timestamp>(exec_, with_groups);
    expect_nearest<u128>(exec_, with_groups);
  }
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
      question q = maker.make(size, 60, false, nulls ? closed_ends::neither : closed_ends::both, nulls);
      for (std::size_t i = 0; i < size; ++i) q.ends.values[i] = std::min(q.ends.values[i], q.starts.values[i] + 2);
      for (std::size_t i = 0; i < 60; ++i) q.upper.values[i] = std::min(79, q.upper.values[i] + static_cast<int>(i));
      if (with_groups) maker.add_groups(q, nulls);
      asked<T> const columns(q);
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
  if (probes.are_points) {
    EXPECT_EQ(x.nearest(probes, 3, exec).total, 0u);
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

template <class T> void expect_nearest_at_infinities(execution const& exec) {
  T const inf = std::numeric_limits<T>::infinity();
  std::vector<T> const starts = {-inf, 3, 1, inf}, ends = {-inf, 4, 2, inf}, points = {0, inf, -inf, 3};
  std::vector<std::uint32_t> const same = {9, 9, 9, 9};
  // An equal end is at distance 0, and all that is infinitely far away comes in order, before the point first.
  std::vector<std::uint32_t> const expected = {2, 1, 0, 3, 3, 1, 2, 0, 0, 2, 1, 3, 1, 2, 0, 3};
  for (bool const with_groups : {false, true}) {
    auto const x = with_groups ? intervals::build(same, starts, ends, exec) : intervals::build(starts, ends, exec);
    matches const found =
        x.nearest(with_groups ? interval_probes(points).within(same) : interval_probes(points), 4, exec);
    EXPECT_EQ(read_buffer<std::uint32_t>(found.rows, found.total, exec), expected) << "groups " << with_groups;
  }
}

TEST_P(interval_tests, nearest_at_infinities) {
  expect_nearest_at_infinities<float>(exec_);
  expect_nearest_at_infinities<double>(exec_);
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
  std::vector<std::uint32_t> const one = {1};
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(one, column_of_doubles{3}, exec_); }, "u32", "f64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(one, std::vector<std::uint32_t>{}, exec_); },
                                       "the column of ends has 0 elements, 1 are needed"));
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(one, one, exec_, static_cast<closed_ends>(9)); },
                                       "closed ends number 9"));
  auto x = intervals::build(one, one, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.count(byte_strings(std::vector{"b"}), exec_); }, "column of points"));
  EXPECT_TRUE(throws<invalid_argument>([&] { x.count({one, column_of_doubles{3}}, exec_); }, "column of ends", "f64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { x.join(one, static_cast<join_kind>(9), exec_); }, "join kind number 9"));
  EXPECT_TRUE(throws<unsupported>([&] { x.join(one, join_kind::full, exec_); }, "intervals::join"));
  EXPECT_TRUE(throws<invalid_argument>([&] { x.count(interval_probes(one).within(one), exec_); }, "within groups"));
  auto const grouped = intervals::build(one, one, one, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { grouped.count(one, exec_); }, "within groups"));
  EXPECT_TRUE(throws<invalid_argument>([&] { x.nearest({one, one}, 1, exec_); }, "takes points"));
  auto const with_least = [&](auto const& values, asof_tolerance const& least) {
    return intervals::build(values, values, exec_, closed_ends::both, least);
  };
  EXPECT_TRUE(throws<invalid_argument>([&] { with_least(one, -1); }, "the least overlap is -1"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with_least(one, 1.5); }, "the least overlap is no integer"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with_least(column_of_doubles{1}, nan); }, "the least overlap is nan"));
  EXPECT_TRUE(throws<unsupported>([&] { with_least(std::vector<u128>{1}, 1); }, "no lengths of 64 bits"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        with_least(one, 1).count({column_of_doubles{1}, column_of_doubles{2}}, exec_);
      },
      "the least overlap"));
  std::vector<double> lengths(1);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.coverage({one, one}, lengths, exec_); }, "std::uint64_t"));
  auto const strings = intervals::build(byte_strings(std::vector{"a"}), byte_strings(std::vector{"b"}), exec_);
  EXPECT_TRUE(throws<unsupported>([&] { strings.nearest(byte_strings(std::vector{"a"}), 1, exec_); }, "no distances"));
  EXPECT_TRUE(throws<unsupported>(
      [&] {
        strings.coverage({byte_strings(std::vector{"a"}), byte_strings(std::vector{"a"})}, lengths, exec_);
      },
      "no lengths"));
  auto const moved = std::move(x);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.count(one, exec_); }, "moved from"));
  EXPECT_EQ(moved.size(), 1u);
}

}  // namespace
}  // namespace warpdex::test
