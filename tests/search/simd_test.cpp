// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/simd.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace warpdex::test {
namespace {

TEST(simd, bits_of_words) {
  for (unsigned chosen = 0; chosen < 256; ++chosen) {
    std::uint32_t masks[8];
    simd::word_bits expected = 0;
    for (unsigned i = 0; i < 8; ++i) {
      bool const set = (chosen >> i & 1) != 0;
      masks[i] = set ? ~0u : 0;
      for (unsigned bit = 0; bit < simd::bits_per_word; ++bit)
        expected |= simd::word_bits{set} << (i * simd::bits_per_word + bit);
    }
    simd::words halves[2];
    std::memcpy(halves, masks, sizeof masks);
    EXPECT_EQ(simd::bits_of_words(halves[0], halves[1]), expected) << chosen;
  }
}

TEST(simd, bits_of_bytes) {
  std::uint64_t expected = 0x0123'4567'89ab'cdef;
  for (int i = 0; i < 1000; ++i, expected = expected * 0x9e37'79b9'7f4a'7c15 + 1) {
    std::uint8_t masks[64];
    for (int byte = 0; byte < 64; ++byte) masks[byte] = (expected >> byte & 1) != 0 ? 0xff : 0;
    simd::bytes parts[4];
    std::memcpy(parts, masks, sizeof masks);
    EXPECT_EQ(simd::bits_of_bytes(parts[0], parts[1], parts[2], parts[3]), expected);
  }
}

TEST(simd, even_and_odd_words) {
  simd::words const a = {0, 1, 2, 3}, b = {4, 5, 6, 7};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(simd::even(a, b)[i], 2 * i);
    EXPECT_EQ(simd::odd(a, b)[i], 2 * i + 1);
  }
}

}  // namespace
}  // namespace warpdex::test
