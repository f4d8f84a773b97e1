// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/intervals.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <limits>
#include <string>
#include <tuple>

#include "intervals/interval_model.hpp"
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// The nearest intervals, their union and its gaps, against a loop over all of them.
namespace warpdex::test {
namespace {

class neighbour_tests : public testing::TestWithParam<backend_kind> {
 protected:
  execution const exec_{memory_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, neighbour_tests, testing::ValuesIn(present_backends()), backend_name);

/// A row near a probe, and its distance. They compare in the order in which `nearest` lists them.
struct near_row {
  bool is_other;  ///< whether it does not match the probe
  int distance;
  bool is_after;
  int start;
  std::uint32_t row;
  auto operator<=>(near_row const&) const = default;
};

/// The intervals of its group next to a probe.
std::vector<near_row> near_rows(question const& q, std::size_t probe, nearest_options const& options) {
  std::vector<near_row> rows;
  int const c = q.lower.values[probe], d = q.upper.values[probe];
  if (!q.lower.valid(probe) || !q.upper.valid(probe) || c > d) return rows;
  for (std::uint32_t i = 0; i < q.starts.values.size(); ++i) {
    int const a = q.starts.values[i], b = q.ends.values[i];
    bool const both = q.closed == closed_ends::both;
    if (!q.same_group(i, probe) || !q.starts.valid(i) || !q.ends.valid(i) || (a == b && !both)) continue;
    bool const matches = q.points ? matches_by_definition(q.closed, true, a, b, c, d)
                         : both   ? a <= d && c <= b
                                  : a < d && c < b;
    bool const after = b > c;
    if (matches ? options.ignore_overlaps : options.side == (after ? interval_side::before : interval_side::after))
      continue;
    rows.push_back({!matches, matches ? 0 : std::max({a - d, c - b, 0}), !matches && after, a, i});
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// @param unit of distances
template <class T>
void expect_nearest(question const& q, intervals const& x, interval_probes const& probes, nearest_options options,
                    double unit, execution const& exec) {
  for (std::uint64_t const k : {0, 1, 5, 1000}) {
    options.with_distances = sizeof(T) <= sizeof(std::uint64_t);
    nearest_intervals const found = x.nearest(probes, k, exec, options);
    EXPECT_EQ(found.are_real, std::is_floating_point_v<T>);
    auto const offsets = read_buffer<std::uint64_t>(found.offsets, q.lower.values.size() + 1, exec);
    auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, exec);
    using number = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    std::vector<number> distances;
    if (options.with_distances) distances = read_buffer<number>(found.distances, found.total, exec);
    for (std::size_t i = 0; i < q.lower.values.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "probe " << i << ", k " << k << ", side " << static_cast<int>(options.side));
      auto expected = near_rows(q, i, options);
      expected.resize(std::min<std::size_t>(k, expected.size()));
      ASSERT_EQ(offsets[i + 1] - offsets[i], expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j) {
        EXPECT_EQ(rows[offsets[i] + j], expected[j].row);
        if (options.with_distances) {
          EXPECT_EQ(static_cast<double>(distances[offsets[i] + j]), expected[j].distance * unit);
        }
      }
    }
  }
}

template <class T> void expect_nearest(execution const& exec, bool with_groups, double unit = 1) {
  question_maker maker(7);
  for (closed_ends const closed : all_closed)
    for (bool const points : {true, false})
      for (std::size_t const size : {0, 1, 40, 120}) {
        SCOPED_TRACE(testing::Message() << size << " intervals, " << (points ? "points" : "intervals") << ", closed "
                                        << static_cast<int>(closed));
        bool const nulls = size == 40;
        question q = maker.make(size, 40, points, closed, nulls);
        for (std::size_t i = 0; i < size; ++i) q.ends.values[i] = std::min(q.ends.values[i], q.starts.values[i] + 3);
        if (with_groups) maker.add_groups(q, nulls);
        inputs<T> const columns(q);
        nullable_column const starts(columns.starts.view(), q.starts.validity());
        nullable_column const ends(columns.ends.view(), q.ends.validity());
        auto const x =
            with_groups ? intervals::build({column(q.groups.values), q.groups.validity()}, starts, ends, exec, closed)
                        : columns.build(exec);
        interval_probes probes = columns.probes();
        if (with_groups) probes.groups = nullable_column(column(q.probe_groups.values), q.probe_groups.validity());
        for (interval_side const side : {interval_side::both, interval_side::before, interval_side::after})
          for (bool const ignore : {false, true}) expect_nearest<T>(q, x, probes, {side, ignore, false}, unit, exec);
      }
}

TEST_P(neighbour_tests, nearest_ones) {
  for (bool const with_groups : {false, true}) {
    expect_nearest<std::uint32_t>(exec_, with_groups);
    expect_nearest<std::int64_t>(exec_, with_groups);
    expect_nearest<double>(exec_, with_groups, .5);
    expect_nearest<timestamp>(exec_, with_groups);
    expect_nearest<u128>(exec_, with_groups);
  }
}

TEST_P(neighbour_tests, distances_are_exact) {
  constexpr auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  using whole = std::vector<std::int64_t>;
  auto const x = intervals::build(whole{high}, whole{high}, exec_);
  nearest_options options;
  options.with_distances = true;
  auto const found = x.nearest({whole{low, 5}, whole{low, high - 1}}, 1, exec_, options);
  EXPECT_EQ(read_buffer<std::uint64_t>(found.distances, 2, exec_), (std::vector<std::uint64_t>{~std::uint64_t{0}, 1}));
  EXPECT_TRUE(throws<unsupported>([&] { x.nearest(std::vector<std::uint64_t>{1}, 1, exec_, options); },
                                  "probes of type u64 and intervals of type i64"));
  auto const wide = intervals::build(std::vector<u128>{1}, std::vector<u128>{2}, exec_);
  EXPECT_TRUE(throws<unsupported>([&] { wide.nearest(std::vector<u128>{1}, 1, exec_, options); }, "u128"));
  EXPECT_TRUE(throws<unsupported>([&] { x.nearest(std::vector<u128>{1}, 1, exec_, options); }, "u128"));
  EXPECT_EQ(x.nearest(std::vector<std::uint64_t>{1}, 1, exec_).total, 1u);
  options.side = static_cast<interval_side>(9);
  EXPECT_TRUE(throws<invalid_argument>([&] { x.nearest(whole{1}, 1, exec_, options); }, "side number 9"));
}

/// Stretches by a look at all intervals of a group in the order of their starts: first and last value, and rows.
struct stretch {
  int group, start, end;
  std::vector<std::uint32_t> rows;
};

std::vector<stretch> stretches_of(question const& q) {
  std::vector<stretch> all;
  for (std::uint32_t i = 0; i < q.starts.values.size(); ++i) {
    int const a = q.starts.values[i], b = q.ends.values[i];
    if (!q.starts.valid(i) || !q.ends.valid(i) || (a == b && q.closed != closed_ends::both)) continue;
    if (q.has_groups() && !q.groups.valid(i)) continue;
    all.push_back({q.has_groups() ? q.groups.values[i] : 0, a, b, {i}});
  }
  std::stable_sort(all.begin(), all.end(), [](stretch const& x, stretch const& y) {
    return std::tuple(x.group, x.start) < std::tuple(y.group, y.start);
  });
  std::vector<stretch> merged;
  for (stretch const& stretch : all) {
    if (merged.empty() || merged.back().group != stretch.group || merged.back().end < stretch.start) {
      merged.push_back(stretch);
      continue;
    }
    merged.back().end = std::max(merged.back().end, stretch.end);
    merged.back().rows.push_back(stretch.rows[0]);
  }
  return merged;
}

void expect_merged(question const& q, intervals const& x, execution const& exec) {
  auto const expected = stretches_of(q);
  merged_intervals const found = x.merge(exec);
  ASSERT_EQ(found.size, expected.size());
  ASSERT_EQ(found.rows, q.starts.values.size());
  auto const starts = read_buffer<std::uint32_t>(found.starts, found.size, exec);
  auto const ends = read_buffer<std::uint32_t>(found.ends, found.size, exec);
  auto const counts = read_buffer<std::uint64_t>(found.counts, found.size, exec);
  std::vector<std::uint32_t> clusters(found.rows, no_row<std::uint32_t>);
  for (std::uint32_t j = 0; j < expected.size(); ++j) {
    EXPECT_EQ(q.starts.values[starts[j]], expected[j].start);
    EXPECT_EQ(q.ends.values[ends[j]], expected[j].end);
    EXPECT_EQ(counts[j], expected[j].rows.size());
    for (auto const row : expected[j].rows) clusters[row] = j;
  }
  EXPECT_EQ(read_buffer<std::uint32_t>(found.clusters, found.rows, exec), clusters);
}

void expect_gaps(question const& q, intervals const& x, interval_probes const& probes, execution const& exec) {
  auto const merged = stretches_of(q);
  interval_gaps const found = x.gaps(probes, exec);
  auto const offsets = read_buffer<std::uint64_t>(found.offsets, found.probes + 1, exec);
  auto const starts = read_buffer<std::uint32_t>(found.rows, found.total, exec);
  auto const ends = read_buffer<std::uint32_t>(found.ends, found.total, exec);
  for (std::size_t i = 0; i < found.probes; ++i) {
    SCOPED_TRACE(testing::Message() << "probe " << i);
    int low = q.lower.values[i];
    int const high = q.upper.values[i];
    std::vector<std::tuple<int, int>> parts, expected;
    bool const counts = q.lower.valid(i) && q.upper.valid(i) && low <= high;
    bool covered = false;
    for (stretch const& stretch : merged) {
      bool const in_group = !q.has_groups() || (q.probe_groups.valid(i) && stretch.group == q.probe_groups.values[i]);
      if (!counts || !in_group || stretch.end < q.lower.values[i] || stretch.start > high) continue;
      if (low < stretch.start) expected.emplace_back(low, stretch.start);
      low = stretch.end;
      covered = covered || (stretch.start <= q.lower.values[i] && stretch.end >= high);
    }
    if (counts && (low < high || (low == high && q.lower.values[i] == high && !covered)))
      expected.emplace_back(low, high);
    for (std::uint64_t j = offsets[i]; j < offsets[i + 1]; ++j)
      parts.emplace_back(starts[j] == no_row<std::uint32_t> ? q.lower.values[i] : q.ends.values[starts[j]],
                         ends[j] == no_row<std::uint32_t> ? high : q.starts.values[ends[j]]);
    EXPECT_EQ(parts, expected);
  }
}

template <class T> void expect_unions(execution const& exec, bool with_groups) {
  question_maker maker(13);
  for (closed_ends const closed : all_closed)
    for (std::size_t const size : {0, 1, 7, 20, 200}) {
      SCOPED_TRACE(testing::Message() << size << " intervals, closed " << static_cast<int>(closed));
      bool const nulls = size == 20;
      question q = maker.make(size, 40, false, closed, nulls);
      for (std::size_t i = 0; i < size; ++i) q.ends.values[i] = std::min(q.ends.values[i], q.starts.values[i] + 3);
      if (with_groups) maker.add_groups(q, nulls);
      inputs<T> const columns(q);
      nullable_column const starts(columns.starts.view(), q.starts.validity());
      nullable_column const ends(columns.ends.view(), q.ends.validity());
      auto const x = with_groups
                         ? intervals::build({column(q.groups.values), q.groups.validity()}, starts, ends, exec, closed)
                         : columns.build(exec);
      interval_probes probes = columns.probes();
      if (with_groups) probes.groups = nullable_column(column(q.probe_groups.values), q.probe_groups.validity());
      expect_merged(q, x, exec);
      expect_gaps(q, x, probes, exec);
    }
}

TEST_P(neighbour_tests, unions_and_gaps) {
  for (bool const with_groups : {false, true}) {
    expect_unions<std::uint32_t>(exec_, with_groups);
    expect_unions<std::int64_t>(exec_, with_groups);
    expect_unions<double>(exec_, with_groups);
    expect_unions<date>(exec_, with_groups);
    expect_unions<u128>(exec_, with_groups);
  }
  auto const strings = intervals::build(byte_strings(std::vector{"a"}), byte_strings(std::vector{"b"}), exec_);
  EXPECT_TRUE(throws<unsupported>([&] { strings.merge(exec_); }, "intervals::merge: ends of type bytes"));
  std::vector<std::uint32_t> const single = {1};
  EXPECT_TRUE(throws<invalid_argument>([&] { intervals::build(single, single, exec_).gaps(single, exec_); },
                                       "takes intervals"));
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

TEST_P(neighbour_tests, nearest_at_infinities) {
  expect_nearest_at_infinities<float>(exec_);
  expect_nearest_at_infinities<double>(exec_);
}

}  // namespace
}  // namespace warpdex::test
