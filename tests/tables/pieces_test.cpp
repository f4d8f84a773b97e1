// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "input_test.hpp"

namespace warpdex::tables {
namespace {

/// Files that several threads read in pieces.
class pieces : public input_test {
 protected:
  static constexpr std::uint32_t rows = 150'000;

  /// A table whose second column holds row numbers. @param text of the first column
  template <class Text> std::string table_of(Text const& text, std::string_view line_end = "\n") const {
    std::string out = "text,id" + std::string(line_end);
    for (std::uint32_t i = 0; i < rows; ++i) out.append(text(i)).append(",").append(std::to_string(i)).append(line_end);
    return file("t.csv", out);
  }

  static void expect_all(std::string const& path) {
    for (int const threads : {1, 4}) {
      auto const read = values<std::uint32_t>(key_column(path + ":id", {.threads = threads}));
      ASSERT_EQ(read.size(), rows);
      for (std::uint32_t i = 0; i < rows; ++i) ASSERT_EQ(read[i], i);
    }
  }
};

TEST_F(pieces, plain) {
  expect_all(table_of([](std::uint32_t i) { return std::string(i % 60, 'x'); }));
  expect_all(table_of([](std::uint32_t i) { return std::string(i % 60, 'x'); }, "\r\n"));
  expect_all(table_of([](std::uint32_t i) { return std::string(i % 60, 'x'); }, "\r"));
}

TEST_F(pieces, lines_within_quotes) {
  expect_all(table_of([](std::uint32_t i) { return "\"a\n1,2\n\"\"" + std::string(i % 50, '\n') + "\""; }));
  std::string const long_cell = '"' + std::string(3'000'000, '\n') + '"';
  expect_all(table_of([&](std::uint32_t i) { return i == 70'000 ? long_cell : "some text of a row"; }));
}

TEST_F(pieces, quotes_that_mean_nothing) {
  expect_all(
      table_of([](std::uint32_t i) { return i % 3 == 0 ? std::string("5\" disk and more of this") : "\"b,\n\""; }));
  expect_all(table_of([](std::uint32_t i) { return i == 1000 ? std::string("5\" disk") : "not one quote behind it"; }));
}

TEST_F(pieces, errors_name_the_first_bad_line) {
  std::string const path =
      table_of([](std::uint32_t i) { return i == 140'000 || i == 149'000 ? "a,b" : "text of a row"; });
  expect_failure(path + ":id", "t.csv:140002: 3 fields where the header has 2: 'a,b,140000'");
  std::string const bad = table_of([](std::uint32_t i) { return i == 140'000 ? "x" : std::to_string(i) + ".0000000"; });
  expect_failure(bad, "t.csv:140002: column 'text': 'x' is not a number, as the cells above are");
}

TEST_F(pieces, types_agree) {
  auto const type_of = [&](auto const& text) { return read(table_of(text)).type(); };
  EXPECT_EQ(type_of([](std::uint32_t i) { return std::string(i == 0 ? "-1" : "4000000000"); }), key_type::i64);
  EXPECT_EQ(type_of([](std::uint32_t i) { return std::string(i == 149'999 ? "0.5" : "40000000"); }), key_type::f64);
  EXPECT_EQ(type_of([](std::uint32_t i) { return std::string(i == 1 ? "2024-01-01T00:00:00Z" : "2024-01-01"); }),
            key_type::timestamp);
}

TEST_F(pieces, values_that_are_left_out) {
  std::string const path = table_of([](std::uint32_t i) { return i % 70'000 == 69'999 ? "-1" : std::to_string(i); });
  key_column const keys(path, {.type = key_type::u32, .others = other_values::leave_out, .threads = 3});
  EXPECT_EQ(std::vector(keys.left_out().begin(), keys.left_out().end()), (std::vector<std::uint64_t>{69'999, 139'999}));
  auto const read = values<std::uint32_t>(keys);
  ASSERT_EQ(read.size(), rows - 2);
  EXPECT_EQ(read[69'998], 69'998u);
  EXPECT_EQ(read[69'999], 70'000u);
  EXPECT_EQ(read.back(), rows - 1);
}

}  // namespace
}  // namespace warpdex::tables
