// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#if !defined(__CUDA_ARCH__)
#include <cstring>
#endif

/// @file
/// Order-preserving codecs between the public key types and the u32, u64 and u128 that indexes hold.
///
///   u32 u64 u128                   themselves
///   i32 i64 date timestamp         sign bit flipped
///   f32 f64                        negative: all bits flipped; else: sign bit set
///                                  -0.0 becomes +0.0; every NaN becomes all ones, after +infinity
namespace warpdex {

/// How the bits of a key become an unsigned number, and back; the table above has what each does.
enum class key_codec : std::uint8_t { identity, flip_sign, real };

/// @return the codec of a key type; of `bytes` it has no meaning
WDX_HD constexpr key_codec codec_of(key_type type) noexcept {
  return with_key_type(type, [&]<class Key>() {
    using number = key_number<Key>;
    if constexpr (std::is_floating_point_v<number>) return key_codec::real;
    else return static_cast<number>(-1) > number{} ? key_codec::identity : key_codec::flip_sign;
  });
}

/// @param bits the key's bytes as an unsigned number of the same width
/// @return the unsigned number that represents the key and has the same place in the order
template <class Bits> WDX_HD Bits encode(key_codec codec, Bits bits) {
  constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  if (codec == key_codec::identity) return bits;
  if (codec == key_codec::flip_sign) return bits ^ sign;
  constexpr Bits infinity = static_cast<Bits>(sizeof(Bits) == 4 ? 0x7f800000ull : 0x7ff0000000000000ull);
  Bits const magnitude = bits & static_cast<Bits>(~sign);
  if (magnitude > infinity) return static_cast<Bits>(-1);
  if (magnitude == 0) return sign;
  return bits & sign ? static_cast<Bits>(~bits) : bits | sign;
}

namespace detail {
template <std::size_t Bytes> struct bits_of_size;
template <> struct bits_of_size<4> { using type = std::uint32_t; };
template <> struct bits_of_size<8> { using type = std::uint64_t; };
template <> struct bits_of_size<16> { using type = u128; };
}  // namespace detail

/// Type of the unsigned number that represents a public key in an index. Searches over views take these numbers.
template <class Key> using code_of = typename detail::bits_of_size<sizeof(Key)>::type;

/// @return the number that a search over a view takes for `key`, for example find(view, encode(-2.5))
template <class Key> WDX_HD code_of<Key> encode(Key key) {
  return encode(codec_of(detail::key_type_of<Key>()), __builtin_bit_cast(code_of<Key>, key));
}

/// The inverse of `encode`, except for the signs of zeros and the bits of NaNs.
template <class Bits> WDX_HD Bits decode(key_codec codec, Bits code) {
  constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  if (codec == key_codec::identity) return code;
  if (codec == key_codec::flip_sign) return code ^ sign;
  constexpr Bits quiet_nan = static_cast<Bits>(sizeof(Bits) == 4 ? 0x7fc00000ull : 0x7ff8000000000000ull);
  if (code == static_cast<Bits>(-1)) return quiet_nan;
  return code & sign ? code ^ sign : static_cast<Bits>(~code);
}

/// @return whether some key has the code `code`
template <class Bits> WDX_HD bool is_code(key_codec codec, Bits code) {
  return encode(codec, decode(codec, code)) == code;
}

/// Reads element `i` of an array. On the host the array may be misaligned.
template <class T> WDX_HD T load_element(void const* array, std::uint64_t i) {
#if defined(__CUDA_ARCH__)
  return static_cast<T const*>(array)[i];
#else
  T value;
  std::memcpy(&value, static_cast<char const*>(array) + i * sizeof(T), sizeof(T));
  return value;
#endif
}

/// Writes element `i` of an array. On the host the array may be misaligned.
template <class T> WDX_HD void store_element(void* array, std::uint64_t i, T value) {
#if defined(__CUDA_ARCH__)
  static_cast<T*>(array)[i] = value;
#else
  std::memcpy(static_cast<char*>(array) + i * sizeof(T), &value, sizeof(T));
#endif
}

}  // namespace warpdex
