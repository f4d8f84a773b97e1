// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/scarce_memory.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

/// @file
/// As-of joins against a scan of all entries, on every ordered structure and backend, and within groups.
namespace warpdex::test {
namespace {

/// How far a key is from a probe. What is far away is further than any distance: NaN from numbers.
struct gap {
  bool far;
  exact length;
  friend bool operator<(gap a, gap b) { return a.far != b.far ? b.far : a.length < b.length; }
};

inline gap gap_between(exact a, exact b) {
  if (is_nan(a) != is_nan(b)) return {true, 0};
  if (same(a, b)) return {false, 0};
  return {false, a < b ? b - a : a - b};
}

/// @return the row that a probe gets from the entries of `order` for which in_group(row) holds
/// @param unit of the tolerance
template <class Key, class InGroup>
number nearest_row(exact at, test_column<Key> const& keys, std::vector<number> const& order, asof_options const& ask,
                   double unit, InGroup const& in_group) {
  auto const key_of = [&](number row) { return exact_of(keys.values[row]); };
  number below = none, above = none;  // the largest key before the probe, and the smallest after it, or equal ones
  for (number const row : order) {
    exact const key = key_of(row);
    bool const equal = same(key, at);
    if (!in_group(row) || (equal && !ask.allow_exact_matches)) continue;
    if ((equal || less(key, at)) && (below == none || ask.ties != asof_ties::first || less(key_of(below), key)))
      below = row;
    if ((equal || less(at, key)) && (above == none || (ask.ties == asof_ties::last && same(key_of(above), key))))
      above = row;
  }
  auto const admit = [&](number row) {
    if (row == none || !ask.tolerance) return row;
    auto const* const whole = std::get_if<std::int64_t>(&*ask.tolerance);
    exact const limit =
        whole != nullptr ? static_cast<exact>(*whole) : static_cast<exact>(std::get<double>(*ask.tolerance));
    return gap{false, limit * static_cast<exact>(unit)} < gap_between(key_of(row), at) ? none : row;
  };
  below = ask.strategy == asof_strategy::forward ? none : admit(below);
  above = ask.strategy == asof_strategy::backward ? none : admit(above);
  if (below == none || above == none) return below == none ? above : below;
  gap const down = gap_between(key_of(below), at);
  gap const up = gap_between(key_of(above), at);
  if (down < up) return below;
  return up < down || ask.prefer == asof_preference::later ? above : below;
}

/// @param match match(i) = a row of the nearest key of probe i, or `none`
/// @param in_group in_group(i, row) whether a row is of the group of a probe
/// @return the pairs with all rows of these keys
template <class Key, class Match, class InGroup>
pairs pairs_of_nearest(number probes, test_column<Key> const& keys, join_kind kind, Match const& match,
                       InGroup const& in_group) {
  auto const order = entry_order(keys);
  pairs result;
  for (number i = 0; i < probes; ++i) {
    number const nearest = match(i);
    if (kind == join_kind::semi || kind == join_kind::anti) {
      if ((nearest != none) == (kind == join_kind::semi)) result.emplace_back(i, none);
    } else if (nearest == none) {
      if (kind == join_kind::left) result.emplace_back(i, none);
    } else {
      for (number const row : order)
        if (in_group(i, row) && same(exact_of(keys.values[row]), exact_of(keys.values[nearest])))
          result.emplace_back(i, row);
    }
  }
  return result;
}

std::vector<std::string> ordered_samples() {
  std::vector<std::string> result;
  for (structure_info const& info : structures())
    if (info.ordered && !info.chooses) result.insert(result.end(), info.samples.begin(), info.samples.end());
  return result;
}

class asof_of : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const sample = std::get<0>(GetParam());
  backend_kind const backend = std::get<1>(GetParam());
  test_stream const stream{backend};
  execution const exec{memory_of(backend), stream};
  std::mt19937_64 random{test_seed() ^ name_hash(sample)};

  template <class Probe, class Key>
  void check(test_column<Probe> probes, test_column<Key> keys, std::optional<asof_tolerance> const& tolerance,
             double unit = 1) {
    add_nulls(probes, random);
    add_nulls(keys, random);
    index const right = build_valid(sample, placed_column<Key>(keys, place::host, exec).get(), exec);
    auto const order = entry_order(keys);
    for (place const where : {place::host, backend == backend_kind::cpu ? place::host : place::device}) {
      placed_column<Probe> const left(probes, where, exec);
      for (asof_options const& ask : all_options(tolerance)) {
        output_array<std::uint32_t> rows(probes.values.size(), 77, where, exec);
        join_asof(right, left.get(), row_output(rows.span()), exec, ask);
        auto const got = rows.read();
        for (number i = 0; i < got.size(); ++i) {
          number const expected = probes.has(i) ? nearest_row(exact_of(probes.values[i]), keys, order, ask, unit,
                                                              [](number) { return true; })
                                                : none;
          ASSERT_EQ(got[i], static_cast<std::uint32_t>(expected))
              << "probe " << i << " = " << static_cast<double>(exact_of(probes.values[i])) << ", strategy "
              << static_cast<int>(ask.strategy) << ", exact " << ask.allow_exact_matches << ", ties "
              << static_cast<int>(ask.ties) << ", tolerance " << ask.tolerance.has_value() << ", seed " << test_seed();
        }
        for (join_kind const kind : all_kinds) {
          joined const all = join_asof(right, left.get(), kind, exec, ask);
          ASSERT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec),
                    pairs_of_nearest(
                        probes.values.size(), keys, kind,
                        [&](number i) { return got[i] == no_row<std::uint32_t> ? none : number{got[i]}; },
                        [](number, number) { return true; }))
              << "kind " << static_cast<int>(kind) << ", strategy " << static_cast<int>(ask.strategy) << ", exact "
              << ask.allow_exact_matches << ", seed " << test_seed();
        }
      }
    }
  }

  template <class T> test_column<T> make(std::size_t size, number range, T step = 1) {
    test_column<T> result;
    for (std::size_t i = 0; i < size; ++i) result.values.push_back(static_cast<T>(random() % range) * step);
    return result;
  }
};

TEST_P(asof_of, integers) {
  auto keys = make<std::uint32_t>(60, 200);
  auto probes = make<std::uint32_t>(120, 220);
  for (std::uint32_t const edge : {0u, 0xffffffffu}) {
    keys.values.push_back(edge);
    probes.values.insert(probes.values.end(), {edge, edge, edge});
  }
  check(probes, keys, std::int64_t{3});
  check(probes, keys, 2.5);
}

/// So few probes that windows over host memory do not load whole buckets.
TEST_P(asof_of, few_probes_of_many_keys) {
  if (present_backends().size() == 1) GTEST_SKIP() << "needs a CUDA device";
  check(make<std::uint64_t>(25, 5000), make<std::uint64_t>(1500, 5000), std::int64_t{3});
}

TEST_P(asof_of, signed_keys_at_the_ends_of_the_type) {
  test_column<std::int64_t> keys{
      {std::numeric_limits<std::int64_t>::min(), -4, -4, 0, 5, 9, 9, std::numeric_limits<std::int64_t>::max()}, {}};
  keys.values.insert(keys.values.end(), keys.values.begin(), keys.values.end());
  auto probes = keys;
  probes.values.insert(probes.values.end(), {-5, -2, 7, 1, 100, std::numeric_limits<std::int64_t>::max() - 1});
  check(probes, keys, std::int64_t{2});
  check(probes, keys, std::numeric_limits<std::int64_t>::max());
}

TEST_P(asof_of, floats) {
  double const inf = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  test_column<double> keys{{-inf, -1.5, -0.0, 0.0, 2.25, 1e300, inf, nan, nan, 3, 3}, {}};
  auto probes = keys;
  probes.values.insert(probes.values.end(), {-1.0, 0.25, 2.625, 2.6, 5.0, -5.0, 1e301, 5e-324, -5e-324});
  check(probes, keys, 0.75);
  check(test_column<float>{{-1.5f, 0.5f, 2.25f, 3.f, 7.f, std::numeric_limits<float>::infinity(), -0.f}, {}}, keys,
        std::int64_t{1});
}

TEST_P(asof_of, probes_of_another_type) {
  check(test_column<double>{{-0.5, 0, 0.5, 1, 1.5, 7.5, 5e9, -5e9, 8, 9}, {}}, make<std::uint32_t>(30, 12), 1.0);
  check(make<std::int32_t>(40, 30), make<std::uint64_t>(40, 30), std::int64_t{1});
  check(test_column<std::uint64_t>{{0, 1, 5, 1ull << 33, ~0ull, 17}, {}}, make<std::int32_t>(40, 30), std::int64_t{4});
}

TEST_P(asof_of, dates_and_timestamps) {
  test_column<date> days;
  test_column<timestamp> times;
  for (int i = 0; i < 50; ++i) {
    days.values.push_back({static_cast<std::int32_t>(random() % 40) - 20});
    times.values.push_back({(static_cast<std::int64_t>(random() % 160) - 80) * 21'600'000'000});
  }
  check(times, days, std::int64_t{1}, 86'400'000'000.0);
  check(times, days, 0.25, 86'400'000'000.0);
  check(days, times, std::int64_t{21'600'000'000});
  check(days, days, std::int64_t{2}, 86'400'000'000.0);
}

TEST_P(asof_of, empty_sides) {
  check(make<std::uint32_t>(10, 9), test_column<std::uint32_t>{}, std::int64_t{1});
  check(test_column<std::uint32_t>{}, make<std::uint32_t>(10, 9), std::int64_t{1});
}

TEST_P(asof_of, wrong_arguments) {
  std::vector<std::uint32_t> const keys = {1, 2, 3};
  std::vector<std::uint32_t> rows(3);
  index const right = index::build(sample, std::span(keys), exec);
  auto const ask = [&](asof_options const& options, std::size_t outputs = 3) {
    join_asof(right, column(std::span(keys)), row_output(std::span(rows).first(outputs)), exec, options);
  };
  index const table = index::build("HT(open)", std::span(keys), exec);
  EXPECT_TRUE(throws<unsupported>([&] { join_asof(table, column(std::span(keys)), row_output(std::span(rows)), exec); },
                                  "join_asof", "no order"));
  asof_options options;
  options.tolerance = std::int64_t{-7};
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(options); }, "-7"));
  options.tolerance = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(options); }, "nan"));
  options.tolerance = std::nullopt;
  options.strategy = static_cast<asof_strategy>(9);
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(options); }, "9"));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask({}, 2); }, "2 elements"));
}

INSTANTIATE_TEST_SUITE_P(all, asof_of,
                         testing::Combine(testing::ValuesIn(ordered_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

INSTANTIATE_TEST_SUITE_P(apart, asof_of, testing::ValuesIn(samples_apart()), sample_and_backend_name);

class asof_in_groups : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};

  template <class Group, class Key, class ProbeGroup, class Probe>
  void check(test_column<Group> groups, test_column<Key> keys, test_column<ProbeGroup> probe_groups,
             test_column<Probe> probes, asof_tolerance const& tolerance, bool nulls) {
    if (nulls) {
      add_nulls(groups, random);
      add_nulls(keys, random);
      add_nulls(probe_groups, random);
      add_nulls(probes, random);
    }
    grouped_index const right = grouped_index::build("AO+BS", placed_column<Group>(groups, place::host, exec).get(),
                                                     placed_column<Key>(keys, place::host, exec, 0).get(), exec);
    auto const order = entry_order(keys);
    auto const lefts = placed_column<ProbeGroup>(probe_groups, place::host, exec);
    auto const left = placed_column<Probe>(probes, place::host, exec, 6);
    for (asof_options const& ask : all_options(tolerance)) {
      std::vector<std::uint32_t> rows(probes.values.size());
      join_asof(right, lefts.get(), left.get(), row_output(std::span(rows)), exec, ask);
      for (number i = 0; i < rows.size(); ++i) {
        auto const in_group = [&](number row) {
          return groups.has(row) && same(exact_of(groups.values[row]), exact_of(probe_groups.values[i]));
        };
        number const expected = probes.has(i) && probe_groups.has(i)
                                    ? nearest_row(exact_of(probes.values[i]), keys, order, ask, 1, in_group)
                                    : none;
        ASSERT_EQ(rows[i], static_cast<std::uint32_t>(expected))
            << "probe " << i << ", strategy " << static_cast<int>(ask.strategy) << ", exact " << ask.allow_exact_matches
            << ", ties " << static_cast<int>(ask.ties) << ", seed " << test_seed();
      }
      for (join_kind const kind : all_kinds) {
        joined const all = join_asof(right, lefts.get(), left.get(), kind, exec, ask);
        ASSERT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec),
                  pairs_of_nearest(
                      rows.size(), keys, kind,
                      [&](number i) { return rows[i] == no_row<std::uint32_t> ? none : number{rows[i]}; },
                      [&](number i, number row) {
                        return groups.has(row) && same(exact_of(groups.values[row]), exact_of(probe_groups.values[i]));
                      }))
            << "kind " << static_cast<int>(kind) << ", seed " << test_seed();
      }
    }
  }

  template <class T> test_column<T> make(std::size_t size, number range) {
    test_column<T> result;
    for (std::size_t i = 0; i < size; ++i) result.values.push_back(static_cast<T>(random() % range));
    return result;
  }
};

TEST_P(asof_in_groups, integers) {
  for (bool const nulls : {false, true})
    check(make<std::uint32_t>(120, 6), make<std::uint64_t>(120, 90), make<std::uint32_t>(200, 8),
          make<std::uint64_t>(200, 100), std::int64_t{2}, nulls);
}

/// Keys from 3 to 43 have numbers of 6 bits, so places hold probes from 3 to 66 at their distances.
TEST_P(asof_in_groups, tolerances_of_probes_beyond_the_keys) {
  for (number const most : {43, 44, 66, 67, 90})
    for (number const least : {3, 0}) {
      auto keys = make<std::int64_t>(60, 30);
      for (std::int64_t& key : keys.values) key += 5;
      keys.values[0] = 3;
      keys.values[1] = 43;
      auto probes = make<std::int64_t>(300, most - least + 1);
      for (std::int64_t& probe : probes.values) probe += static_cast<std::int64_t>(least);
      for (std::int64_t const tolerance : {0, 7, 30, 1000})
        check(make<std::uint32_t>(60, 6), keys, make<std::uint32_t>(300, 8), probes, tolerance, false);
    }
}

TEST_P(asof_in_groups, other_types) {
  check(make<std::int64_t>(120, 6), make<std::int32_t>(120, 90), make<std::int64_t>(90, 8), make<double>(90, 100), 2.5,
        true);
  check(make<double>(80, 3), make<float>(80, 20), make<double>(90, 4), make<std::int32_t>(90, 22), 1.5, false);
}

/// The number of a group and that of a key share 64 bits. Values are counted from the smallest one; if that takes more
/// bits, the distinct groups are counted, and if that does too, the distinct keys.
TEST_P(asof_in_groups, values_that_take_as_many_bits_as_there_are_or_more) {
  struct widths {
    int group, key;
  };
  constexpr number first_group = 3, first_key = 7;
  for (auto const [group_bits, key_bits] :
       {widths{32, 32}, {33, 32}, {32, 33}, {63, 1}, {1, 63}, {2, 62}, {2, 63}, {60, 62}, {60, 63}}) {
    SCOPED_TRACE(testing::Message() << group_bits << " and " << key_bits << " bits");
    number const last_group = first_group + (~number{0} >> (64 - group_bits));
    number const last_key = first_key + (~number{0} >> (64 - key_bits));
    test_column<number> groups, keys, probe_groups, probes;
    for (number const group : {first_group, first_group + 1, last_group})
      for (number const key : {first_key, first_key + 1, first_key + (last_key - first_key) / 2, last_key})
        for (int copies = static_cast<int>(random() % 3); copies-- > 0;) {
          groups.values.push_back(group);
          keys.values.push_back(key);
        }
    groups.values.insert(groups.values.end(), {first_group, last_group});  // the ends are there
    keys.values.insert(keys.values.end(), {last_key, first_key});
    for (number const group : {number{0}, first_group, first_group + 1, first_group + 2, last_group, last_group + 1})
      for (number const near : {first_key, first_key + 1, first_key + (last_key - first_key) / 2, last_key})
        for (number const probe : {near - 1, near, near + 1}) {
          probe_groups.values.push_back(group);
          probes.values.push_back(probe);
        }
    for (number const edge : {number{0}, ~number{0}}) {
      probe_groups.values.insert(probe_groups.values.end(), {first_group, last_group});
      probes.values.insert(probes.values.end(), {edge, edge});
    }
    check(groups, keys, probe_groups, probes, std::int64_t{1}, false);
    check(groups, keys, probe_groups, probes, std::int64_t{1}, true);
  }
}

TEST_P(asof_in_groups, probes_and_groups_of_other_types) {
  // Neither 2.5 nor -1 is a group. A probe between two keys has both as neighbours, whether equal ones match or not.
  test_column<double> const probe_groups{{0, 1, 2.5, -1, 2, 1, 0, 5, 1e20, 2}, {}};
  test_column<double> const probes{{2.5, -0.5, 3, 3, 1e30, -1e30, 7, 8, 1, 6.999}, {}};
  test_column<std::uint32_t> const groups{{0, 0, 1, 1, 1, 2, 2, 2, 5}, {}};
  check(groups, test_column<std::int32_t>{{2, 3, -1, 0, 8, 7, 7, 6, 8}, {}}, probe_groups, probes, 1.5, false);
  check(groups, test_column<std::int64_t>{{2, 3, -(std::int64_t{1} << 62), 0, 8, 7, 7, 6, std::int64_t{1} << 62}, {}},
        probe_groups, probes, 1.5, false);
  test_column<u128> const wide_groups{{0, 0, 1, 1, 1, 2, 2, 2, u128{1} << 100}, {}};
  check(wide_groups, test_column<std::int32_t>{{2, 3, -1, 0, 8, 7, 7, 6, 8}, {}}, wide_groups,
        make<std::int32_t>(9, 10), 1.5, true);
}

TEST_P(asof_in_groups, floats) {
  double const inf = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  test_column<float> keys, probes;
  test_column<std::int32_t> groups, probe_groups;
  for (std::int32_t const group : {-2, -1, 4})
    for (double const key : {-inf, -1.5, -0.0, 0.0, 0.5, 3e38, inf, nan}) {
      for (int copies = static_cast<int>(random() % 3); copies-- > 0;) {
        groups.values.push_back(group);
        keys.values.push_back(static_cast<float>(key));
      }
      for (double const near : {key, key + 0.25, key - 1}) {
        probe_groups.values.push_back(group);
        probes.values.push_back(static_cast<float>(near));
      }
    }
  check(groups, keys, probe_groups, probes, 0.75, false);
  test_column<double> wide_keys, wide_probes;  // groups are numbered, and keys too
  for (float const key : keys.values) wide_keys.values.push_back(key);
  for (float const probe : probes.values) wide_probes.values.push_back(probe);
  check(groups, wide_keys, probe_groups, wide_probes, 0.75, false);
}

TEST_P(asof_in_groups, every_allocation_may_fail) {
  auto const groups = make<std::uint32_t>(60, 4), probe_groups = make<std::uint32_t>(80, 5);
  auto probes = make<std::uint32_t>(80, 50);
  add_nulls(probes, random);
  for (std::uint32_t const farthest : {40u, ~0u}) {  // keys that fit together with a group as they are, or not
    test_column<std::uint64_t> keys{{}, {}};
    for (int i = 0; i < 60; ++i) keys.values.push_back(random() % 40 + (i % 9 == 0 ? number{farthest} << 32 : 0));
    placed_column<std::uint32_t> const in(groups, place::host, exec), left_in(probe_groups, place::host, exec);
    placed_column<std::uint64_t> const key(keys, place::host, exec);
    placed_column<std::uint32_t> const left(probes, place::host, exec);
    asof_options const ask{asof_strategy::nearest, true, std::int64_t{4}, asof_preference::earlier, asof_ties::last};
    std::vector<std::uint32_t> expected(80), rows(80);
    join_asof(grouped_index::build("AO+BS", in.get(), key.get(), exec), left_in.get(), left.get(),
              row_output(std::span(expected)), exec, ask);
    scarce_memory memory(*exec.memory);
    execution const scarce(memory, stream);
    int failures = 0;
    for (int nth = 0;; ++nth) {
      memory.fail_at(nth);
      try {
        auto const right = grouped_index::build("AO+BS", in.get(), key.get(), scarce);
        join_asof(right, left_in.get(), left.get(), row_output(std::span(rows)), scarce, ask);
        break;
      } catch (out_of_memory const&) {
        ++failures;
        EXPECT_EQ(memory.live(), 0u);
      }
      ASSERT_LT(nth, 200);
    }
    EXPECT_EQ(rows, expected);
    EXPECT_GT(failures, 5);
    EXPECT_EQ(memory.live(), 0u);
    EXPECT_TRUE(memory.consistent());
  }
}

TEST_P(asof_in_groups, empty_sides) {
  check(test_column<std::uint32_t>{}, test_column<std::uint32_t>{}, make<std::uint32_t>(5, 8),
        make<std::uint32_t>(5, 9), std::int64_t{2}, false);
  check(make<std::uint32_t>(5, 8), make<std::uint32_t>(5, 9), test_column<std::uint32_t>{},
        test_column<std::uint32_t>{}, std::int64_t{2}, false);
}

TEST_P(asof_in_groups, wrong_arguments) {
  std::vector<std::uint32_t> const three = {1, 2, 3}, two = {1, 2};
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { grouped_index::build("AO+BS", column(std::span(three)), column(std::span(two)), exec); }, "2 elements"));
  auto const right = grouped_index::build("AO+BS", column(std::span(three)), column(std::span(three)), exec);
  EXPECT_EQ(right.size(), 3u);
  std::vector<std::uint32_t> rows(2);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { join_asof(right, column(std::span(three)), column(std::span(two)), row_output(std::span(rows)), exec); },
      "3 elements"));
  rows.resize(3);
  asof_options options;
  for (auto const& [tolerance, shown] : {std::pair<asof_tolerance, char const*>{std::int64_t{-7}, "-7"},
                                         {-0.5, "-0.5"},
                                         {std::numeric_limits<double>::quiet_NaN(), "nan"}}) {
    options.tolerance = tolerance;
    EXPECT_TRUE(throws<invalid_argument>(
        [&] {
          join_asof(right, column(std::span(three)), column(std::span(three)), row_output(std::span(rows)), exec,
                    options);
        },
        "join_asof", shown));
  }
  join_asof(right, column(std::span(three)), column(std::span(three)), row_output(std::span(rows)), exec);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 2}));
}

INSTANTIATE_TEST_SUITE_P(all, asof_in_groups, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
