// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>

#include <cstdint>

/// @file
/// Bytes of strings as numbers: those by which strings are sorted, a few bytes at a time.
namespace warpdex {
namespace detail {

/// @return a word whose bytes in memory are those of a number from the most significant one on
WDX_HD inline std::uint64_t image_of(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return swapped(word);
#else
  return __builtin_bswap64(word);
#endif
}

}  // namespace detail

/// Some bytes of a string and how it goes on, as a number:
///
///     | bytes from some byte on, 00 after the end | how many are left, up to one more than fit: 4 bits |
///
/// Strings that agree before these bytes are in the order of their words. If their words are equal, so are the strings,
/// or both continue after the word.
struct byte_word {
  static constexpr int count_bits = 4;
  static constexpr int most_bytes = 7;

  int bytes = most_bytes;

  WDX_HD int bits() const { return 8 * bytes + count_bits; }

  /// @return the word of a string without a tail, from byte `at` on
  WDX_HD std::uint64_t operator()(byte_key const& key, std::uint32_t at) const {
    std::uint32_t const left = at < key.size ? key.size - at : 0;
    auto const most = static_cast<std::uint32_t>(bytes + 1);
    return word_at(key, at) >> (64 - 8 * bytes) << count_bits | (left < most ? left : most);
  }

  /// @return whether strings of this word continue after it
  WDX_HD bool goes_on(std::uint64_t word) const {
    return (word & ((1 << count_bits) - 1)) > static_cast<unsigned>(bytes);
  }
};

/// @return the number of first bytes in which two strings agree, at most `most`, which is not less than `from`
/// @param from a number of first bytes that are known to be equal
WDX_HD inline std::uint32_t shared_bytes(byte_key const& a, byte_key const& b, std::uint32_t from, std::uint32_t most) {
  std::uint32_t const shorter = a.size < b.size ? a.size : b.size;
  return common_bytes(a, b, from, most < shorter ? most : shorter);
}

/// How a string compares with another one, its mark, as a number:
///
///     below the mark    | 0: 2 bits | bytes that both share: 32 bits |
///     equal             | 1         | 0                              |
///     above             | 2         | the complement of these bytes  |
///
/// Strings with one mark are in the order of their numbers: those that share more are closer to it. Strings with equal
/// numbers are equal to the mark, or they share with each other what they share with it.
struct mark_word {
  static constexpr int bits = 34;
  static constexpr std::uint64_t equal = std::uint64_t{1} << 32;

  /// @param from a number of first bytes that are known to be equal
  WDX_HD static std::uint64_t of(byte_key const& key, byte_key const& mark, std::uint32_t from) {
    std::uint32_t const shared = shared_bytes(key, mark, from, key.size);
    if (shared == key.size && shared == mark.size) return equal;
    bool const below = shared == key.size || (shared != mark.size && key.data[shared] < mark.data[shared]);
    return below ? shared : 2 * equal | static_cast<std::uint32_t>(~shared);
  }

  WDX_HD static std::uint32_t shared(std::uint64_t word) {
    auto const low = static_cast<std::uint32_t>(word);
    return (word & 2 * equal) != 0 ? ~low : low;
  }
  WDX_HD static bool goes_on(std::uint64_t word) { return (word & equal) == 0; }
};

}  // namespace warpdex
