// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/options.hpp"

#include "bench/context.hpp"

#include <gtest/gtest.h>

namespace warpdex::bench {
namespace {

TEST(number_option, powers_and_suffixes) {
  constexpr auto most = ~std::uint64_t{0};
  EXPECT_EQ(parse_number("--n", "0", 0, most), 0u);
  EXPECT_EQ(parse_number("--n", "67108864", 0, most), 67108864u);
  EXPECT_EQ(parse_number("--n", "2^26", 0, most), 67108864u);
  EXPECT_EQ(parse_number("--n", "2^63", 0, most), std::uint64_t{1} << 63);
  EXPECT_EQ(parse_number("--n", "10^6", 0, most), 1000000u);
  EXPECT_EQ(parse_number("--n", "1e6", 0, most), 1000000u);
  EXPECT_EQ(parse_number("--n", "1M", 0, most), 1000000u);
  EXPECT_EQ(parse_number("--n", "64k", 0, most), 64000u);
  EXPECT_EQ(parse_number("--n", "2G", 0, most), 2000000000u);
  EXPECT_EQ(parse_number("--n", "1_000_000", 0, most), 1000000u);
  for (char const* const text : {"M", "1MM", "e6", "1e", "1.5M", "99999999999G", "1T"})
    EXPECT_THROW(parse_number("--n", text, 0, most), usage_error) << text;
  EXPECT_EQ(parse_number("--n", "7^0", 0, most), 1u);
  EXPECT_EQ(parse_number("--n", "18446744073709551615", 0, most), most);
  for (auto const* bad :
       {"", "x", "-1", "2^64", "10^20", "2^", "^2", "2^2^2", "1.5", "1 ", "2^99999999999", "18446744073709551616"})
    EXPECT_THROW(parse_number("--n", bad, 0, most), usage_error) << bad;
  EXPECT_THROW(parse_number("--n", "9", 10, 20), usage_error);
  EXPECT_THROW(parse_number("--n", "21", 10, 20), usage_error);
}

}  // namespace
}  // namespace warpdex::bench
