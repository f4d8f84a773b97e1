// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/range_aggregates.hpp>

#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/scarce_memory.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

/// @file
/// Lookups within groups against a scan of all rows.
namespace warpdex::test {
namespace {

/// The row id of a type that means none.
number row_of(std::uint32_t row) { return row == no_row<std::uint32_t> ? none : row; }

class grouped : public testing::TestWithParam<backend_kind> {
 protected:
  using rows32 = std::vector<std::uint32_t>;
  using numbers = std::vector<number>;

  /// @return columns of `size` values from `low` on
  template <class T>
  test_column<T> make(std::size_t size, std::uint32_t range, bool nulls, double low = 0, T step = 1) {
    test_column<T> result;
    for (std::size_t i = 0; i < size; ++i)
      result.values.push_back(static_cast<T>(low) + static_cast<T>(static_cast<T>(random() % range) * step));
    if (nulls) add_nulls(result, random);
    return result;
  }

  /// All lookups of some columns, which may be of other types than those of the index.
  template <class Group, class Key, class ProbeGroup, class Probe>
  void check(test_column<Group> const& groups, test_column<Key> const& keys,
             test_column<ProbeGroup> const& probe_groups, test_column<Probe> const& lower,
             test_column<Probe> const& upper) {
    std::vector<place> places = {place::host};
    if (GetParam() == backend_kind::cuda) places.push_back(place::device);
    grouped_index const built = grouped_index::build("AO+BS", placed_column<Group>(groups, place::host, exec).get(),
                                                     placed_column<Key>(keys, place::host, exec, 0).get(), exec);
    auto const order = entry_order(keys);
    auto const members = [&](number probe, auto const& takes) {
      numbers found;
      if (!probe_groups.has(probe)) return found;
      for (number const row : order)
        if (groups.has(row) && same(exact_of(groups.values[row]), exact_of(probe_groups.values[probe])) &&
            takes(exact_of(keys.values[row])))
          found.push_back(row);
      return found;
    };
    for (place const where : places) {
      placed_column<ProbeGroup> const in(probe_groups, where, exec);
      placed_column<Probe> const from(lower, where, exec), to(upper, where, exec, 0);
      check_points(built, in.get(), from.get(), where, [&](number i) {
        return lower.has(i) ? members(i, [&](exact key) { return same(key, exact_of(lower.values[i])); }) : numbers();
      });
      check_near<Key>(built, in.get(), from.get(), keys, where, [&](number i, bool above) {
        return !lower.has(i) ? numbers() : members(i, [&](exact key) {
          exact const probe = exact_of(lower.values[i]);
          return same(key, probe) || (above ? less(probe, key) : less(key, probe));
        });
      });
      for (int const bounds : {0, 1, 2, 3})
        for (closed_ends const closed : all_closed_ends) {
          SCOPED_TRACE(testing::Message() << bounds << static_cast<int>(closed));
          bool const has_lower = (bounds & 1) != 0, has_upper = (bounds & 2) != 0;
          key_ranges ranges{{}, {}, closed};
          if (has_lower) ranges.lower = from.get();
          if (has_upper) ranges.upper = to.get();
          check_ranges(built, in.get(), ranges, where, [&](number i) {
            bool const null = (has_lower && !lower.has(i)) || (has_upper && !upper.has(i));
            return null ? numbers() : members(i, [&](exact key) {
              return (!has_lower || is_above(key, exact_of(lower.values[i]), closed)) &&
                     (!has_upper || is_below(key, exact_of(upper.values[i]), closed));
            });
          });
        }
    }
  }

  static bool is_above(exact key, exact lower, closed_ends closed) {
    return less(lower, key) || (detail::is_left_closed(closed) && same(lower, key));
  }
  static bool is_below(exact key, exact upper, closed_ends closed) {
    return less(key, upper) || (detail::is_right_closed(closed) && same(upper, key));
  }

  using oracle = std::function<numbers(number)>;

  void check_points(grouped_index const& built, nullable_column const& groups, nullable_column const& probes,
                    place where, oracle const& rows_of_probe) {
    output_array<std::uint32_t> rows(probes.size, 77, where, exec);
    output_array<std::uint8_t> flags(probes.size, 77, where, exec);
    output_array<std::uint64_t> counts(probes.size, 77, where, exec);
    built.find(groups, probes, row_output(rows.span()), exec);
    built.contains(groups, probes, flags.span(), exec);
    built.count(groups, probes, counts.span(), exec);
    matches const all = built.retrieve(groups, probes, exec);
    auto const found = rows.read();
    auto const flags_read = flags.read();
    auto const count = counts.read();
    for (number i = 0; i < probes.size; ++i) {
      auto expected = rows_of_probe(i);
      ASSERT_EQ(row_of(found[i]), expected.empty() ? none : *std::min_element(expected.begin(), expected.end())) << i;
      ASSERT_EQ(flags_read[i], expected.empty() ? 0 : 1) << i;
      ASSERT_EQ(count[i], expected.size()) << i;
    }
    expect_lists(all, probes.size, rows_of_probe);
  }

  template <class Key>
  void check_near(grouped_index const& built, nullable_column const& groups, nullable_column const& probes,
                  test_column<Key> const& keys, place where, std::function<numbers(number, bool)> const& rows_on_side) {
    for (bool const above : {false, true}) {
      output_array<std::uint32_t> rows(probes.size, 77, where, exec), alone(probes.size, 77, where, exec);
      output_array<Key> near(probes.size, Key{}, where, exec);
      if (above) built.ceil(groups, probes, key_output(near.span()), row_output(rows.span()), exec);
      else built.floor(groups, probes, key_output(near.span()), row_output(rows.span()), exec);
      built.look_up(above ? lookups::ceil : lookups::floor, groups, {probes}, {row_output(alone.span()), key_output()},
                    exec);
      auto const found = rows.read();
      auto const key = near.read();
      EXPECT_EQ(alone.read(), found);
      for (number i = 0; i < probes.size; ++i) {
        auto const on_side = rows_on_side(i, above);
        number expected = none;
        if (!on_side.empty()) {  // of equal keys the smallest row
          auto const of_row = [&](number row) { return exact_of(keys.values[row]); };
          exact const nearest = of_row(above ? on_side.front() : on_side.back());
          for (number const row : on_side)
            if (same(of_row(row), nearest)) expected = std::min(expected, row);
        }
        ASSERT_EQ(row_of(found[i]), expected) << i << " above " << above;
        if (expected == none) continue;
        ASSERT_TRUE(same(exact_of(key[i]), exact_of(keys.values[expected]))) << i;
      }
    }
  }

  void check_ranges(grouped_index const& built, nullable_column const& groups, key_ranges const& ranges, place where,
                    oracle const& rows_of_range) {
    output_array<std::uint64_t> counts(groups.size, 77, where, exec), sums(groups.size, 77, where, exec);
    output_array<std::uint64_t> first(groups.size, 77, where, exec), sizes(groups.size, 77, where, exec);
    built.range_count(groups, ranges, counts.span(), exec);
    built.range_sum(groups, ranges, sums.span(), exec);
    built.equal_range(groups, ranges, first.span(), sizes.span(), exec);
    auto const count = counts.read(), sum = sums.read(), from = first.read(), size = sizes.read();
    for (number i = 0; i < groups.size; ++i) {
      auto const expected = rows_of_range(i);
      ASSERT_EQ(count[i], expected.size()) << i;
      ASSERT_EQ(size[i], expected.size()) << i;
      ASSERT_EQ(sum[i], std::accumulate(expected.begin(), expected.end(), number{0})) << i;
      if (expected.empty()) continue;
      numbers const rank = {from[i]};
      input_array<number> const ranks(rank, GetParam() == backend_kind::cpu ? place::host : place::device, 0, exec);
      matches const single = built.entries().rows_at({static_cast<number const*>(ranks.data()), std::size_t{1}}, exec);
      ASSERT_EQ(rows_of({single.rows.data(), 1, single.row_type}, exec), numbers{expected[0]}) << i;
    }
    expect_lists(built.range_retrieve(groups, ranges, exec), groups.size, rows_of_range);
    pairs expected;
    for (number i = 0; i < groups.size; ++i)
      for (number const row : rows_of_range(i)) expected.emplace_back(i, row);
    joined const all = join_between(built, groups, ranges, join_kind::inner, exec);
    EXPECT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), expected);
  }

  void expect_lists(matches const& all, number size, oracle const& rows_of_probe) {
    numbers ends(size + 1);
    copy(ends.data(), all.offsets.data(), ends.size() * sizeof ends[0], exec);
    auto const rows = rows_of({all.rows.data(), all.total, all.row_type}, exec);
    ASSERT_EQ(ends[size], all.total);
    for (number i = 0; i < size; ++i)
      ASSERT_EQ(numbers(rows.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                        rows.begin() + static_cast<std::ptrdiff_t>(ends[i + 1])),
                rows_of_probe(i))
          << i;
  }

  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};
};

TEST_P(grouped, numbers_that_fit_together) {
  for (bool const nulls : {false, true})
    check(make<std::uint32_t>(200, 7, nulls), make<std::uint32_t>(200, 40, nulls), make<std::uint32_t>(90, 9, nulls),
          make<std::uint32_t>(90, 45, nulls), make<std::uint32_t>(90, 45, nulls));
}

TEST_P(grouped, signed_numbers_and_times) {
  check(make<std::int64_t>(150, 5, true, -2), make<std::int32_t>(150, 30, true, -15),
        make<std::int32_t>(80, 7, true, -3), make<std::int32_t>(80, 40, true, -20),
        make<std::int32_t>(80, 40, false, -20));
}

TEST_P(grouped, groups_that_are_numbered) {
  // The codes of groups are far apart, and then those of keys too.
  std::uint64_t const far = std::uint64_t{1} << 59;
  check(make<std::uint64_t>(150, 6, false, 0, far), make<std::uint32_t>(150, 30, true),
        make<std::uint64_t>(80, 7, true, 0, far), make<std::uint32_t>(80, 35, true),
        make<std::uint32_t>(80, 35, false));
  check(make<std::uint64_t>(150, 6, false, 0, far), make<std::uint64_t>(150, 15, true, 0, far),
        make<std::uint64_t>(80, 7, true, 0, far), make<std::uint64_t>(80, 16, true, 0, far),
        make<std::uint64_t>(80, 16, false, 0, far));
}

TEST_P(grouped, floats_among_floats_and_integers) {
  auto keys = make<double>(150, 40, true, -5, 0.5);
  keys.values[3] = keys.values[70] = std::nan("");
  check(make<std::uint32_t>(150, 4, false), keys, make<std::uint32_t>(80, 5, true), make<double>(80, 60, true, -7, 0.5),
        make<double>(80, 60, true, -7, 0.5));
  check(make<std::uint32_t>(150, 4, false), keys, make<std::uint64_t>(80, 5, true),
        make<std::int32_t>(80, 30, true, -7), make<std::int32_t>(80, 30, true, -7));
  check(make<std::uint32_t>(150, 4, false), make<std::int32_t>(150, 20, true, -5), make<std::uint32_t>(80, 5, true),
        make<double>(80, 60, true, -7, 0.5), make<double>(80, 60, true, -7, 0.5));
}

TEST_P(grouped, keys_of_16_bytes) {
  u128 const far = u128{1} << 90;
  check(make<u128>(90, 4, true, 0, far), make<u128>(90, 12, true, 0, far), make<u128>(50, 5, true, 0, far),
        make<u128>(50, 14, true, 0, far), make<u128>(50, 14, true, 0, far));
}

TEST_P(grouped, empty_sides) {
  check(test_column<std::uint32_t>{}, test_column<std::uint32_t>{}, make<std::uint32_t>(5, 8, false),
        make<std::uint32_t>(5, 9, false), make<std::uint32_t>(5, 9, false));
  check(make<std::uint32_t>(5, 8, false), make<std::uint32_t>(5, 9, false), test_column<std::uint32_t>{},
        test_column<std::uint32_t>{}, test_column<std::uint32_t>{});
}

/// Strings of a, as many as a number says, are in the order of the numbers.
byte_strings as_strings(test_column<std::uint32_t> const& numbers) {
  byte_strings result;
  for (std::uint32_t const n : numbers.values) result.push_back(std::string(n, 'a'));
  return result;
}

TEST_P(grouped, strings_as_numbers) {
  auto const groups = make<std::uint32_t>(120, 6, false), keys = make<std::uint32_t>(120, 30, false);
  auto const in = make<std::uint32_t>(70, 8, false), lower = make<std::uint32_t>(70, 33, false);
  byte_strings const group_words = as_strings(groups), key_words = as_strings(keys);
  byte_strings const in_words = as_strings(in), lower_words = as_strings(lower);
  grouped_index const numbers = grouped_index::build("AO+BS", column(groups.values), column(keys.values), exec);
  grouped_index const words = grouped_index::build("AO+BS", group_words, key_words, exec);
  EXPECT_EQ(words.key_type(), key_type::bytes);
  EXPECT_EQ(words.group_type(), key_type::bytes);
  for (lookup const* const what : {&lookups::find, &lookups::floor, &lookups::ceil}) {
    rows32 expected(70), rows(70, 9);
    if (what == &lookups::find) {
      numbers.look_up(*what, column(in.values), {column(lower.values)}, {row_output(expected)}, exec);
      words.look_up(*what, in_words, {lower_words}, {row_output(rows)}, exec);
    } else {
      numbers.look_up(*what, column(in.values), {column(lower.values)}, {row_output(expected), key_output()}, exec);
      words.look_up(*what, in_words, {lower_words}, {row_output(rows), key_output()}, exec);
    }
    EXPECT_EQ(rows, expected) << what->name;
  }
  std::vector<std::uint64_t> expected(70), counts(70, 9);
  numbers.range_count(column(in.values), {column(lower.values), {}, closed_ends::none}, expected, exec);
  words.range_count(in_words, {lower_words, {}, closed_ends::none}, counts, exec);
  EXPECT_EQ(counts, expected);
  std::vector<std::uint32_t> keys_found(70);
  EXPECT_TRUE(throws<unsupported>(
      [&] { words.floor(in_words, lower_words, key_output(keys_found), row_output(keys_found), exec); }, "floor",
      "bytes"));
}

TEST_P(grouped, aggregates_of_ranges) {
  auto const groups = make<std::uint32_t>(500, 5, false), keys = make<std::uint32_t>(500, 100, false);
  auto const in = make<std::uint32_t>(60, 6, false), lower = make<std::uint32_t>(60, 60, false);
  test_column<std::uint32_t> upper = lower;
  for (auto& value : upper.values) value += 30;
  std::vector<std::int64_t> amounts(500);
  for (auto& amount : amounts) amount = static_cast<std::int64_t>(random() % 2000) - 1000;
  grouped_index const built = grouped_index::build("AO+PB+KS(9)", column(groups.values), column(keys.values), exec);
  range_aggregates const sums(built.entries(), amounts, exec);
  placed_ranges const ranges =
      built.place_ranges(column(in.values), {column(lower.values), column(upper.values)}, exec);
  std::vector<aggregate<i128>> found(60);
  sums.in_ranges(built.entries(), ranges.view(), found, exec);
  for (number i = 0; i < 60; ++i) {
    aggregate<i128> expected;
    for (number row = 0; row < 500; ++row) {
      if (groups.values[row] != in.values[i] || keys.values[row] < lower.values[i] ||
          keys.values[row] > upper.values[i])
        continue;
      i128 const amount = amounts[row];
      expected.min = expected.count == 0 ? amount : std::min(expected.min, amount);
      expected.max = expected.count == 0 ? amount : std::max(expected.max, amount);
      expected.sum += amount;
      ++expected.count;
    }
    EXPECT_TRUE(found[i].sum == expected.sum && found[i].count == expected.count && found[i].min == expected.min &&
                found[i].max == expected.max)
        << i;
  }
}

TEST_P(grouped, hash_tables_find) {
  auto const groups = make<std::uint32_t>(300, 5, false), keys = make<std::uint32_t>(300, 50, false);
  auto const in = make<std::uint32_t>(80, 6, false), probes = make<std::uint32_t>(80, 60, false);
  grouped_index const ordered = grouped_index::build("AO+BS", column(groups.values), column(keys.values), exec);
  grouped_index const table =
      grouped_index::build("HT(open)/rows=u64", column(groups.values), column(keys.values), exec);
  EXPECT_EQ(table.row_type(), row_type::u64);
  rows32 expected(80);
  numbers found(80);
  ordered.find(column(in.values), column(probes.values), row_output(expected), exec);
  table.find(column(in.values), column(probes.values), row_output(found), exec);
  for (number i = 0; i < 80; ++i) EXPECT_EQ(found[i], row_of(expected[i]));
  EXPECT_TRUE(
      throws<unsupported>([&] { table.floor(column(in.values), column(probes.values), {}, row_output(found), exec); },
                          "floor", "no order"));
}

TEST_P(grouped, wrong_arguments) {
  rows32 const three = {1, 2, 3}, two = {1, 2};
  std::vector<double> const reals = {1, 2, 3};
  byte_strings const words(std::vector<std::string>{"a", "b", "c"});
  grouped_index const built = grouped_index::build("AO+BS", column(three), column(three), exec);
  rows32 rows(3);
  numbers counts(3);
  auto const bad = [&](auto const& call, auto const&... words_of) {
    EXPECT_TRUE(throws<invalid_argument>(call, words_of...));
  };
  bad([&] { grouped_index::build("AO+BS", column(three), column(two), exec); }, "the column of keys", "2 elements");
  bad([&] { built.find(column(three), column(two), row_output(std::span(rows).first(2)), exec); },
      "the column of groups", "3 elements");
  bad([&] { built.find(words, column(three), row_output(rows), exec); }, "the column of groups", "bytes");
  bad([&] { built.find(column(three), words, row_output(rows), exec); }, "the probe column", "bytes");
  bad([&] { built.find(column(three), column(three), row_output(std::span(rows).first(2)), exec); }, "the output",
      "2 elements");
  bad([&] { built.find(column(three), column(three), row_output(counts), exec); }, "the output", "u64");
  bad([&] { built.floor(column(three), column(three), key_output(std::span(counts)), row_output(rows), exec); },
      "the key output", "u64");
  bad([&] { built.range_count(column(three), {column(two), column(three)}, counts, exec); }, "bounds", "3 elements");
  bad([&] { built.range_count(column(three), {column(two), column(two)}, counts, exec); }, "bounds", "2 elements");
  bad([&] { built.range_count(column(three), {words, column(three)}, counts, exec); }, "lower bounds", "bytes");
  for (lookup const* const what : {&lookups::lower_bound, &lookups::prefix_count, &lookups::retrieve})
    EXPECT_TRUE(throws<unsupported>(
        [&] { built.look_up(*what, column(three), {column(three)}, {std::span(counts)}, exec); }, what->name));
  EXPECT_TRUE(throws<unsupported>([&] { built.list(lookups::find, column(three), {column(three)}, exec); }, "find"));
}

TEST_P(grouped, memory_that_fails) {
  auto const groups = make<std::uint64_t>(60, 4, false, 0, std::uint64_t{1} << 60), in = groups;
  auto const keys = make<std::uint64_t>(60, 20, true, 0, std::uint64_t{1} << 58), lower = keys;
  placed_column<std::uint64_t> const group(groups, place::host, exec), key(keys, place::host, exec);
  scarce_memory memory(*exec.memory);
  execution const scarce(memory, stream);
  int failures = 0;
  numbers counts(60);
  rows32 rows(60);
  for (int nth = 0;; ++nth) {
    memory.fail_at(nth);
    try {
      auto const built = grouped_index::build("AO+BS", group.get(), key.get(), scarce);
      built.range_count(group.get(), {key.get(), key.get()}, counts, scarce);
      built.find(group.get(), key.get(), row_output(rows), scarce);
      built.floor(group.get(), key.get(), {}, row_output(rows), scarce);
      break;
    } catch (out_of_memory const&) {
      ++failures;
      EXPECT_EQ(memory.live(), 0u);
    }
    ASSERT_LT(nth, 300);
  }
  EXPECT_GT(failures, 10);
  EXPECT_EQ(memory.live(), 0u);
  EXPECT_TRUE(memory.consistent());
}

INSTANTIATE_TEST_SUITE_P(all, grouped, testing::ValuesIn(present_backends()),
                         [](auto const& backend) { return name_of(backend.param); });

}  // namespace
}  // namespace warpdex::test
