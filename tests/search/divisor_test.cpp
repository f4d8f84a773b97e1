// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/divisor.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace warpdex::test {
namespace {

template <class Integer> void test_divisors() {
  constexpr Integer largest = std::numeric_limits<Integer>::max();
  std::mt19937_64 random(20261121);
  for (Integer const value :
       {Integer{2}, Integer{3}, Integer{4}, Integer{5}, Integer{9}, Integer{17}, Integer{33}, largest}) {
    divisor<Integer> const by(value);
    EXPECT_EQ(by, value);
    std::vector<Integer> dividends = {0, 1, largest, largest - 1};
    for (int i = 0; i < 1000; ++i) {  // where the quotient changes, near all powers of two
      Integer const multiple = static_cast<Integer>(random() >> random() % 64) / value * value;
      for (Integer const around :
           {multiple, static_cast<Integer>(multiple - 1), static_cast<Integer>(largest / value * value - i)})
        dividends.push_back(around);
    }
    for (Integer const dividend : dividends) {
      ASSERT_EQ(dividend / by, dividend / value) << dividend << " / " << value;
      ASSERT_EQ(dividend % by, dividend % value) << dividend << " % " << value;
    }
  }
}

TEST(divisor, divides_numbers_of_32_bits) { test_divisors<std::uint32_t>(); }
TEST(divisor, divides_numbers_of_64_bits) { test_divisors<std::uint64_t>(); }

}  // namespace
}  // namespace warpdex::test
