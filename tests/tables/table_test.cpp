// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/table.hpp"

#include "input_test.hpp"
#include "tables/groups.hpp"

namespace warpdex::tables {
namespace {

using strings = std::vector<std::string>;

class tables : public input_test {
 protected:
  table open(std::string_view bytes, char delimiter = ',', bool header = true) const {
    return {std::make_shared<input_file const>(file("t.csv", bytes)), delimiter, header};
  }

  static strings rows_of(table&& t) { return rows_of(t); }
  static strings rows_of(table& t) {
    strings out(t.size());
    for (std::uint64_t i = 0; i < t.size(); ++i) t.append(i, out[i]);
    return out;
  }
};

TEST_F(tables, rows_are_written_as_they_are) {
  table t = open("\xef\xbb\xbf\"a\",\"b, \"\"c\"\"\"\r\n1,\r\n\"x,\ny\",\"\"\"\"\r\n,2");
  EXPECT_EQ(t.names(), (strings{"a", "b, \"c\""}));
  EXPECT_EQ(rows_of(t), (strings{"1,", "\"x,\ny\",\"\"\"\"", ",2"}));
  EXPECT_EQ(csv_field(t.names()[1]), "\"b, \"\"c\"\"\"");
}

TEST_F(tables, tabs_become_commas) {
  table t = open("a\tb,c\n1,5\tx\"y\n\"2\t3\"\tz\n", '\t');
  EXPECT_EQ(t.names(), (strings{"a", "b,c"}));
  EXPECT_EQ(rows_of(t), (strings{"\"1,5\",\"x\"\"y\"", "\"2\t3\",z"}));
}

TEST_F(tables, without_header_numbers_are_names) {
  table t = open("5,x\n6,y\n\n", ',', false);
  EXPECT_EQ(t.names(), (strings{"0", "1"}));
  EXPECT_EQ(rows_of(t), (strings{"5,x", "6,y"}));
}

TEST_F(tables, one_column_of_empty_cells) {
  EXPECT_EQ(rows_of(open("a\n\n1\n\n\n")), (strings{"", "1"}));
  EXPECT_EQ(rows_of(open("a\n")), strings());
}

TEST_F(tables, lines_of_other_lengths_are_refused) { EXPECT_THROW(open("a,b\n1,2\n3\n"), format_error); }

TEST_F(tables, groups_that_are_written_the_same_have_one_number) {
  input_file const left(file("l.csv", "g\nA\nNULL\nB\nA\n"));
  input_file const right(file("r.csv", "g\n\"B\"\na\n\"\"\nA\n"));
  group_numbers numbers;
  cell_column const left_cells = split_table(left, ',', {}, {});
  cell_column const right_cells = split_table(right, ',', {}, {});
  group_column const l = numbers.number(left_cells);
  group_column const r = numbers.number(right_cells);
  using rows = std::vector<std::uint64_t>;
  EXPECT_EQ(l.left_out, rows{1});
  EXPECT_EQ(r.left_out, rows{2});
  EXPECT_EQ(l.numbers[0], l.numbers[3]);
  EXPECT_EQ(l.numbers[0], r.numbers[3]);
  EXPECT_EQ(l.numbers[2], r.numbers[0]);
  EXPECT_NE(l.numbers[0], l.numbers[2]);
  EXPECT_NE(r.numbers[1], r.numbers[3]);
}

TEST_F(tables, columns_that_change_their_type) {
  auto const read = [](std::string const& path, key_type type) {
    return key_column(path, {.type = type, .skip_nulls = true, .others = other_values::change_type});
  };
  key_column const whole = read(file("whole.txt", "3\n\n4.0\n"), key_type::u32);
  EXPECT_EQ(values<std::uint32_t>(whole), (std::vector<std::uint32_t>{3, 4}));
  key_column const decimals = read(file("d.txt", "3\n\n4.5\n-1\n"), key_type::u32);
  EXPECT_EQ(decimals.type(), key_type::f64);
  EXPECT_EQ(values<double>(decimals), (std::vector<double>{3, 4.5, -1}));
  EXPECT_EQ(decimals.left_out().size(), 1u);
  EXPECT_EQ(decimals.nulls(), 1u);
  EXPECT_EQ(decimals.others(), 0u);
  std::vector<double> const numbers = {1, 2.5};
  std::string const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
  std::string const npy = std::string("\x93NUMPY\1\0", 8) + bytes_of<std::uint16_t>(118) + header +
                          std::string(117 - header.size(), ' ') + "\n" + bytes_of(numbers);
  key_column const binary = read(file("d.npy", npy), key_type::i64);
  EXPECT_EQ(binary.type(), key_type::f64);
  EXPECT_EQ(values<double>(binary), numbers);
  EXPECT_TRUE(binary.left_out().empty());
  for (char const* const text : {"9007199254740993\n2.5\n", "2.5\n9007199254740993\n"})
    EXPECT_THROW(read(file("d.txt", text), key_type::u64), format_error) << "no type holds both";
}

}  // namespace
}  // namespace warpdex::tables
