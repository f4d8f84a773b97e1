// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <warpdex/column.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace warpdex {
namespace {

using namespace std::string_view_literals;

TEST(columns_of_strings, from_bytes_and_offsets) {
  std::array<std::byte, 9> const bytes{};
  std::vector<std::uint32_t> const narrow = {2, 2, 5, 9};
  column const c{std::span(bytes), std::span(narrow)};
  EXPECT_EQ(c.type, key_type::bytes);
  EXPECT_EQ(c.data, bytes.data());
  EXPECT_EQ(c.size, 3u);
  EXPECT_EQ(c.strings.offsets, narrow.data());
  EXPECT_EQ(c.strings.offset_bytes, 4u);
  EXPECT_EQ(c.strings.stride, 0u);
  EXPECT_EQ(c.strings.bytes, 9u);

  std::vector<std::int64_t> wide = {0, 9};  // of other libraries, signed
  column const signed_one{std::span(bytes), std::span(wide)};
  EXPECT_EQ(signed_one.size, 1u);
  EXPECT_EQ(signed_one.strings.offset_bytes, 8u);
}

TEST(columns_of_strings, no_offsets_are_no_strings) {
  column const c{std::span<std::byte const>(), std::span<std::uint64_t const>()};
  EXPECT_EQ(c.size, 0u);
  EXPECT_EQ(c.type, key_type::bytes);
}

TEST(columns_of_strings, of_one_length) {
  std::array<std::byte, 33> const bytes{};
  column const c = column::fixed_bytes(std::span(bytes), 16, 2);
  EXPECT_EQ(c.type, key_type::bytes);
  EXPECT_EQ(c.data, bytes.data());
  EXPECT_EQ(c.size, 2u);
  EXPECT_EQ(c.strings.offsets, nullptr);
  EXPECT_EQ(c.strings.offset_bytes, 0u);
  EXPECT_EQ(c.strings.stride, 16u);
  EXPECT_EQ(c.strings.bytes, 33u);
}

TEST(columns_of_strings, that_own_them) {
  byte_strings strings;
  EXPECT_EQ(strings.size(), 0u);
  EXPECT_EQ(strings.view().size, 0u);

  std::vector<std::string> const texts = {"pear", "", std::string("\0\xff", 2), "apple"};
  strings = byte_strings(texts);
  strings.push_back("pear"sv);
  ASSERT_EQ(strings.size(), 5u);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(strings[i], texts[i]);
  EXPECT_EQ(strings[4], "pear");

  column const c = strings;
  EXPECT_EQ(c.size, 5u);
  EXPECT_EQ(c.type, key_type::bytes);
  EXPECT_EQ(c.strings.offset_bytes, 8u);
  EXPECT_EQ(c.strings.bytes, 15u);
  auto const* const offsets = static_cast<std::uint64_t const*>(c.strings.offsets);
  EXPECT_EQ(std::vector<std::uint64_t>(offsets, offsets + 6), (std::vector<std::uint64_t>{0, 4, 4, 6, 11, 15}));
  EXPECT_EQ(std::string_view(static_cast<char const*>(c.data) + 6, 5), "apple");

  byte_strings const copy = strings;
  strings.push_back("more");
  EXPECT_EQ(copy.size(), 5u);
  EXPECT_EQ(copy[4], "pear");
}

}  // namespace
}  // namespace warpdex
