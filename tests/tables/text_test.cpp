// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "input_test.hpp"

#include <sys/stat.h>

#include <thread>

namespace warpdex::tables {
namespace {

using strings = std::vector<std::string>;
using u32s = std::vector<std::uint32_t>;

class text : public input_test {};

TEST_F(text, one_key_a_line) {
  auto const keys = read(file("keys.txt", "3\n1\n2\n"));
  EXPECT_EQ(keys.type(), key_type::u32);
  EXPECT_EQ(values<std::uint32_t>(keys), (u32s{3, 1, 2}));
  EXPECT_EQ(texts(keys), (strings{"3", "1", "2"}));
}

TEST_F(text, last_line_without_newline_and_other_line_ends) {
  EXPECT_EQ(values<std::uint32_t>(read(file("a", "3\n1"))), (u32s{3, 1}));
  EXPECT_EQ(texts(read(file("b", "3\r\n1\r\n"))), (strings{"3", "1"}));
  EXPECT_EQ(texts(read(file("c", "3\r\n1\r\n\r\n\n"))), (strings{"3", "1"}));
  EXPECT_EQ(texts(read(file("d",
                            "\xef\xbb\xbf"
                            "3\n1\n"))),
            (strings{"3", "1"}));
  EXPECT_EQ(texts(read(file("e", "3\r1\r"))), (strings{"3", "1"}));
  EXPECT_EQ(texts(read(file("f", "3\r1\r\n2\n\r"))), (strings{"3", "1", "2"}));
  expect_failure(file("g", "3\r1\r\nx\r"), "g:3: 'x'");
}

TEST_F(text, cells_are_kept_as_written) {
  auto const keys = read(file("keys.txt", "007\n 1 \n+2\n3.0\n"), key_type::u32);
  EXPECT_EQ(values<std::uint32_t>(keys), (u32s{7, 1, 2, 3}));
  EXPECT_EQ(texts(keys), (strings{"007", " 1 ", "+2", "3.0"}));
}

TEST_F(text, blank_and_empty) {
  expect_failure(file("keys.txt", "1\n\n2\n"), "keys.txt:2: empty cell");
  expect_failure(file("empty.txt", ""), "empty.txt: the file is empty");
  expect_failure(file("mark.txt", "\xef\xbb\xbf"), "mark.txt: the file is empty");
  expect_failure(file("blanks.txt", "1\n  \n"), "blanks.txt:2: empty cell");
  EXPECT_EQ(read(file("newline.txt", "\n")).size(), 0u);
}

TEST_F(text, bad_cell_names_file_line_and_text) {
  expect_failure(file("keys.txt", "1\n2\nabc\n"),
                 "keys.txt:3: 'abc' is not a number, as the cells above are; --type bytes reads any strings");
  expect_failure(file("first.txt", "abc\n"),
                 "first.txt:1: 'abc' is not a number, a date or a timestamp; --type bytes reads any strings");
  expect_failure(file("typed.txt", "1\n-1\n"), "typed.txt:2: '-1' is outside u32 (0 to 4294967295)", key_type::u32);
  expect_failure(file("typed.txt", "1\n5000000000\n"), "typed.txt:2: '5000000000' is outside u32", key_type::u32);
  expect_failure(file("typed.txt", "1\n1.5\n"), "typed.txt:2: '1.5' cannot be a key of type u32", key_type::u32);
  expect_failure(file("typed.txt", "1\n2024-01-31\n"), "typed.txt:2: '2024-01-31' is not an integer", key_type::u32);
  expect_failure(file("escaped.txt", "1\n\x01\t\x7f\n"), "escaped.txt:2: '\\x01\\t\\x7f'");
  expect_failure(file("c1.txt",
                      "1\n\xc2\x9b"
                      "31m\n"),
                 "c1.txt:2: '\\xc2\\x9b31m'");
  expect_failure(file("no_utf8.txt", "1\n\xff\xe2\x82\xe2\x82\xac\n"), "no_utf8.txt:2: '\\xff\\xe2\\x82\xe2\x82\xac'");
  expect_failure(file("cut.txt", "1\n" + std::string(59, 'a') + "\xe2\x82\xac\n"),
                 std::string(59, 'a') + "...' (62 bytes)");
}

TEST_F(text, keys_of_16_bytes) {
  auto const name = file("keys.txt", "2001:db8::1\n0x20010db8000000000000000000000001\n7\n");
  auto const keys = read(name, key_type::u128);
  u128 const address = u128{0x20010db800000000} << 64 | 1;
  EXPECT_EQ(values<u128>(keys), (std::vector<u128>{address, address, 7}));
  EXPECT_EQ(texts(keys)[0], "2001:db8::1") << "as it was written";
  expect_failure(name, "keys.txt:1: '2001:db8::1' is a key of 16 bytes; --type u128 reads such columns");
  expect_failure(file("bad.txt", "7\n2001:db8\n"), "bad.txt:2: '2001:db8' is not a UUID", key_type::u128);
}

TEST_F(text, nul_bytes) {
  expect_failure(file("keys.txt", std::string_view("1\n2\n3\0\n", 8)), "keys.txt:3: NUL byte at offset 5");
  expect_failure(file("wide.csv", std::string_view("\xff\xfek\0\n\0", 6)), "wide.csv:1: NUL byte");
}

TEST_F(text, very_long_lines) {
  std::string const digits(10'000'000, '7');
  auto const message = expect_failure(file("long.txt", "1\n" + digits + "\n"), "long.txt:2: '777");
  EXPECT_LT(message.size(), 400u);
  EXPECT_NE(message.find("(10000000 bytes)"), std::string::npos) << message;
  EXPECT_EQ(values<std::uint32_t>(read(file("blanks.txt", std::string(10'000'000, ' ') + "5\n"))), u32s{5});
  expect_failure(file("longer.txt", std::string(20'000'000, ' ') + "5\n"), "is too long for a cell");
}

TEST_F(text, types_are_found_from_the_values) {
  auto const type = [&](std::string_view lines) { return read(file("keys.txt", lines)).type(); };
  EXPECT_EQ(type("0\n4294967295\n"), key_type::u32);
  EXPECT_EQ(type("0\n4294967296\n"), key_type::u64);
  EXPECT_EQ(type("18446744073709551615\n"), key_type::u64);
  EXPECT_EQ(type("-1\n2147483647\n"), key_type::i32);
  EXPECT_EQ(type("-1\n2147483648\n"), key_type::i64);
  EXPECT_EQ(type("-2147483649\n"), key_type::i64);
  EXPECT_EQ(type("1\n2.5\n"), key_type::f64);
  EXPECT_EQ(type("2.5\n1\n"), key_type::f64);
  EXPECT_EQ(type("nan\n1\n"), key_type::f64);
  EXPECT_EQ(type("2024-01-31\n"), key_type::date);
  EXPECT_EQ(type("2024-01-31T10:00:00\n2024-02-01\n"), key_type::timestamp);
  EXPECT_EQ(type("2024-01-31\n2024-02-01 10:00:00\n"), key_type::timestamp);
  EXPECT_EQ(values<double>(read(file("keys.txt", "-1\n9223372036854775808\n"))),
            (std::vector<double>{-1, 9223372036854775808.0}));
  expect_failure(file("keys.txt", "-1\n18446744073709551615\n"),
                 "keys.txt:2: '18446744073709551615' cannot be a key of type f64, which does not hold it exactly");
  expect_failure(file("keys.txt", "1\n18446744073709551616\n"),
                 "keys.txt:2: '18446744073709551616' is outside all integer types");
  expect_failure(file("keys.txt", "1\n2024-01-31\n"), "keys.txt:2: '2024-01-31' is not a number");
  expect_failure(file("keys.txt", "2024-01-31\n7\n"), "keys.txt:2: '7' is not a date or timestamp");
  expect_failure(file("keys.txt", "2024-02-30\n"), "keys.txt:1: '2024-02-30': there is no such day or time");
}

TEST_F(text, type_can_be_given) {
  EXPECT_EQ(values<double>(read(file("keys.txt", "1\n18446744073709551616\n"), key_type::f64)),
            (std::vector<double>{1, 18446744073709551616.0}));
  EXPECT_EQ(values<std::int64_t>(read(file("keys.txt", "1\n"), key_type::i64)), std::vector<std::int64_t>{1});
  EXPECT_EQ(values<float>(read(file("keys.txt", "0.5\n"), key_type::f32)), std::vector<float>{0.5f});
  EXPECT_EQ(values<std::int32_t>(read(file("keys.txt", "1970-01-11\n"), key_type::date)),
            std::vector<std::int32_t>{10});
}

TEST_F(text, integers_that_floats_do_not_hold) {
  expect_failure(file("k.txt", "9007199254740993\n9007199254740992\n0.5\n"),
                 "k.txt:1: '9007199254740993' cannot be a key of type f64, which does not hold it exactly");
  expect_failure(file("k.txt", "0.5\n9007199254740993\n"), "k.txt:2: '9007199254740993' cannot be a key of type f64");
  expect_failure(file("k.txt", "16777216\n16777217\n"), "k.txt:2: '16777217' cannot be a key of type f32",
                 key_type::f32);
  EXPECT_EQ(read(file("k.txt", "9007199254740992\n0.5\n")).type(), key_type::f64);
}

TEST_F(text, nulls) {
  std::string const path = file("keys.txt", "7\n\n-5\n null \n9\nNULL\n");
  expect_failure(path, "keys.txt:2: empty cell");
  expect_failure(file("null.txt", "7\nNULL\n"), "null.txt:2: 'NULL' stands for no value");
  key_column const keys(path, {.skip_nulls = true});
  EXPECT_EQ(keys.type(), key_type::i32);
  EXPECT_EQ(keys.size(), 6u);
  EXPECT_EQ(keys.nulls(), 3u);
  EXPECT_EQ(keys.others(), 0u);
  EXPECT_EQ(values<std::int32_t>(keys), (std::vector<std::int32_t>{7, -5, 9}));
  EXPECT_EQ(keys.rows<std::uint32_t>(), (u32s{0, 2, 4}));
  EXPECT_EQ(keys.rows<std::uint64_t>(10), (std::vector<std::uint64_t>{10, 12, 14}));
  EXPECT_EQ(key_column(file("none.txt", "NULL\n"), {.skip_nulls = true}).keys().size, 0u);
}

class probes : public input_test {
 protected:
  static key_column read_as(std::string const& path, other_values others) {
    return key_column(path, {.type = key_type::u32, .keep_text = true, .skip_nulls = true, .others = others});
  }
  static std::vector<std::uint64_t> left_out(key_column const& column) {
    return {column.left_out().begin(), column.left_out().end()};
  }
  std::string const path_ = file("probes.txt", "4\n-1\n\n2.5\n70000000000\n6\n");
};

TEST_F(probes, values_that_are_no_keys) {
  auto const none = read_as(path_, other_values::leave_out);
  EXPECT_EQ(values<std::uint32_t>(none), (u32s{4, 6}));
  EXPECT_EQ(left_out(none), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(none.nulls(), 1u);
  EXPECT_EQ(none.others(), 3u);
  EXPECT_EQ(texts(none), (strings{"4", "-1", "", "2.5", "70000000000", "6"}));
  auto const down = read_as(path_, other_values::round_down);
  EXPECT_EQ(values<std::uint32_t>(down), (u32s{4, 2, 4294967295, 6}));
  EXPECT_EQ(left_out(down), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(down.others(), 3u);
  auto const up = read_as(path_, other_values::round_up);
  EXPECT_EQ(values<std::uint32_t>(up), (u32s{4, 0, 3, 6}));
  EXPECT_EQ(left_out(up), (std::vector<std::uint64_t>{2, 4}));
  expect_failure(path_, "probes.txt:2: '-1' is outside u32", key_type::u32);
  for (char const* const text : {"abc\n", "2024-01-31\n", "2001:db8::1\n"})
    EXPECT_THROW(read_as(file("bad.txt", text), other_values::leave_out), format_error) << text;
}

TEST_F(probes, parts_of_a_column) {
  auto const column = read_as(path_, other_values::leave_out);
  EXPECT_EQ(column.keys(0, 6).size, 2u);
  EXPECT_EQ(column.keys(1, 4).size, 0u);
  warpdex::column const last = column.keys(2, 4);
  ASSERT_EQ(last.size, 1u);
  EXPECT_EQ(*static_cast<std::uint32_t const*>(last.data), 6u);
}

TEST_F(probes, answers_go_to_their_cells) {
  auto const column = read_as(path_, other_values::leave_out);
  u32s answers = {40, 60, 0, 0, 0, 0};
  column.spread(0, 6, answers.data(), 4, 0xff);
  EXPECT_EQ(answers, (u32s{40, ~0u, ~0u, ~0u, ~0u, 60}));
  answers = {60, 1, 1};
  column.spread(3, 3, answers.data(), 4, 0);
  EXPECT_EQ(answers, (u32s{0, 0, 60}));
  // Against a spread by hand, with gaps everywhere.
  for (unsigned gaps = 0; gaps < 256; ++gaps) {
    std::string text;
    u32s packed, expected;
    for (unsigned i = 0; i < 8; ++i) {
      bool const gap = (gaps >> i & 1) != 0;
      text += gap ? "NULL\n" : std::to_string(i) + "\n";
      if (!gap) packed.push_back(i + 100);
      expected.push_back(gap ? 0 : i + 100);
    }
    auto const cells = read_as(file("gaps.txt", text), other_values::leave_out);
    packed.resize(8);
    cells.spread(0, 8, packed.data(), 4, 0);
    ASSERT_EQ(packed, expected) << gaps;
  }
}

TEST_F(probes, more_cells_can_be_left_out) {
  auto column = read_as(path_, other_values::round_down);  // 4, 2, the largest, 6 in cells 0, 3, 4, 5
  std::vector<std::uint64_t> const cells = {1, 3, 5};
  column.leave_out(cells);
  EXPECT_EQ(values<std::uint32_t>(column), (u32s{4, 4294967295}));
  EXPECT_EQ(left_out(column), (std::vector<std::uint64_t>{1, 2, 3, 5}));
  EXPECT_EQ(column.size(), 6u);
}

TEST_F(text, files_that_cannot_be_opened) {
  auto const reason = [&](std::string const& source) -> std::string {
    try {
      read(source);
    } catch (io_error const& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(reason(path("none.txt")), path("none.txt") + ": cannot open: No such file or directory");
  EXPECT_EQ(reason(path("none.csv:id")), path("none.csv") + ": cannot open: No such file or directory");
  EXPECT_EQ(reason(path(".")), path(".") + ": is a directory");
}

TEST_F(text, pipes_are_read_too) {
  std::string const pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += std::to_string(i) + "\n";
  std::thread writer([&] { std::ofstream(pipe) << lines; });
  auto const keys = read(pipe);
  writer.join();
  ASSERT_EQ(keys.size(), 100'000u);
  EXPECT_EQ(values<std::uint32_t>(keys).back(), 99'999u);
}

}  // namespace
}  // namespace warpdex::tables
