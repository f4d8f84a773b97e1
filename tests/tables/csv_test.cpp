// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "input_test.hpp"

namespace warpdex::tables {
namespace {

using strings = std::vector<std::string>;
using u32s = std::vector<std::uint32_t>;

class csv : public input_test {};

TEST_F(csv, columns_by_name_and_number) {
  std::string const path = file("t.csv", "a,b,2\n1,10,100\n2,20,200\n");
  EXPECT_EQ(values<std::uint32_t>(read(path)), (u32s{1, 2}));
  EXPECT_EQ(values<std::uint32_t>(read(path + ":a")), (u32s{1, 2}));
  EXPECT_EQ(values<std::uint32_t>(read(path + ":b")), (u32s{10, 20}));
  EXPECT_EQ(values<std::uint32_t>(read(path + ":1")), (u32s{10, 20}));
  EXPECT_EQ(values<std::uint32_t>(key_column(path + ":2", {.header = true})), (u32s{100, 200}))
      << "a name comes before a number";
}

TEST_F(csv, suffix_or_column_makes_a_table) {
  EXPECT_EQ(values<std::uint32_t>(read(file("t.data", "a,b\n1,2\n") + ":b")), u32s{2});
  EXPECT_EQ(values<std::uint32_t>(read(file("t.tsv", "a\tb\n1\t2\n") + ":b")), u32s{2});
  expect_failure(file("u.data", "a,b\n1,2\n"), "u.data:1: 'a,b' is not a number");
}

TEST_F(csv, names_may_hold_colons) {
  EXPECT_EQ(values<std::uint32_t>(read(file("t.csv", "a,x:y\n1,2\n") + ":x:y")), u32s{2});
  EXPECT_EQ(values<std::uint32_t>(read(file("u:v.txt", "5\n"))), u32s{5});
  EXPECT_EQ(values<std::uint32_t>(read(file("u:v.csv", "a,b\n1,2\n") + ":b")), u32s{2});
}

TEST_F(csv, quotes) {
  std::string const path = file("t.csv",
                                "id,\"a \"\"b\"\", c\"\n"
                                "\"1\",\"x,y\"\n"
                                "2,\"line one\nline two \"\"quoted\"\"\"\n"
                                "\"3\",\r\n"
                                "4,in\"side\n");
  auto const keys = read(path + ":id");
  EXPECT_EQ(values<std::uint32_t>(keys), (u32s{1, 2, 3, 4}));
  EXPECT_EQ(texts(keys), (strings{"1", "2", "3", "4"}));
  EXPECT_NE(expect_failure(path + ":a \"b\", c", "t.csv:2: column 'a \"b\", c': 'x,y' is not a number"), "");
}

TEST_F(csv, line_ends) {
  for (char const* const bytes :
       {"a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r\n1,2\r\n3,4", "a,b\r\n1,2\r\n3,4\r",
        "\xef\xbb\xbf"
        "a,b\n1,2\n3,4\n\n\r\n",
        "a,b\r1,2\r3,4\r", "a,b\r1,2\r3,4", "a,b\r1,\"2\"\r\"3\",4\r\r", "a,b\n1,\"2\"\n3,\"4\"",
        "a,\"b\"\r\n1,\"2\"\r\n3,\"4\"\r\n"}) {
    std::string const path = file("t.csv", bytes);
    EXPECT_EQ(texts(read(path + ":b")), (strings{"2", "4"})) << bytes;
    EXPECT_EQ(texts(read(path + ":a")), (strings{"1", "3"})) << bytes;
  }
}

TEST_F(csv, column_of_no_rows) {
  for (char const* const bytes : {"a,b", "a,b\n", "a,b\r\n", "a,b\r", "a,b\n\n"}) {
    auto const keys = read(file("t.csv", bytes) + ":b");
    EXPECT_EQ(keys.size(), 0u) << bytes;
    EXPECT_EQ(keys.type(), key_type::u32);
  }
  EXPECT_EQ(read(file("t.csv", "a\n"), key_type::date).type(), key_type::date);
}

TEST_F(csv, missing_column_lists_the_others) {
  std::string const path = file("t.csv", "id,name\n1,2\n");
  expect_failure(path + ":ip", "t.csv:1: no column 'ip'; the columns are 0 'id', 1 'name'");
  expect_failure(path + ":2", "t.csv:1: no column '2'; the columns are 0 'id', 1 'name'");
  expect_failure(path + ":-1", "no column '-1'");
  expect_failure(path + ":", "no column ''");
  expect_failure(file("twice.csv", "a,a\n1,2\n") + ":a", "several columns are named 'a'; give the number");
  std::string many = "c0";
  for (int i = 1; i < 100; ++i) many += ",c" + std::to_string(i);
  expect_failure(file("many.csv", many + "\n") + ":x", "29 'c29' and 70 more");
}

TEST_F(csv, ragged_lines) {
  expect_failure(file("t.csv", "a,b\n1,2\n3\n"), "t.csv:3: 1 field where the header has 2: '3'");
  expect_failure(file("t.csv", "a,b\n1,2,3\n"), "t.csv:2: 3 fields where the header has 2: '1,2,3'");
  expect_failure(file("t.csv", "a,b\n1,2\n\n3,4\n"), "t.csv:3: blank line");
  expect_failure(file("t.csv", "a,b\n1,2\n3,4,"), "t.csv:3: 3 fields");
  expect_failure(file("t.csv", "a\n\"x\ny\",2\n"), "t.csv:2: 2 fields where the header has 1");
}

TEST_F(csv, bad_cells_name_line_and_column) {
  expect_failure(file("t.csv", "a,b\n1,2\n3,x\n") + ":b", "t.csv:3: column 'b': 'x' is not a number");
  expect_failure(file("t.csv", "a,b\n1,2\n3,\n") + ":b", "t.csv:3: column 'b': empty cell");
  expect_failure(file("t.csv", "a,b\n1,\"\"\n") + ":b", "t.csv:2: column 'b': empty cell");
  expect_failure(file("t.csv", "a,b\n\"p\nq\",2\n3,-4\n") + ":b", "t.csv:4: column 'b': '-4' is outside u32",
                 key_type::u32);
}

TEST_F(csv, broken_quotes) {
  expect_failure(file("t.csv", "a,b\n1,\"2\n3,4\n"), "t.csv:2: a quote opens here and is never closed");
  expect_failure(file("t.csv", "a,b\n1,\"2\"x\n"), "t.csv:2: 'x' follows a closing quote");
  expect_failure(file("t.csv", "a,\""), "t.csv:1: a quote opens here and is never closed");
}

TEST_F(csv, empty_file_and_missing_header) {
  expect_failure(file("t.csv", ""), "t.csv: the file is empty; a header line was expected");
  expect_failure(file("t.csv", "1\n2\n"), "t.csv:1: the header names the column '1', which is a value");
  expect_failure(file("t.csv", "x,2024-01-31\n1,2\n") + ":1", "the header names the column '2024-01-31'");
}

TEST_F(csv, a_name_that_is_a_value_is_no_header) {
  // Three ways to name a column whose first cell would be lost.
  std::string const path = file("t.csv", "1,5000\n2,5001\n3,5002\n");
  for (char const* const column : {"", ":1", ":5000"})
    expect_failure(path + column, "--no-header reads this line as a row, --header takes it as names");
  for (char const* const name : {"2024-01-31", "2001:db8::1", "9007199254740993", "0x1f"})
    expect_failure(file("t.csv", std::string("x,") + name + "\n1,2\n") + ":1", "which is a value");
  EXPECT_EQ(values<std::uint32_t>(read(file("t.csv", "x,2024\n1,2\n") + ":x")), u32s{1}) << "not the chosen one";
}

TEST_F(csv, header_as_asked) {
  std::string const path = file("t.csv", "1,5000\n2,5001\n3,5002\n");
  auto const with = [](std::string const& source, bool header) {
    return values<std::uint32_t>(key_column(source, {.header = header}));
  };
  EXPECT_EQ(with(path, false), (u32s{1, 2, 3}));
  EXPECT_EQ(with(path + ":1", false), (u32s{5000, 5001, 5002})) << "a number, not the name 1";
  EXPECT_EQ(with(path + ":1", true), (u32s{2, 3}));
  EXPECT_EQ(with(path + ":5000", true), (u32s{5001, 5002}));
  EXPECT_EQ(with(file("q.tsv", "\"7\"\t8\n"), false), u32s{7});
  auto const failure = [&](std::string const& source) -> std::string {
    try {
      with(source, false);
    } catch (format_error const& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(failure(path + ":id"), path + ":1: no column 'id'; without a header, columns are numbers, here 0 to 1");
  EXPECT_EQ(failure(path + ":2"), path + ":1: no column '2'; without a header, columns are numbers, here 0 to 1");
  EXPECT_EQ(
      failure(file("u.csv", "1,x\n") + ":1"),
      this->path("u.csv") + ":1: column 1: 'x' is not a number, a date or a timestamp; --type bytes reads any strings");
  EXPECT_EQ(failure(file("r.csv", "1,2\n3\n")), this->path("r.csv") + ":2: 1 field where the first line has 2: '3'");
}

TEST_F(csv, too_many_columns) {
  std::string const most(99'999, ',');
  EXPECT_EQ(read(file("t.csv", "a" + most + "\n1" + most + "\n") + ":a").size(), 1u);
  expect_failure(file("t.csv", "a" + most + ",\n") + ":a", "t.csv:1: the first line has more than 100000 fields");
}

TEST_F(csv, blank_lines_of_one_column_are_empty_cells) {
  std::string const path = file("t.csv", "a\n1\n\n3\n\n");
  expect_failure(path, "t.csv:3: column 'a': empty cell");
  key_column const keys(path, {.skip_nulls = true});
  EXPECT_EQ(values<std::uint32_t>(keys), (u32s{1, 3}));
  EXPECT_EQ(keys.size(), 3u);
}

TEST_F(csv, lines_of_ten_megabytes) {
  std::string const filler(10'000'000, 'x');
  EXPECT_EQ(values<std::uint32_t>(read(file("t.csv", "a,b\n" + filler + ",1\n\"" + filler + "\",2\n") + ":b")),
            (u32s{1, 2}));
  auto const message = expect_failure(file("t.csv", "a,b\n1," + filler + "\n") + ":b", "t.csv:2: column 'b': 'xxx");
  EXPECT_LT(message.size(), 400u);
  EXPECT_LT(expect_failure(file("t.csv", "a,b\n" + filler + "\n"), "1 field where the header has 2").size(), 400u);
  EXPECT_LT(expect_failure(file("t.csv", filler + "\n1\n") + ":y", "no column 'y'").size(), 400u);
}

TEST_F(csv, offsets_are_right_across_many_rows) {
  std::string bytes = "pad,key\n";
  for (int i = 0; i < 10'000; ++i)
    bytes += std::string(static_cast<std::size_t>(i % 50), 'p') + "," + std::to_string(i * 7) + "\n";
  auto const keys = read(file("t.csv", bytes) + ":key");
  ASSERT_EQ(keys.size(), 10'000u);
  std::string scratch;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(keys.text(i, scratch), std::to_string(i * 7));
  }
  column const part = keys.keys(5000, 10);
  EXPECT_EQ(part.size, 10u);
  EXPECT_EQ(*static_cast<std::uint32_t const*>(part.data), 35'000u);
}

}  // namespace
}  // namespace warpdex::tables
