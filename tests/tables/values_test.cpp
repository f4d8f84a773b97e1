// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace warpdex::tables {
namespace {

template <class Key> std::string shown(Key const& key) {
  char scratch[key_text_size];
  return std::string(format_key(detail::key_type_of<Key>(), &key, scratch));
}

/// The key as text again, or the fault of the cell.
template <class Key> std::string parsed(std::string const& text) {
  rounded_key place;
  Key key{};
  bool const quick = parse_key(text, key);
  switch (locate(text, detail::key_type_of<Key>(), place)) {
    case fault::missing: return "missing";
    case fault::syntax: return "syntax";
    case fault::no_such_day: return "no such day";
    case fault::none: break;
  }
  if (!place.exact) return place.has_below && place.has_above ? "inexact" : "range";
  Key slow{};
  std::memcpy(&slow, &place.below, sizeof slow);
  if (quick) {
    EXPECT_EQ(shown(key), shown(slow)) << text;
  }
  return shown(slow);
}

/// The keys on both sides of a value that is no key, as `below < above`.
template <class Key> std::string around(std::string const& text) {
  rounded_key place;
  Key below{}, above{};
  EXPECT_FALSE(parse_key(text, below)) << text;
  EXPECT_EQ(locate(text, detail::key_type_of<Key>(), place), fault::none) << text;
  EXPECT_FALSE(place.exact) << text;
  std::memcpy(&below, &place.below, sizeof below);
  std::memcpy(&above, &place.above, sizeof above);
  return (place.has_below ? shown(below) : "") + " < " + (place.has_above ? shown(above) : "");
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
  EXPECT_EQ(parsed<std::uint32_t>("nan"), "range");
  EXPECT_EQ(parsed<std::uint32_t>("inf"), "range");
  EXPECT_EQ(parsed<std::uint32_t>(" \t+7 "), "7");
  EXPECT_EQ(parsed<std::uint32_t>("007"), "7");
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551616"), "range");
  EXPECT_EQ(parsed<std::uint64_t>("1e19"), "10000000000000000000");
  EXPECT_EQ(parsed<std::uint64_t>("9007199254740993.0"), "9007199254740993") << "more than a double holds";
  EXPECT_EQ(parsed<std::uint64_t>("1844674407370955161500e-2"), "18446744073709551615");
  EXPECT_EQ(parsed<std::int32_t>("-2147483648"), "-2147483648");
  EXPECT_EQ(parsed<std::int32_t>("2147483648"), "range");
  EXPECT_EQ(parsed<std::int64_t>("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(parsed<std::int64_t>("9223372036854775808"), "range");
  EXPECT_EQ(parsed<std::int64_t>("0x10"), "16");
  EXPECT_EQ(parsed<std::uint32_t>(" 0XffFFffFF "), "4294967295");
  EXPECT_EQ(parsed<std::uint32_t>("0x100000000"), "range");
  EXPECT_EQ(parsed<std::int32_t>("0x100000000000000000000000000000000"), "range");
  EXPECT_EQ(parsed<std::uint32_t>("10.0.0.1"), "167772161");
  EXPECT_EQ(parsed<std::uint64_t>("10.0.0.1"), "syntax");
  for (char const* const text : {"", " ", "null", "NULL ", " Null"})
    EXPECT_EQ(parsed<std::int64_t>(text), "missing") << text;
  for (char const* const text :
       {"abc", "nul", "NULLS", "1a", "0x", "0x1g", "1 2", "--1", "+-1", "+", "-", "1,2", "2024-01-31"}) {
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
  EXPECT_EQ(parsed<double>("1e999"), "inexact");
  EXPECT_EQ(parsed<double>("5e-324"), "5e-324");
  EXPECT_EQ(parsed<double>("0e999"), "0");
  EXPECT_EQ(parsed<float>("1e-45"), "1e-45");
  EXPECT_EQ(parsed<float>("-1e-40"), "-1e-40");
  EXPECT_EQ(parsed<double>("1.2.3"), "syntax");
  EXPECT_EQ(parsed<double>("1e"), "syntax");
  EXPECT_EQ(parsed<float>("0.1"), "0.1") << "read as the nearest float, not as a rounded double";
  EXPECT_EQ(parsed<float>("1e39"), "inexact");
}

TEST(values, integers_among_floats_are_exact_or_none) {
  EXPECT_EQ(parsed<double>("9007199254740992"), "9007199254740992");
  EXPECT_EQ(parsed<double>("9007199254740993"), "inexact");
  EXPECT_EQ(parsed<double>("9007199254740993.0"), "9007199254740992") << "a decimal is read as the nearest float";
  EXPECT_EQ(parsed<double>("-18446744073709551616"), "-1.8446744073709552e+19") << "2^64";
  EXPECT_EQ(parsed<double>("18446744073709551617"), "inexact");
  EXPECT_EQ(parsed<double>("1" + std::string(22, '0')), "1e+22");
  EXPECT_EQ(parsed<double>("1" + std::string(23, '0')), "inexact");
  EXPECT_EQ(parsed<float>("16777216"), "16777216");
  EXPECT_EQ(parsed<float>("16777217"), "inexact");
  EXPECT_EQ(parsed<float>("340282346638528859811704183484516925440"), "3.4028235e+38");
}

TEST(values, places_between_keys) {
  EXPECT_EQ(around<std::uint32_t>("-1"), " < 0");
  EXPECT_EQ(around<std::uint32_t>("-0.5"), " < 0");
  EXPECT_EQ(around<std::uint32_t>("2.5"), "2 < 3");
  EXPECT_EQ(around<std::uint32_t>("25e-1"), "2 < 3");
  EXPECT_EQ(around<std::uint32_t>("1e-999999999999999999999"), "0 < 1");
  EXPECT_EQ(around<std::uint32_t>("2.0000000000000000001"), "2 < 3");
  EXPECT_EQ(around<std::uint32_t>("4294967295.5"), "4294967295 < ");
  EXPECT_EQ(around<std::uint32_t>("70000000000"), "4294967295 < ");
  EXPECT_EQ(around<std::uint32_t>("1e999999999999999999999"), "4294967295 < ");
  EXPECT_EQ(around<std::uint32_t>("-inf"), " < 0");
  EXPECT_EQ(around<std::int32_t>("-2.5"), "-3 < -2");
  EXPECT_EQ(around<std::int32_t>("-2147483648.5"), " < -2147483648");
  EXPECT_EQ(around<std::int64_t>("-9223372036854775807.1"), "-9223372036854775808 < -9223372036854775807");
  EXPECT_EQ(around<std::int64_t>("-9223372036854775808.1"), " < -9223372036854775808");
  EXPECT_EQ(around<std::int64_t>("-1e30"), " < -9223372036854775808");
  EXPECT_EQ(around<std::int64_t>("1e30"), "9223372036854775807 < ");
  EXPECT_EQ(around<u128>("-1"), " < 0x00000000000000000000000000000000");
  EXPECT_EQ(around<u128>("340282366920938463463374607431768211455.5"), "0xffffffffffffffffffffffffffffffff < ");
  EXPECT_EQ(around<double>("9007199254740993"), "9007199254740992 < 9007199254740994");
  EXPECT_EQ(around<double>("-9007199254740993"), "-9007199254740994 < -9007199254740992");
  EXPECT_EQ(around<double>("1e999"), "1.7976931348623157e+308 < inf");
  EXPECT_EQ(around<double>("-1e999"), "-inf < -1.7976931348623157e+308");
  EXPECT_EQ(around<double>("1" + std::string(400, '0')), "1.7976931348623157e+308 < inf");
  EXPECT_EQ(around<float>("1e-320"), "0 < 1e-45");
  EXPECT_EQ(around<float>("-1e-320"), "-1e-45 < -0");
  EXPECT_EQ(around<date>("2024-01-31T12:00:00Z"), "2024-01-31 < 2024-02-01");
  EXPECT_EQ(around<date>("1969-12-31T23:59:59.9999999"), "1969-12-31 < 1970-01-01");
  EXPECT_EQ(around<timestamp>("2024-01-31T12:34:56.1234567Z"),
            "2024-01-31T12:34:56.123456Z < 2024-01-31T12:34:56.123457Z");
  EXPECT_EQ(around<timestamp>("-300000-01-01"), " < " + shown(timestamp{std::numeric_limits<std::int64_t>::min()}));
  EXPECT_EQ(around<timestamp>("+300000-01-01"), shown(timestamp{std::numeric_limits<std::int64_t>::max()}) + " < ");
}

/// Expects that a double, written with all of its decimals, has the same place as the double itself.
void expect_same_place(double value, int decimals, key_type type) {
  char text[400];
  char const* const end = std::to_chars(text, std::end(text), value, std::chars_format::fixed, decimals).ptr;
  SCOPED_TRACE(std::string(text, static_cast<std::size_t>(end - text)) + " among " + std::string(to_string(type)));
  rounded_key const expected = round_key(key_type::f64, std::bit_cast<std::uint64_t>(value), type);
  rounded_key place;
  ASSERT_EQ(locate({text, end}, type, place), fault::none);
  ASSERT_EQ(place.exact, expected.exact);
  ASSERT_EQ(place.has_below, expected.has_below);
  ASSERT_EQ(place.has_above, expected.has_above);
  ASSERT_TRUE(!place.has_below || place.below == expected.below);
  ASSERT_TRUE(!place.has_above || place.above == expected.above);
}

TEST(values, text_and_number_have_the_same_place) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    auto const digits = static_cast<double>(static_cast<std::int64_t>(random()) >> (11 + random() % 53));
    int const exponent = static_cast<int>(random() % 140);
    for (key_type const type : {key_type::u32, key_type::u64, key_type::i32, key_type::i64, key_type::u128}) {
      expect_same_place(digits / 8, 3, type);
      expect_same_place(std::ldexp(digits, exponent), 0, type);
    }
    expect_same_place(std::ldexp(digits, exponent), 0, key_type::f32);
    expect_same_place(std::ldexp(digits, exponent), 0, key_type::f64);
    if (HasFatalFailure()) return;
  }
}

TEST(values, names_that_are_values) {
  for (char const* const text : {"1", "-2.5", "9007199254740993", "1e999", "2024-01-31", "2024-02-30",
                                 "2024-01-31 10:00", "0x1f", "2001:db8::1", "123e4567-e89b-12d3-a456-426614174000"})
    EXPECT_TRUE(is_value(text)) << text;
  for (char const* const text : {"", "id", "NULL", "e1", "a:b", "2024-01", "10 km"})
    EXPECT_FALSE(is_value(text)) << text;
}

TEST(values, dates) {
  EXPECT_EQ(parsed<date>("1970-01-01"), "1970-01-01");
  EXPECT_EQ(parsed<date>("2024-02-29"), "2024-02-29");
  EXPECT_EQ(parsed<date>("2023-02-29"), "no such day");
  EXPECT_EQ(parsed<date>("1900-02-29"), "no such day");
  EXPECT_EQ(parsed<date>("2024-13-01"), "no such day");
  EXPECT_EQ(parsed<date>("2024-00-10"), "no such day");
  EXPECT_EQ(parsed<date>("0000-03-01"), "0000-03-01");
  EXPECT_EQ(parsed<date>("-0001-12-31"), "-0001-12-31");
  EXPECT_EQ(parsed<date>("+12345-06-07"), "+12345-06-07");
  EXPECT_EQ(parsed<date>("2024-01-31T00:00:00Z"), "2024-01-31");
  EXPECT_EQ(parsed<date>("2024-01-31T00:00:01Z"), "inexact");
  for (char const* const text : {"2024-1-31", "24-01-31", "2024/01/31", "2024-01-31x", "20240131", "5"}) {
    EXPECT_EQ(parsed<date>(text), "syntax") << text;
  }
  date day{};
  ASSERT_TRUE(parse_key("2000-03-01", day));
  EXPECT_EQ(day.days, 11017);
}

TEST(values, every_day_of_eight_centuries_reads_back) {
  int previous_day = 31;
  for (std::int32_t days = -150000; days < 150000; ++days) {
    std::string const text = shown(date{days});
    ASSERT_EQ(parsed<date>(text), text);
    date back{};
    ASSERT_TRUE(parse_key(text, back)) << text;
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
    ASSERT_TRUE(parse_key(shown(date{day}), back)) << shown(date{day});
    EXPECT_EQ(back.days, day);
  }
  for (std::int64_t const moment :
       {moments::min(), moments::min() + 1, moments::max(), std::int64_t{-1}, std::int64_t{0}}) {
    timestamp back{};
    ASSERT_TRUE(parse_key(shown(timestamp{moment}), back)) << shown(timestamp{moment});
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
  EXPECT_EQ(parsed<timestamp>("2024-01-31T24:00:00"), "no such day");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:60:00"), "no such day");
  EXPECT_EQ(parsed<timestamp>("2024-01-31T12:34:56+24:00"), "no such day");
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
  EXPECT_EQ(parsed<u128>("1e3"), "0x000000000000000000000000000003e8");
  EXPECT_EQ(parsed<u128>("-1"), "range");
  EXPECT_EQ(parsed<u128>("1.5"), "inexact");
  for (char const* const text : {"0x", "0xg", "ff", "2001:db8", "1::2::3", "12345::", "192.0.2", "192.0.2.256",
                                 "::1%eth0", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400",
                                 "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a4564-26614174000",
                                 "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456--2661417400",
                                 "::1 ::1", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"}) {
    EXPECT_EQ(parsed<u128>(text), "syntax") << text;
  }
  EXPECT_EQ(parsed<u128>("192.0.2.1"), shown(u128{0xffffc0000201}));
  for (u128 const key : {u128{0}, u128{1} << 64, ~u128{0}}) EXPECT_EQ(parsed<u128>(shown(key)), shown(key));
}

TEST(values, messages) {
  auto const message = [](std::string const& text, key_type type) {
    rounded_key place;
    fault const problem = locate(text, type, place);
    return describe(problem, text, type, place);
  };
  EXPECT_EQ(message("5000000000", key_type::u32), "'5000000000' is outside u32 (0 to 4294967295)");
  EXPECT_EQ(message("abc", key_type::i64), "'abc' is not an integer (the keys are i64)");
  EXPECT_EQ(message("1.5", key_type::u32), "'1.5' cannot be a key of type u32: it is not a whole number");
  EXPECT_EQ(message("  ", key_type::u32), "empty cell");
  EXPECT_EQ(message("Null", key_type::u32), "'Null' stands for no value");
  EXPECT_EQ(message("x", key_type::u128),
            "'x' is not a UUID, an IP address, a number or one in hexadecimal such as 0x1f (the keys are u128)");
  EXPECT_EQ(message("-1", key_type::u128), "'-1' is outside u128 (0 to 340282366920938463463374607431768211455)");
  EXPECT_EQ(message("1e39", key_type::f32), "'1e39' is outside f32 (up to 3.4028235e+38)");
  EXPECT_EQ(message("1e-320", key_type::f32), "'1e-320' is too small for f32 (from 1e-45)");
  EXPECT_EQ(message("9007199254740993", key_type::f64),
            "'9007199254740993' cannot be a key of type f64, which does not hold it exactly");
  EXPECT_EQ(message("2024-02-30", key_type::date), "'2024-02-30': there is no such day or time");
}

}  // namespace
}  // namespace warpdex::tables
