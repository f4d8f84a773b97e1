// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

/// @file
/// The hash function: a bijection on numbers of 32, 64 or 128 bits. Equal hashes mean equal keys. So a table can hold
/// hashes instead of keys, and sorting by hash brings equal keys together. The upper bits of a hash are mixed best,
/// because it ends with a multiplication.
///
/// A hash of 32 or 64 bits takes two rounds of xorshift and multiplication. The multipliers for 32 bits are those of a
/// 2-round function from Wellons's hash-prospector (its issue 19). Those for 64 bits are the multiplier of degski's
/// invertible hash, and 2^64 divided by the golden ratio.
namespace warpdex {

namespace detail {

/// @return the multiplicative inverse of `odd` modulo a power of two, by Newton's iteration: each step doubles the
/// number of correct bits
template <class Bits> constexpr Bits inverse_of(Bits odd) {
  Bits x = odd;
  for (int i = 0; i < 6; ++i) x *= Bits{2} - odd * x;
  return x;
}

template <class Bits> struct mix_factors {
  static constexpr Bits first = static_cast<Bits>(sizeof(Bits) == 4 ? 0x21f0aaadull : 0xd6e8feb86659fd93ull);
  static constexpr Bits second = static_cast<Bits>(sizeof(Bits) == 4 ? 0xd35a2d97ull : 0x9e3779b97f4a7c15ull);
  static constexpr Bits first_inverse = inverse_of(first);
  static constexpr Bits second_inverse = inverse_of(second);
};

}  // namespace detail

/// @return the hash of `key`. A key of 128 bits goes through two rounds of a Feistel network: each half is combined
/// with the hash of the other, the upper half last.
template <class Bits> WDX_HD Bits mix(Bits key, std::uint64_t seed) {
  constexpr int half = sizeof(Bits) * 4;
  if constexpr (sizeof(Bits) == 16) {
    auto high = static_cast<std::uint64_t>(key >> half);
    auto low = static_cast<std::uint64_t>(key);
    low ^= mix(high, seed);
    high ^= mix(low, seed);
    return Bits{high} << half | low;
  } else {
    Bits x = key ^ static_cast<Bits>(seed);
    x ^= x >> half;
    x *= detail::mix_factors<Bits>::first;
    x ^= x >> half;
    return x * detail::mix_factors<Bits>::second;
  }
}

/// @return the key whose hash is `mixed`; the inverse of `mix`
template <class Bits> WDX_HD Bits unmix(Bits mixed, std::uint64_t seed) {
  constexpr int half = sizeof(Bits) * 4;
  if constexpr (sizeof(Bits) == 16) {
    auto high = static_cast<std::uint64_t>(mixed >> half);
    auto low = static_cast<std::uint64_t>(mixed);
    high ^= mix(low, seed);
    low ^= mix(high, seed);
    return Bits{high} << half | low;
  } else {
    Bits x = mixed * detail::mix_factors<Bits>::second_inverse;
    x ^= x >> half;
    x *= detail::mix_factors<Bits>::first_inverse;
    x ^= x >> half;
    return x ^ static_cast<Bits>(seed);
  }
}

/// @return the upper 64 bits of the product of two numbers
WDX_HD inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  return static_cast<std::uint64_t>(u128{a} * b >> 64);
#endif
}

/// Cuts the space of all hashes into `parts` equal parts.
/// @return the number of the part that holds hash `mixed`; it ascends with `mixed`
template <class Bits> WDX_HD std::uint64_t part_of(Bits mixed, std::uint64_t parts) {
  if constexpr (sizeof(Bits) == 16) return multiply_high(static_cast<std::uint64_t>(mixed >> 64), parts);
  else if constexpr (sizeof(Bits) == 8) return multiply_high(mixed, parts);
  else return parts >> 32 == 0 ? mixed * parts >> 32 : multiply_high(std::uint64_t{mixed} << 32, parts);
}

}  // namespace warpdex
