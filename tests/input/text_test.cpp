// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "input_test.hpp"

#include <sys/stat.h>

#include <thread>

namespace warpdex::input {
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
}

TEST_F(text, cells_are_kept_as_written) {
  auto const keys = read(file("keys.txt", "007\n 1 \n+2\n3.0\n"), key_type::u32);
  EXPECT_EQ(values<std::uint32_t>(keys), (u32s{7, 1, 2, 3}));
  EXPECT_EQ(texts(keys), (strings{"007", " 1 ", "+2", "3.0"}));
}

TEST_F(text, blank_and_empty) {
  expect_failure(file("keys.txt", "1\n\n2\n"), "keys.txt:2: blank line");
  expect_failure(file("empty.txt", ""), "empty.txt: the file is empty");
  expect_failure(file("mark.txt", "\xef\xbb\xbf"), "mark.txt: the file is empty");
  expect_failure(file("blanks.txt", "1\n  \n"), "blanks.txt:2: empty cell");
  EXPECT_EQ(read(file("newline.txt", "\n")).size(), 0u);
}

TEST_F(text, bad_cell_names_file_line_and_text) {
  expect_failure(file("keys.txt", "1\n2\nabc\n"), "keys.txt:3: 'abc' is not a number, as the cells above are");
  expect_failure(file("first.txt", "abc\n"), "first.txt:1: 'abc' is not a number, a date or a timestamp");
  expect_failure(file("typed.txt", "1\n-1\n"), "typed.txt:2: '-1' is outside u32 (0 to 4294967295)", key_type::u32);
  expect_failure(file("typed.txt", "1\n5000000000\n"), "typed.txt:2: '5000000000' is outside u32", key_type::u32);
  expect_failure(file("typed.txt", "1\n1.5\n"), "typed.txt:2: '1.5' cannot be a key of type u32", key_type::u32);
  expect_failure(file("typed.txt", "1\n2024-01-31\n"), "typed.txt:2: '2024-01-31' is not an integer", key_type::u32);
  expect_failure(file("escaped.txt", "1\n\x01\t\x7f\n"), "escaped.txt:2: '\\x01\\t\\x7f'");
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
  expect_failure(file("keys.txt", "-1\n18446744073709551615\n"),
                 "no integer type holds both -1 and 18446744073709551615");
  expect_failure(file("keys.txt", "1\n18446744073709551616\n"),
                 "keys.txt:2: '18446744073709551616' is outside all integer types");
  expect_failure(file("keys.txt", "1\n2024-01-31\n"), "keys.txt:2: '2024-01-31' is not a number");
  expect_failure(file("keys.txt", "2024-01-31\n7\n"), "keys.txt:2: '7' is not a date or timestamp");
  expect_failure(file("keys.txt", "2024-02-30\n"), "keys.txt:1: '2024-02-30' is outside timestamp");
}

TEST_F(text, type_can_be_given) {
  EXPECT_EQ(values<double>(read(file("keys.txt", "1\n18446744073709551616\n"), key_type::f64)),
            (std::vector<double>{1, 18446744073709551616.0}));
  EXPECT_EQ(values<std::int64_t>(read(file("keys.txt", "1\n"), key_type::i64)), std::vector<std::int64_t>{1});
  EXPECT_EQ(values<float>(read(file("keys.txt", "0.5\n"), key_type::f32)), std::vector<float>{0.5f});
  EXPECT_EQ(values<std::int32_t>(read(file("keys.txt", "1970-01-11\n"), key_type::date)),
            std::vector<std::int32_t>{10});
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
}  // namespace warpdex::input
