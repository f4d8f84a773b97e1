// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/escape.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpdex::tables {
namespace {

TEST(escape, controls) {
  EXPECT_EQ(escaped("plain, 'quoted' \\ text"), "plain, 'quoted' \\ text");
  EXPECT_EQ(escaped("a\tb\nc\r"), "a\\tb\\nc\\r");
  EXPECT_EQ(escaped("a\tb\nc\r", "\n"), "a\\tb\nc\\r");
  EXPECT_EQ(escaped(std::string("\0\x1b[31m\x7f", 7)), "\\x00\\x1b[31m\\x7f");
  EXPECT_EQ(escaped("\xc2\x80\xc2\x9b\xc2\x9f"), "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
}

TEST(escape, what_changes_the_direction_of_text) {
  EXPECT_EQ(escaped("a\u202egnp.exe"), "a\\xe2\\x80\\xaegnp.exe");
  for (char const* const text : {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
                                 "\u202d", "\u2066", "\u2067", "\u2068", "\u2069"})
    EXPECT_TRUE(escaped(text).starts_with("\\x")) << text;
  for (char const* const text : {"\u061b", "\u200d", "\u2027", "\u202f", "\u2065", "\u206a"})
    EXPECT_EQ(escaped(text), text);
}

TEST(escape, utf8_and_what_is_none) {
  for (char const* const text :
       {"\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbd", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(escaped(text), text);
  EXPECT_EQ(escaped("\x80"), "\\x80");
  EXPECT_EQ(escaped("\xc1\xbf"), "\\xc1\\xbf") << "overlong";
  EXPECT_EQ(escaped("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf") << "overlong";
  EXPECT_EQ(escaped("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf") << "overlong";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82") << "cut";
  EXPECT_EQ(escaped("\xe2\x82x"), "\\xe2\\x82x");
  EXPECT_EQ(escaped("\xff\xe2\x82\xac"), "\\xff\xe2\x82\xac");
}

TEST(escape, quotes_cut_long_text_between_characters) {
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "...' (61 bytes)");
  EXPECT_EQ(in_quotes(std::string(58, 'a') + "\xe2\x82\xac!"), "'" + std::string(58, 'a') + "...' (62 bytes)");
}

}  // namespace
}  // namespace warpdex::tables
