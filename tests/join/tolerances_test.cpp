// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <functional>

/// @file
/// As-of joins with a tolerance for each probe, against one join per probe with a tolerance for all.
namespace warpdex::test {
namespace {

class tolerances_of_probes : public testing::TestWithParam<backend_kind> {
 protected:
  using rows32 = std::vector<std::uint32_t>;

  template <class T> test_column<T> make(std::size_t size, std::int64_t low, std::uint32_t range, double step = 1) {
    test_column<T> result;
    for (std::size_t i = 0; i < size; ++i) {
      double const value = static_cast<double>(low) + static_cast<double>(random() % range) * step;
      if constexpr (std::is_same_v<T, date>) result.values.push_back(date(static_cast<std::int32_t>(value)));
      else if constexpr (std::is_same_v<T, timestamp>)
        result.values.push_back(timestamp(static_cast<std::int64_t>(value)));
      else result.values.push_back(static_cast<T>(value));
    }
    return result;
  }

  /// The distance that `relative` admits for a probe, in units of the keys.
  template <class Key, class Probe> static double part_of(Probe probe, double relative) {
    if constexpr (std::is_arithmetic_v<Probe>) return std::abs(static_cast<double>(probe)) * relative;
    else return 0;
  }

  template <class Key, class Probe, class Distance>
  void check(test_column<Key> keys, test_column<Probe> probes, test_column<Distance> distances, double relative) {
    auto const size = probes.values.size();
    test_column<std::uint32_t> const groups = make<std::uint32_t>(keys.values.size(), 0, 3);
    test_column<std::uint32_t> const in = make<std::uint32_t>(size, 0, 4);
    for (bool const ascend : {false, true}) {
      if (ascend) {
        auto const before = [](auto a, auto b) { return less(exact_of(a), exact_of(b)); };
        std::sort(keys.values.begin(), keys.values.end(), before);
        std::sort(probes.values.begin(), probes.values.end(), before);
        probes.valid.clear();
      }
      index const right = index::build("AO+BS", column(keys.values), exec);
      grouped_index const grouped = grouped_index::build("AO+BS", column(groups.values), column(keys.values), exec);
      for (place const where : {place::host, GetParam() == backend_kind::cpu ? place::host : place::device}) {
        placed_column<Probe> const left(probes, where, exec);
        placed_column<std::uint32_t> const left_groups(in, where, exec);
        placed_column<Distance> const each(distances, where, exec, 5);
        for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest}) {
          asof_options ask{.strategy = strategy};
          ask.tolerances = each.get();
          ask.relative = relative;
          output_array<std::uint32_t> rows(size, 77, where, exec);
          auto const expect = [&](bool in_groups) {
            auto const found = rows.read();
            for (number i = 0; i < size; ++i)
              ASSERT_EQ(found[i],
                        one_by_one<Key>(right, grouped, probes, in, distances, strategy, relative, i, in_groups))
                  << i << " in groups " << in_groups;
          };
          join_asof(right, left.get(), row_output(rows.span()), exec, ask);
          expect(false);
          join_asof(grouped, left_groups.get(), left.get(), row_output(rows.span()), exec, ask);
          expect(true);
          if constexpr (std::is_same_v<Key, Probe>) {
            if (!ascend || (where == place::host) != (GetParam() == backend_kind::cpu)) continue;
            placed_column<Key> const sorted(keys, where, exec);
            placed_column<std::uint32_t> const right_groups(groups, where, exec);
            nullable_column const a = left.get(), b = sorted.get(), g = left_groups.get(), h = right_groups.get();
            column const &lefts = a, &rights = b, &of_lefts = g, &of_rights = h;
            ASSERT_TRUE(asof_merge(lefts, rights, row_output(rows.span()), exec, ask));
            expect(false);
            ASSERT_TRUE(asof_merge(of_lefts, lefts, of_rights, rights, row_output(rows.span()), exec, ask));
            expect(true);
          }
        }
      }
    }
  }

  template <class Key, class Probe, class Distance>
  std::uint32_t one_by_one(index const& right, grouped_index const& grouped, test_column<Probe> const& probes,
                           test_column<std::uint32_t> const& in, test_column<Distance> const& distances,
                           asof_strategy strategy, double relative, number i, bool in_groups) {
    if (!probes.has(i) || !distances.has(i)) return no_row<std::uint32_t>;
    double most = static_cast<double>(distances.values[i]);
    most = std::max(most, part_of<Key>(probes.values[i], relative));
    rows32 row(1);
    std::vector<Probe> const probe = {probes.values[i]};
    rows32 const group = {in.values[i]};
    asof_options const once{.strategy = strategy, .tolerance = most};
    if (in_groups) join_asof(grouped, column(group), column(probe), row_output(row), exec, once);
    else join_asof(right, column(probe), row_output(row), exec, once);
    return row[0];
  }

  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};
};

TEST_P(tolerances_of_probes, integers) {
  auto distances = make<std::int64_t>(80, 0, 6);
  check(make<std::int32_t>(60, -100, 300), make<std::int32_t>(80, -120, 350), distances, 0);
  add_nulls(distances, random);
  auto probes = make<std::int64_t>(80, -120, 350);
  add_nulls(probes, random);
  check(make<std::int32_t>(60, -100, 300), probes, distances, 0.04);
}

TEST_P(tolerances_of_probes, floats) {
  auto distances = make<double>(80, 0, 9, 0.25);
  check(make<double>(60, -100, 900, 0.25), make<double>(80, -120, 900, 0.25), distances, 0);
  add_nulls(distances, random);
  check(make<float>(60, -100, 900, 0.25), make<std::int32_t>(80, -120, 350), distances, 0.02);
}

TEST_P(tolerances_of_probes, dates) {
  check(make<date>(60, 0, 200), make<date>(80, 0, 200), make<std::int64_t>(80, 0, 4), 0);
  check(make<date>(60, 0, 200), make<timestamp>(80, 0, 200, 43'200'000'000.0), make<double>(80, 0, 7, 0.5), 0);
}

TEST_P(tolerances_of_probes, a_part_of_the_probe_alone) {
  std::vector<std::uint32_t> const keys = {100, 1000, 1000000};
  std::vector<std::uint32_t> const probes = {101, 102, 1010, 1011, 1010000, 1020000};
  index const right = index::build("AO+BS", keys, exec);
  rows32 rows(6);
  join_asof(right, column(probes), row_output(rows), exec, {.strategy = asof_strategy::nearest, .relative = 0.01});
  constexpr auto no = no_row<std::uint32_t>;
  EXPECT_EQ(rows, (rows32{0, no, 1, no, 2, no}));
  join_asof(right, column(probes), row_output(rows), exec,
            {.strategy = asof_strategy::nearest, .tolerance = std::int64_t{11}, .relative = 0.01});
  EXPECT_EQ(rows, (rows32{0, 0, 1, 1, 2, no}));
}

TEST_P(tolerances_of_probes, wrong_ones) {
  std::vector<std::uint32_t> const keys = {1, 2, 3};
  index const right = index::build("AO+BS", keys, exec);
  rows32 rows(3);
  auto const ask = [&](auto const& change) {
    asof_options options;
    change(options);
    join_asof(right, column(keys), row_output(rows), exec, options);
  };
  std::vector<std::int64_t> const pair = {1, 2}, negative = {1, 2, -3};
  std::vector<double> const nan = {1, std::nan(""), 3};
  auto const refused = [&](auto const& change, auto const&... words) {
    EXPECT_TRUE(throws<invalid_argument>([&] { ask(change); }, words...));
  };
  refused([&](asof_options& o) { o.tolerances = column(pair); }, "the column of tolerances", "2 elements");
  refused([&](asof_options& o) { o.tolerances = column(keys); }, "the column of tolerances", "u32", "i64 or f64");
  refused([&](asof_options& o) { o.tolerances = column(negative); }, "tolerance number 2", "negative");
  refused([&](asof_options& o) { o.tolerances = column(nan); }, "tolerance number 1", "NaN");
  refused([&](asof_options& o) { o.relative = -1; }, "relative", "-1");
  refused([&](asof_options& o) { o.relative = std::nan(""); }, "relative", "nan");
  refused(
      [&](asof_options& o) {
        o.tolerances = column(negative);
        o.tolerance = std::int64_t{1};
      },
      "one for each");
  EXPECT_TRUE(throws<unsupported>(
      [&] {
        asof_options options;
        options.tolerances = column(negative);
        (void)join_asof(right, column(keys), join_kind::inner, exec, options);
      },
      "tolerances of each probe"));
}

INSTANTIATE_TEST_SUITE_P(all, tolerances_of_probes, testing::ValuesIn(present_backends()),
                         [](auto const& backend) { return name_of(backend.param); });

}  // namespace
}  // namespace warpdex::test
