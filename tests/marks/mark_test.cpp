// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>
#include <warpdex/mark.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/backends.hpp"
#include "support/seed.hpp"

/// @file
/// Marks, against flags that a scan over all rows sets.
namespace warpdex::test {
namespace {

using words = std::vector<std::uint32_t>;
using flags = std::vector<bool>;

class marked : public testing::TestWithParam<backend_kind> {
 protected:
  static constexpr std::uint64_t rows = 5003;

  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};
  buffer const held{mark_words(rows) * 4, exec}, other{mark_words(rows) * 4, exec};
  marks const to{{held.as<std::uint32_t>(), mark_words(rows)}, rows};
  marks const with{{other.as<std::uint32_t>(), mark_words(rows)}, rows};

  void SetUp() override { set_marks(to, false, exec); }

  template <class T = std::uint32_t> std::vector<T> drawn(std::uint64_t size, std::uint64_t below) {
    std::vector<T> result;
    for (std::uint64_t i = 0; i < size; ++i) result.push_back(static_cast<T>(random() % below));
    return result;
  }

  words bits(marks const& of) const {
    words result(of.words.size());
    copy(result.data(), of.words.data(), result.size() * 4, exec);
    return result;
  }

  /// Compares all that is known of marks with flags.
  void expect(marks const& of, flags const& expected) const {
    words known(of.words.size());
    std::vector<std::uint32_t> listed;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (!expected[row]) continue;
      known[row / 32] |= 1u << row % 32;
      listed.push_back(row);
    }
    EXPECT_EQ(bits(of), known);
    ASSERT_EQ(count_marks(of, exec), listed.size());
    std::vector<std::uint32_t> found(listed.size());
    list_marked(of, found, exec);
    EXPECT_EQ(found, listed);
    std::vector<std::uint64_t> wide(listed.size());
    list_marked(of, wide, exec);
    EXPECT_EQ(wide, std::vector<std::uint64_t>(listed.begin(), listed.end()));
  }
};

TEST_P(marked, rows_of_entries) {
  auto const keys = drawn(rows, 900), probes = drawn(70, 1000), groups = drawn(rows, 5), upper = drawn(70, 1000);
  auto const asked = drawn(70, 6);
  flags equal(rows), within(rows), grouped(rows);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < probes.size(); ++i) {
      bool const in = probes[i] <= keys[row] && keys[row] <= upper[i];
      if (keys[row] == probes[i]) equal[row] = true;
      if (in) within[row] = true;
      if (in && groups[row] == asked[i]) grouped[row] = true;
    }
  for (char const* how : {"AO+BS", "B+(16)", "HT(open)"}) {
    index const of = index::build(how, keys, exec);
    set_marks(to, false, exec);
    mark(of, column(probes), to, exec);
    expect(to, equal);
    if (!of.ordered()) continue;
    set_marks(to, false, exec);
    mark_between(of, {column(probes), column(upper)}, to, exec);
    expect(to, within);
  }
  set_marks(to, false, exec);
  grouped_index const in_groups = grouped_index::build("AO+BS", column(groups), column(keys), exec);
  mark_between(in_groups, column(asked), {column(probes), column(upper)}, to, exec);
  expect(to, grouped);
}

TEST_P(marked, intervals_and_networks) {
  auto const starts = drawn(rows, 100'000), points = drawn(40, 100'000);
  std::vector<std::uint32_t> ends;
  for (std::uint32_t const start : starts) ends.push_back(start + static_cast<std::uint32_t>(random() % 90));
  flags expected(rows);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint32_t const point : points)
      if (starts[row] <= point && point <= ends[row]) expected[row] = true;
  mark(intervals::build(column(starts), column(ends), exec), column(points), to, exec);
  expect(to, expected);

  set_marks(to, false, exec);
  std::vector<std::uint32_t> const addresses = {0x0a000000, 0x0a010000, 0x0b000000}, ips = {0x0a010203, 0x0a020304};
  std::vector<std::uint8_t> const lengths = {8, 16, 8};
  mark(networks(column(addresses), lengths, exec), column(ips), to, exec);
  flags held_by(rows);
  held_by[0] = held_by[1] = true;
  expect(to, held_by);
}

TEST_P(marked, combined) {
  auto const left = drawn(2000, rows);
  auto const right = drawn<std::uint64_t>(2000, rows);
  flags in_left(rows), in_right(rows);
  for (auto const row : left) in_left[row] = true;
  for (auto const row : right) in_right[row] = true;
  for (auto const how : {mark_operation::both, mark_operation::either, mark_operation::without}) {
    set_marks(to, false, exec);
    set_marks(with, false, exec);
    mark(left, to, exec);
    mark(right, with, exec);
    expect(to, in_left);
    combine_marks(to, with, how, exec);
    flags expected(rows);
    for (std::uint64_t row = 0; row < rows; ++row)
      expected[row] = how == mark_operation::both     ? in_left[row] && in_right[row]
                      : how == mark_operation::either ? in_left[row] || in_right[row]
                                                      : in_left[row] && !in_right[row];
    expect(to, expected);
    expect(with, in_right);
    invert_marks(to, exec);
    expected.flip();
    expect(to, expected);
  }
  set_marks(to, true, exec);
  expect(to, flags(rows, true));
}

TEST_P(marked, rows_without_a_bit) {
  std::uint32_t const none[] = {no_row<std::uint32_t>, 3}, beyond[] = {0, rows};
  mark(none, to, exec);
  EXPECT_EQ(count_marks(to, exec), 1u);
  EXPECT_THROW(mark(beyond, to, exec), invalid_argument);
  EXPECT_THROW(mark(none, {to.words, rows + 32}, exec), invalid_argument);
  marks const empty;
  EXPECT_EQ(count_marks(empty, exec), 0u);
  invert_marks(empty, exec);
  mark(std::vector<std::uint32_t>(), empty, exec);
  EXPECT_THROW(mark(none, empty, exec), invalid_argument);
  EXPECT_THROW(combine_marks(to, empty, mark_operation::both, exec), invalid_argument);
  EXPECT_THROW(combine_marks(to, with, static_cast<mark_operation>(3), exec), invalid_argument);
  EXPECT_THROW(combine_marks(to, to, mark_operation::both, exec), invalid_argument);
  std::vector<std::uint32_t> two(2);
  EXPECT_THROW(list_marked(to, two, exec), invalid_argument);
}

/// Many threads set bits of the same words.
TEST_P(marked, in_one_word) {
  auto const many = drawn(300'000, 64);
  flags expected(rows);
  std::fill_n(expected.begin(), 64, true);
  mark(many, to, exec);
  expect(to, expected);
}

INSTANTIATE_TEST_SUITE_P(all, marked, testing::ValuesIn(present_backends()),
                         [](auto const& one) { return name_of(one.param); });

}  // namespace
}  // namespace warpdex::test
