// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

/// @file
/// First matches of two columns, and tables of strings whose hashes meet.
namespace warpdex::test {
namespace {

class first_matches : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};

  template <class Key> test_column<Key> make(std::size_t size, number range) {
    test_column<Key> result;
    for (std::size_t i = 0; i < size; ++i) result.values.push_back(static_cast<Key>(random() % range));
    add_nulls(result, random);
    return result;
  }

  template <class Left, class Right>
  std::vector<number> expected(test_column<Left> const& left, test_column<Right> const& right) {
    std::vector<number> result;
    for (number i = 0; i < left.values.size(); ++i) {
      number found = none;
      for (number row = right.values.size(); row-- > 0;)
        if (left.has(i) && right.has(row) && same(exact_of(left.values[i]), exact_of(right.values[row]))) found = row;
      result.push_back(found);
    }
    return result;
  }

  template <class Row>
  std::vector<number> first_rows(nullable_column const& left, nullable_column const& right, number size) {
    std::vector<Row> rows(size), of_right(right.size), again(right.size);
    first_match(left, right, row_output(rows), exec, row_output(of_right));
    first_match(right, right, row_output(again), exec);
    EXPECT_EQ(of_right, again);
    std::vector<number> result;
    for (Row const row : rows) result.push_back(row == no_row<Row> ? none : number{row});
    return result;
  }

  template <class Left, class Right> void check(test_column<Left> const& left, test_column<Right> const& right) {
    placed_column<Left> const lefts(left, place::host, exec);
    placed_column<Right> const rights(right, place::host, exec, 5);
    number const size = left.values.size();
    EXPECT_EQ(first_rows<std::uint32_t>(lefts.get(), rights.get(), size), expected(left, right));
    EXPECT_EQ(first_rows<std::uint64_t>(lefts.get(), rights.get(), size), expected(left, right));
  }

  /// Number n as a string of its decimal digits, in front of which there are 0 to 20 letters.
  static byte_strings texts(test_column<std::uint32_t> const& numbers) {
    byte_strings result;
    for (std::uint32_t const n : numbers.values) result.push_back(std::string(n % 21, 'x') + std::to_string(n));
    return result;
  }
};

TEST_P(first_matches, of_numbers) {
  check(make<std::uint32_t>(200, 90), make<std::uint32_t>(80, 60));
  check(make<std::int64_t>(200, 90), make<std::int64_t>(80, 60));
  check(make<std::int32_t>(50, 20), make<double>(60, 25));
  check(make<std::uint64_t>(0, 1), make<std::uint64_t>(9, 5));
  check(make<std::uint64_t>(9, 5), make<std::uint64_t>(0, 1));
}

TEST_P(first_matches, of_strings) {
  for (auto const& [left_size, right_size] : {std::pair(200, 80), {0, 9}, {9, 0}, {33, 1}}) {
    auto const left = make<std::uint32_t>(left_size, 90), right = make<std::uint32_t>(right_size, 60);
    byte_strings const lefts = texts(left), rights = texts(right);
    auto const left_bits = left.bits(2), right_bits = right.bits(0);
    nullable_column const a{lefts.view(), left_bits.data(), 2}, b{rights.view(), right_bits.data()};
    EXPECT_EQ(first_rows<std::uint32_t>(a, b, left.values.size()), expected(left, right)) << left_size;
    EXPECT_EQ(first_rows<std::uint64_t>(a, b, left.values.size()), expected(left, right)) << left_size;
  }
}

/// Columns so long that the values of their first rows are looked up first.
TEST_P(first_matches, of_long_columns) {
  constexpr std::uint64_t size = 140'000;
  for (std::uint32_t const values : {40u, 1u << 20}) {
    test_column<std::uint32_t> right, left;
    for (std::uint64_t i = 0; i < size; ++i) right.values.push_back(static_cast<std::uint32_t>(random() % values));
    right.values.back() = values;  // a value of late rows alone
    add_nulls(right, random);
    right.valid.back() = true;
    left.values = right.values;
    std::vector<number> first(values + 1, none), wanted;
    for (number row = 0; row < size; ++row)
      if (right.has(row) && first[right.values[row]] == none) first[right.values[row]] = row;
    for (std::uint32_t const value : left.values) wanted.push_back(first[value]);
    placed_column<std::uint32_t> const lefts(left, place::host, exec), rights(right, place::host, exec);
    EXPECT_EQ(first_rows<std::uint32_t>(lefts.get(), rights.get(), size), wanted);
    byte_strings const left_words = texts(left), right_words = texts(right);
    auto const bits = right.bits(0);
    EXPECT_EQ(first_rows<std::uint32_t>(left_words.view(), {right_words.view(), bits.data()}, size), wanted);
  }
}

TEST_P(first_matches, wrong_arguments) {
  byte_strings const words(std::vector<std::string>{"a", "b"});
  std::vector<std::uint32_t> const numbers = {1, 2};
  std::vector<std::uint32_t> rows(2), few(1);
  auto const ask = [&](nullable_column const& left, nullable_column const& right, std::span<std::uint32_t> to) {
    first_match(left, right, row_output(to), exec);
  };
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(words.view(), column(numbers), rows); }, "first_match", "bytes"));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(words.view(), words.view(), few); }, "the row output", "2"));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(column(), column(), rows); }, "the row output", "0"));
}

INSTANTIATE_TEST_SUITE_P(all, first_matches, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
