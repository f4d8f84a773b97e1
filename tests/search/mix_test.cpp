// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/mix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace warpdex::test {
namespace {

template <class Bits> class mixes : public testing::Test {};
using widths = testing::Types<std::uint32_t, std::uint64_t, u128>;
TYPED_TEST_SUITE(mixes, widths);

TYPED_TEST(mixes, and_unmixes) {
  for (std::uint64_t const seed : {0ull, 1ull, 0x9e3779b97f4a7c15ull}) {
    for (std::uint64_t i = 0; i < 10000; ++i) {
      for (std::uint64_t const number : {i, ~i, i << 17, std::uint64_t{i * 0x9e3779b97f4a7c15ull}}) {
        constexpr int bits = sizeof(TypeParam) * 8;
        auto const low = static_cast<TypeParam>(number);
        for (TypeParam const key : {low, static_cast<TypeParam>(low << bits / 2), static_cast<TypeParam>(~low)}) {
          ASSERT_EQ(unmix(mix(key, seed), seed), key);
          ASSERT_EQ(mix(unmix(key, seed), seed), key);
        }
      }
    }
  }
}

/// Keys in any regular order fill the parts evenly: each part gets about 16 keys.
TYPED_TEST(mixes, spread_regular_keys) {
  constexpr std::uint64_t parts = 4096;
  constexpr std::uint64_t count = 16 * parts;
  for (std::uint64_t const seed : {0ull, 0x9e3779b97f4a7c15ull}) {
    for (int shift = 0; shift + 16 <= static_cast<int>(sizeof(TypeParam)) * 8; ++shift) {
      std::vector<int> filled(parts);
      for (std::uint64_t i = 0; i < count; ++i) {
        auto const key = static_cast<TypeParam>(static_cast<TypeParam>(i) << shift);
        ++filled[part_of(mix(key, seed), parts)];
      }
      EXPECT_LT(*std::max_element(filled.begin(), filled.end()), 16 + 8 * 4 + 8) << "shift " << shift;
    }
  }
}

/// Each half of a wide key changes both halves of its hash, whatever the other half is.
TEST(mixes_of_128_bits, take_in_every_bit) {
  for (std::uint64_t const seed : {0ull, 0x9e3779b97f4a7c15ull}) {
    for (u128 const key : {u128{0}, ~u128{0}, u128{0x123456789abcdef} << 32}) {
      for (int bit = 0; bit < 128; ++bit) {
        u128 const changed = mix(key, seed) ^ mix(key ^ u128{1} << bit, seed);
        EXPECT_NE(static_cast<std::uint64_t>(changed >> 64), 0u) << bit;
        EXPECT_NE(static_cast<std::uint64_t>(changed), 0u) << bit;
      }
    }
  }
}

TYPED_TEST(mixes, parts_are_equal_and_ascend) {
  constexpr auto largest = static_cast<TypeParam>(-1);
  for (std::uint64_t const parts : {1ull, 3ull, 1000ull, 0x123456789ull}) {
    EXPECT_EQ(part_of(TypeParam{0}, parts), 0u);
    EXPECT_LT(part_of(largest, parts), parts);
    EXPECT_GE(part_of(largest, parts) + (parts >> 32) + 1, parts);
    EXPECT_EQ(part_of(static_cast<TypeParam>(largest / 2 + 1), parts), parts / 2);
  }
}

}  // namespace
}  // namespace warpdex::test
