// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/input/values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace warpdex::input {
namespace {

template <class Key> std::string shown(Key const& key) {
  char scratch[key_text_size];
  return std::string(format_key(detail::key_type_of<Key>(), &key, scratch));
}

/// The key as text again, or the fault's name.
template <class Key> std::string parsed(std::string const& text) {
  Key key{};
  switch (parse_key(text, key)) {
    case fault::none: return shown(key);
    case fault::syntax: return "syntax";
    case fault::range: return "range";
    case fault::inexact: return "inexact";
  }
  return {};
}

TEST(values, integers) {
  EXPECT_EQ(parsed<std::uint32_t>("0"), "0");
  EXPECT_EQ(parsed<std::uint32_t>("4294967295"), "4294967295");
  EXPECT_EQ(parsed<std::uint32_t>("4294967296"), "range");
  EXPECT_EQ(parsed<std::uint32_t>("-1"), "range");
  EXPECT_EQ(parsed<std::uint32_t>("-0"), "0");
  EXPECT_EQ(parsed<std::uint32_t>("1.5"), "inexact");
  EXPECT_EQ(parsed<std::uint32_t>("3.0"), "3");
  EXPECT_EQ(parsed<std::uint32_t>("1e3"), "1000");
  EXPECT_EQ(parsed<std::uint32_t>("nan"), "inexact");
  EXPECT_EQ(parsed<std::uint32_t>("inf"), "range");
  EXPECT_EQ(parsed<std::uint32_t>(" \t+7 "), "7");
  EXPECT_EQ(parsed<std::uint32_t>("007"), "7");
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551616"), "range");
  EXPECT_EQ(parsed<std::uint64_t>("1e19"), "inexact") << "doubles do not hold all integers of this size";
  EXPECT_EQ(parsed<std::int32_t>("-2147483648"), "-2147483648");
  EXPECT_EQ(parsed<std::int32_t>("2147483648"), "range");
  EXPECT_EQ(parsed<std::int64_t>("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(parsed<std::int64_t>("9223372036854775808"), "range");
  for (char const* const text : {"", " ", "abc", "1a", "0x10", "1 2", "--1", "+-1", "+", "-", "1,2", "2024-01-31"}) {
    EXPECT_EQ(parsed<std::int64_t>(text), "syntax") << text;
  }
}

TEST(values, decimals) {
  EXPECT_EQ(parsed<double>("0.1"), "0.1");
  EXPECT_EQ(parsed<double>("-1.5e-300"), "-1.5e-300");
  EXPECT_EQ(parsed<double>("+2"), "2");
  EXPECT_EQ(parsed<double>("-0.0"), "-0");
  EXPECT_EQ(parsed<double>("NaN"), "nan");
  EXPECT_EQ(parsed<double>("-inf"), "-inf");
  EXPECT_EQ(parsed<double>("Infinity"), "inf");
  EXPECT_EQ(parsed<double>("1e999"), "range");
  EXPECT_EQ(parsed<double>("1.2.3"), "syntax");
  EXPECT_EQ(parsed<double>("1e"), "syntax");
  EXPECT_EQ(parsed<float>("0.1"), "0.1") << "read as the nearest float, not as a rounded double";
  EXPECT_EQ(parsed<float>("1e39"), "range");
}

TEST(values, dates) {
  EXPECT_EQ(parsed<date>("1970-01-01"), "1970-01-01");
  EXPECT_EQ(parsed<date>("2024-02-29"), "2024-02-29");
  EXPECT_EQ(parsed<date>("2023-02-29"), "range");
  EXPECT_EQ(parsed<date>("1900-02-29"), "range");
  EXPECT_EQ(parsed<date>("2024-13-01"), "range");
  EXPECT_EQ(parsed<date>("2024-00-10"), "range");
  EXPECT_EQ(parsed<date>("0000-03-01"), "0000-03-01");
  EXPECT_EQ(parsed<date>("-0001-12-31"), "-0001-12-31");
  EXPECT_EQ(parsed<date>("+12345-06-07"), "+12345-06-07");
  EXPECT_EQ(parsed<date>("2024-01-31T00:00:00Z"), "2024-01-31");
  EXPECT_EQ(parsed<date>("2024-01-31T00:00:01Z"), "inexact");
  for (char const* const text : {"", "2024-1-31", "24-01-31", "2024/01/31", "2024-01-31x", "20240131", "5"}) {
    EXPECT_EQ(parsed<date>(text), "syntax") << text;
  }
  date day{};
  ASSERT_EQ(parse_date("2000-03-01", day), fault::none);
  EXPECT_EQ(day.days, 11017);
}

TEST(values, every_day_of_eight_centuries_reads_back) {
  int previous_day = 31;
  for (std::int32_t days = -150000; days < 150000; ++days) {
    std::string const text = shown(date{days});
    ASSERT_EQ(parsed<date>(text), text);
    date back{};
    ASSERT_EQ(parse_date(text, back), fault::none) << text;
    ASSERT_EQ(back.days, days) << text;
    int const day = std::stoi(text.substr(8));
    ASSERT_TRUE(day == previous_day + 1 || day == 1 || days == -150000) << text;
    previous_day = day;
  }
}

TEST(values, ends_of_calendar_types_read_back) {
  using days = std::numeric_limits<std::int32_t>;
  using moments = std::numeric_limits<std::int64_t>;
  for (std::int32_t const day : {days::min(), days::max()}) {
    date back{};
    ASSERT_EQ(parse_date(shown(date{day}), back), fault::none) << shown(date{day});
    EXPECT_EQ(back.days, day);
  }
  for (std::int64_t const moment :
       {moments::min(), moments::min() + 1, moments::max(), std::int64_t{-1}, std::int64_t{0}}) {
    timestamp back{};
    ASSERT_EQ(parse_timestamp(shown(timestamp{moment}), back), fault::none) << shown(timestamp{moment});
    EXPECT_EQ(back.microseconds, moment);
  }
  EXPECT_EQ(parsed<date>("+9999999-01-01"), "range");
  EXPECT_EQ(parsed<timestamp>("+300000-01-01"), "range");
  EXPECT_EQ(parsed<timestamp>("-300000-01-01"), "range");
}

TEST(values, timestamps) {
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34:56.123456Z"), "2024-01-31T12:34:56.123456Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31 12:34:56"), "2024-01-31T12:34:56Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34"), "2024-01-31T12:34:00Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34:56.5"), "2024-01-31T12:34:56.500000Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34:56.123456000Z"), "2024-01-31T12:34:56.123456Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34:56.1234567Z"), "inexact");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T01:00:00+02:00"), "2024-01-30T23:00:00Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31 23:00:00-0130"), "2024-02-01T00:30:00Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31t12:00:00+01"), "2024-01-31T11:00:00Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31"), "2024-01-31T00:00:00Z");
  EXPECT_EQ(parsed<timestamp>("1969-12-31T23:59:59.999999Z"), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T24:00:00"), "range");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:60:00"), "range");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34:56+24:00"), "range");
  for (char const* const text : {"2024-01-31T", "2024-01-31T12", "2024-01-31T12:3", "2024-01-31T12:34:56.",
                                 "2024-01-31T12:34:56Zx", "2024-01-31X12:34:56", "2024-01-31T12:34:56+2", "12:34:56"}) {
    EXPECT_EQ(parsed<timestamp>(text), "syntax") << text;
  }
}

TEST(values, wide_numbers) {
  EXPECT_EQ(parsed<u128>("0"), "0x00000000000000000000000000000000");
  EXPECT_EQ(parsed<u128>(" 18446744073709551616 "), "0x00000000000000010000000000000000");
  EXPECT_EQ(parsed<u128>("340282366920938463463374607431768211455"), "0xffffffffffffffffffffffffffffffff");
  EXPECT_EQ(parsed<u128>("340282366920938463463374607431768211456"), "range");
  EXPECT_EQ(parsed<u128>("0x1F"), "0x0000000000000000000000000000001f");
  EXPECT_EQ(parsed<u128>("0X00123456789abcdef0123456789ABCDEF0"), "0x123456789abcdef0123456789abcdef0");
  EXPECT_EQ(parsed<u128>("0x100000000000000000000000000000000"), "range");
  EXPECT_EQ(parsed<u128>("123e4567-e89b-12d3-A456-426614174000"), "0x123e4567e89b12d3a456426614174000");
  EXPECT_EQ(parsed<u128>("::"), "0x00000000000000000000000000000000");
  EXPECT_EQ(parsed<u128>("2001:db8::1"), "0x20010db8000000000000000000000001");
  EXPECT_EQ(parsed<u128>("FE80:0:0:0:1:2:3:4"), "0xfe800000000000000001000200030004");
  EXPECT_EQ(parsed<u128>("::ffff:192.0.2.1"), "0x00000000000000000000ffffc0000201");
  for (char const* const text : {"", "-1", "1.5", "0x", "0xg", "ff", "2001:db8", "1::2::3", "12345::", "192.0.2.1",
                                 "::1%eth0", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400",
                                 "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a4564-26614174000",
                                 "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456--2661417400",
                                 "::1 ::1", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"}) {
    EXPECT_EQ(parsed<u128>(text), "syntax") << text;
  }
  for (u128 const key : {u128{0}, u128{1} << 64, ~u128{0}}) EXPECT_EQ(parsed<u128>(shown(key)), shown(key));
}

TEST(values, numbers_are_stored_exactly_or_not_at_all) {
  auto const stored = [](number const& value, key_type type) {
    u128 out = 0;
    return store_key(value, type, &out);
  };
  EXPECT_EQ(stored(u128{5}, key_type::u32), fault::none);
  EXPECT_EQ(stored(u128{1} << 32, key_type::u32), fault::range);
  EXPECT_EQ(stored(u128{1} << 64, key_type::u64), fault::range);
  EXPECT_EQ(stored(u128{1} << 64, key_type::f64), fault::inexact);
  EXPECT_EQ(stored(u128{1} << 64, key_type::date), fault::syntax);
  EXPECT_EQ(stored(u128{1} << 64, key_type::u128), fault::none);
  EXPECT_EQ(stored(std::uint64_t{5}, key_type::u128), fault::none);
  EXPECT_EQ(stored(std::int64_t{-1}, key_type::u128), fault::range);
  EXPECT_EQ(stored(5.0, key_type::u128), fault::none);
  EXPECT_EQ(stored(5.5, key_type::u128), fault::inexact);
  std::uint64_t const odd = (std::uint64_t{1} << 53) + 1;
  EXPECT_EQ(stored(std::uint64_t{1} << 32, key_type::u32), fault::range);
  EXPECT_EQ(stored(std::int64_t{-1}, key_type::u64), fault::range);
  EXPECT_EQ(stored(std::int64_t{-1}, key_type::i32), fault::none);
  EXPECT_EQ(stored(std::numeric_limits<std::int64_t>::min(), key_type::i64), fault::none);
  EXPECT_EQ(stored(std::numeric_limits<std::int64_t>::min(), key_type::i32), fault::range);
  EXPECT_EQ(stored(std::numeric_limits<std::int64_t>::min(), key_type::f32), fault::none);
  EXPECT_EQ(stored(std::numeric_limits<std::uint64_t>::max(), key_type::i64), fault::range);
  EXPECT_EQ(stored(odd, key_type::f64), fault::inexact);
  EXPECT_EQ(stored(odd - 1, key_type::f64), fault::none);
  EXPECT_EQ(stored(std::uint64_t{16777217}, key_type::f32), fault::inexact);
  EXPECT_EQ(stored(std::uint64_t{16777216}, key_type::f32), fault::none);
  EXPECT_EQ(stored(0.1, key_type::f32), fault::inexact);
  EXPECT_EQ(stored(1e300, key_type::f32), fault::range);
  EXPECT_EQ(stored(std::numeric_limits<double>::infinity(), key_type::f32), fault::none);
  EXPECT_EQ(stored(std::nan(""), key_type::f32), fault::none);
  EXPECT_EQ(stored(std::nan(""), key_type::i64), fault::inexact);
  EXPECT_EQ(stored(2.0, key_type::u32), fault::none);
  EXPECT_EQ(stored(2.5, key_type::u32), fault::inexact);
  EXPECT_EQ(stored(std::uint64_t{5}, key_type::date), fault::syntax);
  EXPECT_EQ(stored(date{1}, key_type::u32), fault::syntax);
  EXPECT_EQ(stored(timestamp{86'400'000'000}, key_type::date), fault::none);
  EXPECT_EQ(stored(timestamp{1}, key_type::date), fault::inexact);
  EXPECT_EQ(stored(date{std::numeric_limits<std::int32_t>::max()}, key_type::timestamp), fault::range);

  float seven = 0;
  ASSERT_EQ(store_key(std::int64_t{-7}, key_type::f32, &seven), fault::none);
  EXPECT_EQ(seven, -7.0f);
  timestamp moment{};
  ASSERT_EQ(store_key(date{-1}, key_type::timestamp, &moment), fault::none);
  EXPECT_EQ(moment.microseconds, -86'400'000'000);
}

TEST(values, messages) {
  EXPECT_EQ(describe(fault::range, "5000000000", key_type::u32), "'5000000000' is outside u32 (0 to 4294967295)");
  EXPECT_EQ(describe(fault::syntax, "abc", key_type::i64), "'abc' is not an integer (the keys are i64)");
  EXPECT_EQ(describe(fault::inexact, "1.5", key_type::u32),
            "'1.5' cannot be a key of type u32: it is not a whole number that doubles hold exactly");
  EXPECT_EQ(describe(fault::syntax, "  ", key_type::u32), "empty cell");
  EXPECT_EQ(describe(fault::syntax, "x", key_type::u128),
            "'x' is not a UUID, an IPv6 address, a number or one in hexadecimal such as 0x1f (the keys are u128)");
  EXPECT_EQ(describe(fault::range, "x", key_type::u128),
            "'x' is outside u128 (0 to 340282366920938463463374607431768211455)");
}

}  // namespace
}  // namespace warpdex::input
