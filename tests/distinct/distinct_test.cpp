// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/distinct.hpp>

#include <warpdex/key_encoder.hpp>
#include <warpdex/stop.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

#include "clients/distinct/repeats_on_cpu.hpp"
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

/// @file
/// Distinct keys, against groups that are known beforehand: a key is made of the number of its group.
namespace warpdex::test {
namespace {

using columns = std::vector<nullable_column>;

/// @return a key of a group; of groups 0 and 1 one of several floats that are equal
template <class Key> Key key_of(number group, number variant) {
  if constexpr (std::is_floating_point_v<Key>) {
    if (group == 0) return variant % 2 == 0 ? Key{0} : -Key{0};
    if (group == 1)
      return variant % 2 == 0 ? std::numeric_limits<Key>::quiet_NaN() : -std::numeric_limits<Key>::quiet_NaN();
    return static_cast<Key>(group) / -8;
  } else if constexpr (sizeof(Key) == 16) {
    return Key{group * 0x9e3779b97f4a7c15u} << 64 | (group % 3);
  } else {
    return static_cast<Key>(group * 0x9e3779b97f4a7c15u);
  }
}

/// Flags between guards.
struct flag_array {
  output_array<std::uint8_t> bytes;

  flag_array(number size, place where, execution const& exec) : bytes(size, 1, where, exec) {}
  std::span<bool> span() { return {reinterpret_cast<bool*>(bytes.data()), bytes.size()}; }

  /// @return the rows without a flag
  std::vector<number> kept(execution const& exec) {
    std::vector<std::uint8_t> flags(bytes.size());
    if (!flags.empty()) copy(flags.data(), bytes.data(), flags.size(), exec);
    std::vector<number> result;
    for (number row = 0; row < flags.size(); ++row)
      if (flags[row] == 0) result.push_back(row);
    return result;
  }
};

/// What is known of some rows.
struct known_rows {
  std::vector<number> firsts, lasts, alone;  ///< rows
  std::vector<number> inverse, counts;

  explicit known_rows(std::vector<number> const& groups) {
    std::map<number, std::vector<number>> rows_of;
    std::map<number, number> number_of;
    for (number row = 0; row < groups.size(); ++row) rows_of[groups[row]].push_back(row);
    for (number row = 0; row < groups.size(); ++row) {
      auto const& rows = rows_of[groups[row]];
      if (rows.front() == row) {
        number_of[groups[row]] = firsts.size();
        firsts.push_back(row);
        counts.push_back(rows.size());
      }
      if (rows.back() == row) lasts.push_back(row);
      if (rows.size() == 1) alone.push_back(row);
      inverse.push_back(number_of[groups[row]]);
    }
  }

  std::vector<number> const& kept(keep_row keep) const {
    return keep == keep_row::first ? firsts : keep == keep_row::last ? lasts : alone;
  }
};

class distinct_keys : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};

  std::vector<number> groups(number size, number range) {
    std::vector<number> result;
    for (number i = 0; i < size; ++i) result.push_back(random() % range);
    return result;
  }

  template <class Key> test_column<Key> column_of(std::vector<number> const& groups, bool nullable) {
    test_column<Key> result;
    for (number const group : groups) result.values.push_back(key_of<Key>(group, random()));
    if (nullable)
      for (number const group : groups) result.valid.push_back(group % 5 != 3);
    return result;
  }

  static std::vector<number> with_nulls(std::vector<number> groups) {
    for (number& group : groups) group = group % 5 == 3 ? none : group;
    return groups;
  }

  std::vector<number> numbers_in(buffer const& from, number size) const {
    std::vector<number> result(size);
    if (size != 0) copy(result.data(), from.data(), size * sizeof(number), exec);
    return result;
  }

  void check(columns const& of, std::vector<number> const& groups) {
    known_rows const known(groups);
    for (keep_row const keep : {keep_row::first, keep_row::last, keep_row::none}) {
      EXPECT_EQ(rows_of(unique(of, exec, {.keep = keep}).kept(), exec), known.kept(keep));
      flag_array flags(groups.size(), place::host, exec);
      duplicates(of, flags.span(), exec, keep);
      EXPECT_EQ(flags.kept(exec), known.kept(keep));
    }
    unique_rows const all = unique(of, exec, {.inverse = true, .counts = true});
    EXPECT_EQ(all.size, known.firsts.size());
    EXPECT_EQ(rows_of(all.kept(), exec), known.firsts);
    EXPECT_EQ(rows_of({all.inverse.data(), groups.size(), all.type}, exec), known.inverse);
    EXPECT_EQ(numbers_in(all.counts, all.size), known.counts);
  }

  template <class Key> void check_type() {
    for (auto const& [size, range] : {std::pair<number, number>{0, 1}, {1, 9}, {2, 1}, {300, 90}, {80'000, 30'000}})
      for (bool const nullable : {false, true}) {
        auto const drawn = groups(size, range);
        placed_column<Key> const keys(column_of<Key>(drawn, nullable), place::host, exec);
        check({keys.get()}, nullable ? with_nulls(drawn) : drawn);
      }
  }
};

TEST_P(distinct_keys, of_each_type) {
  check_type<std::uint32_t>();
  check_type<std::uint64_t>();
  check_type<u128>();
  check_type<std::int32_t>();
  check_type<std::int64_t>();
  check_type<float>();
  check_type<double>();
}

TEST_P(distinct_keys, of_times) {
  auto const drawn = groups(500, 100);
  test_column<std::int64_t> const numbers = column_of<std::int64_t>(drawn, true);
  placed_column<std::int64_t> const keys(numbers, place::host, exec);
  nullable_column of = keys.get();
  of.type = key_type::timestamp;
  check({of}, with_nulls(drawn));
}

TEST_P(distinct_keys, in_the_memory_of_the_call) {
  auto const drawn = groups(500, 100);
  auto const where = GetParam() == backend_kind::cpu ? place::host : place::device;
  placed_column<double> const keys(column_of<double>(drawn, true), where, exec, 5);
  flag_array flags(drawn.size(), where, exec);
  columns const of{keys.get()};
  duplicates(of, flags.span(), exec);
  EXPECT_EQ(flags.kept(exec), known_rows(with_nulls(drawn)).firsts);
}

TEST_P(distinct_keys, of_strings) {
  for (number const size : {0, 1, 400, 70'000}) {
    auto const drawn = groups(size, size / 2 + 1);
    byte_strings texts;
    for (number const group : drawn) texts.push_back(std::string(group % 21, 'x') + std::to_string(group));
    auto const bits = column_of<std::uint32_t>(drawn, true).bits(3);
    check({texts.view()}, drawn);
    check({{texts.view(), bits.data(), 3}}, with_nulls(drawn));
  }
  byte_strings const empty(std::vector<std::string>{"", "", std::string(1, '\0'), ""});
  check({empty.view()}, {0, 0, 1, 0});
}

TEST_P(distinct_keys, of_tuples) {
  auto const left = groups(600, 9), right = groups(600, 7);
  placed_column<std::int32_t> const numbers(column_of<std::int32_t>(left, true), place::host, exec);
  byte_strings texts;
  for (number const group : right) texts.push_back(std::string(group, 'y'));
  auto const ones = with_nulls(left);
  std::vector<number> pairs, singles;
  for (number row = 0; row < left.size(); ++row) pairs.push_back(ones[row] * 16 + right[row]);
  check({numbers.get(), texts.view()}, pairs);
  columns many(key_encoder::most_fields, numbers.get());  // more than one tuple has
  many.push_back(texts.view());
  many.push_back(numbers.get());
  check(many, pairs);
}

TEST_P(distinct_keys, that_are_all_one_or_all_different) {
  std::vector<number> const same(100'000, 7);
  placed_column<std::uint64_t> const single(column_of<std::uint64_t>(same, false), place::host, exec);
  check({single.get()}, same);
  test_column<std::uint32_t> nulls{std::vector<std::uint32_t>(100, 5), std::vector<bool>(100, false)};
  placed_column<std::uint32_t> const null(nulls, place::host, exec);
  check({null.get()}, std::vector<number>(100, none));
  std::vector<number> different(65'535);  // of which one of two parts has more than its table takes at first
  for (number row = 0; row < different.size(); ++row) different[row] = row;
  placed_column<std::uint64_t> const all(column_of<std::uint64_t>(different, false), place::host, exec);
  check({all.get()}, different);
}

TEST_P(distinct_keys, refuses) {
  std::vector<std::uint32_t> numbers{1, 2, 3}, more{1, 2, 3, 4};
  bool flags[4] = {};
  auto const refused = [&](auto const& call, auto const&... words) {
    EXPECT_TRUE(throws<invalid_argument>(call, words...));
  };
  refused([&] { unique({}, exec); }, "unique", "no column");
  refused([&] { duplicates({}, {}, exec); }, "duplicates", "no column");
  columns const pair{column(numbers), column(more)};
  refused([&] { unique(pair, exec); }, "column number 1 has 4 elements", "3");
  columns const single{column(numbers)};
  refused([&] { duplicates(single, flags, exec); }, "the output of repeats has 4 elements", "3");
  refused([&] { unique(single, exec, {.keep = keep_row::last, .counts = true}); }, "counts");
  std::span const inside(reinterpret_cast<bool*>(numbers.data()), 3);
  refused([&] { duplicates(single, inside, exec); }, "overlap");
  columns odd = single;
  odd[0].type = static_cast<key_type>(77);
  refused([&] { unique(odd, exec); }, "column number 0", "77");
  odd[0] = column(nullptr, 3, key_type::u32);
  refused([&] { unique(odd, exec); }, "column number 0", "null");
}

TEST(distinct_keys_on_cpu, end_after_a_stop_request) {
  std::vector<std::uint64_t> const numbers(1 << 20);
  columns const single{column(numbers)};
  std::stop_source stop;
  stop.request_stop();
  stop_scope const scope(stop.get_token());
  EXPECT_TRUE(throws<cancelled>([&] { unique(single, execution()); }));
}

TEST(distinct_keys_on_cpu, have_row_ids_of_64_bits) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 70'000; ++i) numbers.push_back(i * 7 % 40'000);
  known_rows const known(std::vector<number>(numbers.begin(), numbers.end()));
  std::vector<number> firsts(numbers.size()), counts(numbers.size());
  find_repeats({column(numbers), {}, {}}, {keep_row::first, nullptr, {firsts.data(), 8}, counts.data()}, execution());
  for (number row = 0; row < firsts.size(); ++row) ASSERT_EQ(firsts[row], known.firsts[known.inverse[row]]);
  for (number position = 0; position < known.firsts.size(); ++position)
    ASSERT_EQ(counts[known.firsts[position]], known.counts[position]);
}

INSTANTIATE_TEST_SUITE_P(all, distinct_keys, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
