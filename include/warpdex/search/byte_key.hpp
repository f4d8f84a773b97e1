// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>

/// @file
/// Byte strings as keys of searches.
namespace warpdex {

/// A reference to a byte string, and what follows its bytes. It fits in registers and owns nothing, so sorts, merges
/// and searches treat it like a number.
///
///     | address: 8 bytes | size: 4 bytes | tail: 4 bytes |
///
/// The order is that of unsigned bytes; of two strings of which one begins the other, the shorter comes first. The tail
/// makes other bounds out of lower bounds: no string is between one and its copy with one more zero byte, and all
/// strings that begin with one come before its copy with endless bytes of ones.
struct byte_key {
  /// What follows the bytes.
  enum class tail : std::uint32_t {
    none,  ///< the string as it is
    zero,  ///< one more byte, 00: the successor of the string
    ones,  ///< endless bytes FF: the end of all strings that begin so; no string of an index equals it
    open   ///< what comes just before the string: an upper bound, whose successor is the string. It is not searched for
  };

  unsigned char const* data = nullptr;  ///< the first byte
  std::uint32_t size = 0;               ///< number of bytes
  tail behind = tail::none;             ///< what follows them

  /// The longest string, in bytes.
  static constexpr std::uint64_t longest = ~std::uint32_t{0};
};
static_assert(sizeof(byte_key) == 16);

namespace detail {

#if defined(__CUDA_ARCH__)
WDX_HD inline std::uint64_t swapped(std::uint64_t word) {
  auto const low = static_cast<std::uint32_t>(word);
  auto const high = static_cast<std::uint32_t>(word >> 32);
  return std::uint64_t{__byte_perm(low, 0, 0x0123)} << 32 | __byte_perm(high, 0, 0x0123);
}

/// Loads the 8 bytes at any address as a number whose most significant byte is the first. Aligned loads of 4 bytes also
/// read neighbouring bytes, at most 3 on each side; `inside` says that these belong to the string.
WDX_HD inline std::uint64_t load_word(unsigned char const* from, bool inside) {
  auto const address = reinterpret_cast<std::uintptr_t>(from);
  if (address % 8 == 0) return swapped(*reinterpret_cast<std::uint64_t const*>(from));
  if (inside || address % 4 == 0) {
    auto const* const words = reinterpret_cast<std::uint32_t const*>(address & ~std::uintptr_t{3});
    unsigned const shift = address % 4 * 8;
    std::uint32_t const low = words[0];
    std::uint32_t const middle = words[1];
    std::uint32_t const high = shift == 0 ? 0 : words[2];
    return swapped(std::uint64_t{__funnelshift_r(middle, high, shift)} << 32 | __funnelshift_r(low, middle, shift));
  }
  std::uint64_t word = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) word = word << 8 | from[i];
  return word;
}
#else
WDX_HD inline std::uint64_t load_word(unsigned char const* from, bool) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof(word));
  return __builtin_bswap64(word);
}
#endif

}  // namespace detail

/// @return the 8 bytes of a string from byte `at` on as a number whose most significant byte is the first. Bytes after
/// the end are 00, or FF if the tail is `ones`
WDX_HD inline std::uint64_t word_at(byte_key const& key, std::uint32_t at) {
  std::uint64_t const fill = key.behind == byte_key::tail::ones ? ~std::uint64_t{0} : 0;
  if (at >= key.size) return fill;
  std::uint32_t const left = key.size - at;
  if (left >= 8) return detail::load_word(key.data + at, at >= 3 && left >= 11);
  std::uint64_t word = fill;
  for (std::uint32_t i = 0; i < left; ++i) {
    word = word << 8 | key.data[at + i];
  }
  unsigned const free_bits = 64 - 8 * left;  // at least 8
  return word << free_bits | (fill >> (64 - free_bits));
}

/// @return the number of first bytes, up to `most`, in which two strings agree
WDX_HD inline std::uint32_t common_bytes(byte_key const& a, byte_key const& b, std::uint32_t from, std::uint32_t most) {
  for (std::uint32_t at = from; at < most; at += 8) {
    std::uint64_t const differ = word_at(a, at) ^ word_at(b, at);
    if (differ == 0) {
      if (most - at <= 8) break;
      continue;
    }
#if defined(__CUDA_ARCH__)
    auto const same = static_cast<std::uint32_t>(__clzll(static_cast<long long>(differ))) / 8;
#else
    auto const same = static_cast<std::uint32_t>(__builtin_clzll(differ)) / 8;
#endif
    return at + same < most ? at + same : most;
  }
  return most;
}

/// @param from a number of first bytes that are known to be equal
/// @return a negative number if `a` comes before `b`, 0 if they are equal, a positive number if `a` comes after `b`
WDX_HD inline int compare(byte_key const& a, byte_key const& b, std::uint32_t from = 0) {
  using tail = byte_key::tail;
  std::uint32_t const shorter = a.size < b.size ? a.size : b.size;
  std::uint32_t const same = common_bytes(a, b, from < shorter ? from : shorter, shorter);
  if (same < shorter) return a.data[same] < b.data[same] ? -1 : 1;
  if (a.size == b.size) return static_cast<int>(a.behind) - static_cast<int>(b.behind);
  bool const a_is_shorter = a.size < b.size;
  // Values, not references: those would keep both keys in memory.
  tail const behind_shorter = a_is_shorter ? a.behind : b.behind;
  int const a_first = a_is_shorter ? -1 : 1;  // the answer if the shorter one comes first
  if (behind_shorter == tail::none) return a_first;
  if (behind_shorter == tail::ones) return -a_first;
  unsigned char const* const longer = a_is_shorter ? b.data : a.data;
  if (longer[shorter] != 0 || (a_is_shorter ? b.size : a.size) > shorter + 1) return a_first;
  return (a_is_shorter ? b.behind : a.behind) == tail::none ? 0 : a_first;
}

/// @return whether `a` comes before `b`
WDX_HD inline bool operator<(byte_key const& a, byte_key const& b) { return compare(a, b) < 0; }
/// @return whether two strings and what follows them are the same key
WDX_HD inline bool operator==(byte_key const& a, byte_key const& b) {
  if (a.size != b.size && a.behind == b.behind) return false;
  return compare(a, b) == 0;
}
/// @return whether they are not
WDX_HD inline bool operator!=(byte_key const& a, byte_key const& b) { return !(a == b); }

/// Strings are their own codes.
WDX_HD inline byte_key encode(key_codec, byte_key key) { return key; }

/// @return the end of the strings that begin with `prefix`: all are in [prefix, prefix_end(prefix)]
WDX_HD inline byte_key prefix_end(byte_key prefix) {
  prefix.behind = byte_key::tail::ones;
  return prefix;
}

/// @return whether two bounds are a prefix and its end; one that was copied is not recognised
WDX_HD inline bool is_prefix_range(byte_key const& lower, byte_key const& upper) {
  return lower.data == upper.data && lower.size == upper.size && lower.behind == byte_key::tail::none &&
         upper.behind == byte_key::tail::ones;
}

/// The next possible key above another.
template <class Key> struct successor {
  Key key;      ///< the successor; of the largest number 0
  bool exists;  ///< whether there is one; the largest number has none
};
/// @return the next possible key

template <class Key> WDX_HD successor<Key> successor_of(Key key) {
  auto const next = static_cast<Key>(key + 1);
  return {next, next != 0};
}

/// The end of a prefix range is its own successor, because no string of an index equals it.
WDX_HD inline successor<byte_key> successor_of(byte_key key) {
  if (key.behind == byte_key::tail::none) key.behind = byte_key::tail::zero;
  else if (key.behind == byte_key::tail::open) key.behind = byte_key::tail::none;
  return {key, true};
}

/// Whether keys are byte strings, not numbers.
template <class Key> inline constexpr bool is_bytes = std::is_same_v<Key, byte_key>;

}  // namespace warpdex
