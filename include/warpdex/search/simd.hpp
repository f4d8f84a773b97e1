// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Defined where host code may use the compiler's vectors, which nvcc does not know.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define WDX_SIMD
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// @file
/// Comparisons of several numbers at once on a CPU, in vectors of 16 bytes. Every x86-64 and every aarch64 CPU has
/// them, as SSE2 and as NEON, and one text serves both. Only the way from a vector to the bits of a number differs:
/// SSE2 has an instruction for it, and NEON makes vectors narrower.
///
/// A mask is a vector of zeros and of numbers of which all bits are set, as comparisons make it.
namespace warpdex::simd {

using bytes [[gnu::vector_size(16), gnu::may_alias]] = std::uint8_t;
using halves [[gnu::vector_size(16), gnu::may_alias]] = std::uint16_t;
using words [[gnu::vector_size(16), gnu::may_alias]] = std::uint32_t;
using longs [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;

inline words even(words a, words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
inline words odd(words a, words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }

/// What `bits_of_words` returns: so many equal bits for each of eight words, in their order.
#if defined(__SSE2__)
using word_bits = std::uint32_t;
inline constexpr unsigned bits_per_word = 2;
#else
using word_bits = std::uint64_t;
inline constexpr unsigned bits_per_word = 8;
#endif

/// @return the bits of two masks of words
inline word_bits bits_of_words(words low, words high) {
#if defined(__SSE2__)
  auto const narrow = _mm_packs_epi32(reinterpret_cast<__m128i>(low), reinterpret_cast<__m128i>(high));
  return static_cast<word_bits>(_mm_movemask_epi8(narrow));
#else
  using narrow_bytes [[gnu::vector_size(8)]] = std::uint8_t;
  auto const narrow =
      __builtin_shufflevector(reinterpret_cast<halves>(low), reinterpret_cast<halves>(high), 0, 2, 4, 6, 8, 10, 12, 14);
  return reinterpret_cast<word_bits>(__builtin_convertvector(narrow, narrow_bytes));
#endif
}

/// @return one bit for each byte of four masks of bytes, in their order
inline std::uint64_t bits_of_bytes(bytes a, bytes b, bytes c, bytes d) {
#if defined(__SSE2__)
  auto const bits = [](bytes mask) {
    return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(mask)))};
  };
  return bits(a) | bits(b) << 16 | bits(c) << 32 | bits(d) << 48;
#else
  // Each byte becomes its bit, and bytes of the sums become the bits of two, four and eight bytes.
  bytes const places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  auto const add = [](bytes x, bytes y) {
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
           __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  };
  bytes const fours = add(add(a & places, b & places), add(c & places, d & places));
  return reinterpret_cast<longs>(add(fours, fours))[0];
#endif
}

}  // namespace warpdex::simd
#endif
