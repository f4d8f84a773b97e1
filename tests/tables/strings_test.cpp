// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/strings.hpp"

#include "input_test.hpp"

namespace warpdex::tables {
namespace {

using namespace std::string_literals;
using strings = std::vector<std::string>;
using numbers = std::vector<std::uint64_t>;

strings strings_in(column const& keys) {
  EXPECT_EQ(keys.type, key_type::bytes);
  strings out;
  for (std::uint64_t i = 0; i < keys.size; ++i) out.emplace_back(string_at(keys, i));
  return out;
}

class string_columns : public input_test {
 protected:
  static strings all(std::string const& source) { return strings_in(read(source, key_type::bytes).keys()); }
};

TEST_F(string_columns, lines_are_taken_as_they_are) {
  EXPECT_EQ(all(file("a.txt", " b \n\n\"a\"\tx\nNULL\n5")), (strings{" b ", "", "\"a\"\tx", "NULL", "5"}));
  EXPECT_EQ(all(file("b.txt", "a\r\n,\r\xff\xfe\n\n\n")), (strings{"a", ",", "\xff\xfe"}));
  EXPECT_EQ(read(file("c.txt", "x\n\ny\n"), key_type::bytes).nulls(), 0u);
}

TEST_F(string_columns, cells_lose_their_quotes) {
  EXPECT_EQ(all(file("a.csv", "name,n\n\"a \"\"b\"\", c\",1\n\"\",2\n x ,3\na\"\"b,4\n\"two\nlines\",5\n,6\n")),
            (strings{"a \"b\", c", "", " x ", "a\"\"b", "two\nlines", ""}));
  EXPECT_EQ(all(file("b.tsv", "n\tname\n1\ta,b\n2\t\"c\"\n") + ":name"), (strings{"a,b", "c"}));
}

TEST_F(string_columns, texts_are_fields_of_csv) {
  auto const keys = read(file("a.txt", "a\nb,c\n\"d\"\n e\n\n5\n"), key_type::bytes);
  EXPECT_EQ(texts(keys), (strings{"a", "\"b,c\"", "\"\"\"d\"\"\"", " e", "", "5"}));
}

TEST_F(string_columns, files_of_bytes_and_offsets) {
  file("a.offsets", bytes_of(numbers{0, 3, 3, 4, 9}));
  auto const keys = read(file("a.bytes", "abc\0\xff\nz\"\n"s));
  EXPECT_EQ(keys.type(), key_type::bytes);
  EXPECT_EQ(strings_in(keys.keys()), (strings{"abc", "", "\0"s, "\xff\nz\"\n"}));
  EXPECT_EQ(texts(keys), (strings{"abc", "", "\0"s, "\"\xff\nz\"\"\n\""}));
  EXPECT_EQ(strings_in(keys.keys(1, 2)), (strings{"", "\0"s}));
  file("part.offsets", bytes_of(numbers{1, 2}));
  EXPECT_EQ(strings_in(read(file("part.bytes", "xyz")).keys()), (strings{"y"}));
  file("none.offsets", bytes_of(numbers{0}));
  EXPECT_EQ(read(file("none.bytes", "")).size(), 0u);
}

TEST_F(string_columns, parts) {
  auto const keys = read(file("a.txt", "a\nbb\nccc\n"), key_type::bytes);
  EXPECT_EQ(strings_in(keys.keys(1, 2)), (strings{"bb", "ccc"}));
  EXPECT_EQ(strings_in(keys.keys(3, 0)), strings{});
  EXPECT_EQ(keys.rows<std::uint32_t>(5), (std::vector<std::uint32_t>{5, 6, 7}));
}

TEST_F(string_columns, offsets_that_lie) {
  auto const expect = [&](std::string const& offsets, std::string const& part) {
    file("a.offsets", offsets);
    expect_failure(file("a.bytes", "abcd"), path("a.offsets") + ": " + part);
  };
  expect("", "0 bytes are no offsets of 8 bytes");
  expect("1234567", "7 bytes are no offsets of 8 bytes");
  expect(bytes_of(numbers{0, 5}), "offset 1 is 5, but " + path("a.bytes") + " has 4 bytes");
  expect(bytes_of(numbers{5}), "offset 0 is 5");
  expect(bytes_of(numbers{0, 3, 2}), "offset 2 is 2, less than the one before, 3");
  EXPECT_THROW(read(file("alone.bytes", "abcd")), io_error);
}

TEST_F(string_columns, files_of_other_types) {
  file("a.offsets", bytes_of(numbers{0, 1}));
  expect_failure(file("a.bytes", "x"), "a.bytes: a file of strings has no keys of type u64", key_type::u64);
  expect_failure(file("n.u128", std::string(16, 'x')), "n.u128: a file of numbers has no keys of type bytes",
                 key_type::bytes);
}

}  // namespace
}  // namespace warpdex::tables
