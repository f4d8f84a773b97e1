// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_encoder.hpp>

#include "support/backends.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>

/// @file
/// What key encoders refuse, and what they say.
namespace warpdex::test {
namespace {

using columns = std::vector<nullable_column>;

struct bad_encoder_call : testing::Test {
  execution const exec{};
  std::vector<std::uint32_t> const numbers = {1, 2, 3};
  byte_strings const names{std::vector<std::string_view>{"a", "bc", ""}};
  std::uint8_t const valid = 7;
  key_encoder const by_place{{{key_type::u32}, {key_type::bytes}}};

  template <class... Words> void expect_encode(columns const& c, Words const&... words) const {
    EXPECT_TRUE(throws<invalid_argument>([&] { by_place.encode(c, exec); }, words...));
  }
};

TEST(key_encoder, refuses_fields) {
  EXPECT_TRUE(throws<invalid_argument>([] { key_encoder({}); }, "0 fields"));
  std::vector<key_field> const many(key_encoder::most_fields + 1);
  EXPECT_TRUE(throws<invalid_argument>([&] { key_encoder{many}; }, "33 fields", "32"));
  std::vector<key_field> odd(2);
  odd[1].type = static_cast<key_type>(77);
  EXPECT_TRUE(throws<invalid_argument>([&] { key_encoder{odd}; }, "field number 1", "77"));
}

TEST_F(bad_encoder_call, columns_of_other_shapes) {
  column const of_numbers{std::span(numbers)};
  column const of_names = names;
  expect_encode({of_numbers}, "1 columns", "2 fields");
  expect_encode({of_names, of_names}, "column number 0", "bytes", "u32");
  column shorter = of_numbers;
  shorter.size = 2;
  expect_encode({shorter, of_names}, "column number 1 has 3 values", "has 2");
  expect_encode({of_numbers, nullable_column(of_names, &valid)}, "column number 1", "not nullable");
  expect_encode({column(nullptr, 3, key_type::u32), of_names}, "column number 0", "null pointer");
  column endless = of_numbers;
  endless.size = ~std::uint64_t{0};
  expect_encode({endless, endless}, "column number 0", "2^48");
}

TEST_F(bad_encoder_call, strings_outside_of_their_bytes) {
  column const of_numbers{std::span(numbers)};
  std::string const bytes = "abcdef";
  auto const whole = std::as_bytes(std::span(bytes));
  auto const with = [&](std::vector<std::uint32_t> const& offsets) {
    expect_encode({of_numbers, column(whole, std::span(offsets))}, "column number 1", "those of string");
  };
  with({0, 3, 2, 4});
  with({0, 1, 2, 7});
  with({5, 4, 4, 4});
  std::vector<std::int64_t> const negative = {0, 1, -1, 2};
  expect_encode({of_numbers, column(whole, std::span(negative))}, "column number 1", "those of string 1", "6");
  expect_encode({of_numbers, column::fixed_bytes(whole, 3, 3)}, "column number 1", "3 strings of 3 bytes", "6 bytes");
  expect_encode({of_numbers, column::fixed_bytes(whole, 0, 3)}, "column number 1", "neither offsets nor a stride");
  column odd = names;
  odd.strings.offset_bytes = 2;
  expect_encode({of_numbers, odd}, "column number 1", "offsets of 2 bytes");
  column nothing = names;
  nothing.data = nullptr;
  expect_encode({of_numbers, nothing}, "column number 1", "null pointer");
  nothing = names;
  nothing.strings.offsets = nullptr;
  expect_encode({of_numbers, nothing}, "column number 1 (its offsets)", "null pointer");
}

TEST_F(bad_encoder_call, keys_that_are_too_long) {
  // All strings are in the same bytes, so they need no separate memory, and none is read.
  std::uint64_t const bytes = std::uint64_t{1} << 32;
  std::byte const byte{};
  column huge = column::fixed_bytes({&byte, 1}, static_cast<std::uint32_t>(bytes - 1), 1);
  huge.strings.bytes = bytes;
  column const number{std::span(numbers).first(1)};
  expect_encode({number, huge}, "row 0", "2^32");
}

TEST_F(bad_encoder_call, leading) {
  columns const all = {column{std::span(numbers)}, names.view()};
  EXPECT_TRUE(throws<invalid_argument>([&] { by_place.leading({}, false, exec); }, "0 columns", "2 fields"));
  EXPECT_TRUE(throws<invalid_argument>([&] { by_place.leading(all, false, exec); }, "all 2 fields", "encode"));
  EXPECT_TRUE(throws<invalid_argument>([&] { by_place.leading(std::span(all).first(1), true, exec); }, "u32", "open"));
}

TEST_F(bad_encoder_call, decode) {
  EXPECT_TRUE(throws<invalid_argument>([&] { by_place.decode(std::span(numbers), exec); }, "u32", "bytes"));
  byte_strings const keys{std::vector<std::string_view>{"1234", "12345", "123"}};
  EXPECT_TRUE(throws<invalid_argument>([&] { by_place.decode(keys, exec); }, "key number 2", "field number 0", "u32"));

  key_encoder const two_names({{key_type::bytes}, {key_type::bytes, true}});
  auto const refuse = [&](std::string const& key, std::string const& words) {
    byte_strings single;
    single.push_back(key);
    EXPECT_TRUE(throws<invalid_argument>([&] { two_names.decode(single, exec); }, "key number 0", words)) << key;
  };
  using namespace std::string_literals;
  refuse("a", "field number 0");
  refuse("a\0"s, "field number 0");
  refuse("a\0b\0\0"s, "field number 0");
  refuse("a\0\0"s, "field number 1");
  refuse("a\0\0b\xff"s, "field number 1");
  refuse("a\0\0b\xff\xff!"s, "after its last field");

  key_encoder const maybe({{key_type::u32, false, true}});
  std::uint64_t const codes[] = {std::uint64_t{2} << 32, std::uint64_t{1} << 40, 1};
  for (std::uint64_t const& code : codes)
    EXPECT_TRUE(throws<invalid_argument>([&] { maybe.decode(std::span(&code, 1), exec); }, "field number 0"));
}

}  // namespace
}  // namespace warpdex::test
