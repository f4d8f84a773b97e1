// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>

/// @file
/// Rounds a value of one key type to the keys of another. All arithmetic is on integers, or exact, so CPU and GPU
/// agree.
namespace warpdex {

/// The keys next to a value. The bytes of a key are given as an unsigned number.
struct rounded_key {
  u128 below = 0;          ///< the largest key not above the value
  u128 above = 0;          ///< the smallest key not below the value
  bool has_below = false;  ///< whether `below` exists; it does not for a value below all keys
  bool has_above = false;  ///< whether `above` exists; it does not for a value above all keys
  bool exact = false;      ///< whether a key equals the value; this key is then both `below` and `above`
};

/// @return whether values of the two types have a common order. All numbers have one, and so have dates and timestamps,
/// and strings.
constexpr bool comparable(key_type a, key_type b) noexcept {
  auto const family = [](key_type type) {
    return type == key_type::bytes ? 2 : type == key_type::date || type == key_type::timestamp ? 1 : 0;
  };
  return family(a) == family(b);
}

namespace detail {

/// A number of any numeric type. Of its fraction only the existence is known, which suffices for rounding.
struct exact_number {
  bool negative = false;
  bool fraction = false;  ///< whether the magnitude exceeds `whole` (by less than 1)
  bool beyond = false;    ///< whether the magnitude is 2^128 or more; `whole` is then not set
  u128 whole = 0;         ///< the magnitude without its fraction
};

/// Layout of the IEEE types.
template <class Bits> struct real_format {
  static constexpr int digits = sizeof(Bits) == 4 ? 24 : 53;  ///< bits of the significand, the leading 1 included
  static constexpr int fraction_bits = digits - 1;
  static constexpr int bias = sizeof(Bits) == 4 ? 127 : 1023;
  static constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  static constexpr Bits infinity = static_cast<Bits>(sizeof(Bits) == 4 ? 0x7f800000ull : 0x7ff0000000000000ull);
};

/// @param bits the bytes of a float that is not NaN
template <class Bits> WDX_HD exact_number number_of_real(Bits bits) {
  using format = real_format<Bits>;
  Bits const magnitude = bits & static_cast<Bits>(~format::sign);
  exact_number number;
  number.negative = (bits & format::sign) != 0;
  int const exponent = static_cast<int>(magnitude >> format::fraction_bits);
  Bits const significand = (magnitude & ((Bits{1} << format::fraction_bits) - 1)) |
                           (exponent == 0 ? Bits{0} : Bits{1} << format::fraction_bits);
  int const shift = (exponent == 0 ? 1 : exponent) - format::bias - format::fraction_bits;
  if (shift >= 0) {
    number.beyond = shift + format::digits > 128;
    if (!number.beyond) number.whole = u128{significand} << shift;
  } else if (-shift > format::fraction_bits) {
    number.fraction = significand != 0;
  } else {
    number.whole = significand >> -shift;
    number.fraction = (significand & ((Bits{1} << -shift) - 1)) != 0;
  }
  return number;
}

/// @return the keys next to a number, where keys are the integers from `-lowest` to `highest`
WDX_HD inline rounded_key round_to_integer(exact_number const& number, u128 lowest, u128 highest) {
  rounded_key key;
  if (number.negative && (number.whole != 0 || number.fraction || number.beyond)) {
    bool const under = number.beyond || number.whole > lowest || (number.whole == lowest && number.fraction);
    key.has_above = true;
    key.above = u128{0} - (number.beyond || number.whole > lowest ? lowest : number.whole);
    key.has_below = !under;
    key.below = u128{0} - (number.fraction ? number.whole + 1 : number.whole);
    if (!key.has_below) key.below = 0;
  } else {
    bool const over = number.beyond || number.whole > highest || (number.whole == highest && number.fraction);
    key.has_below = true;
    key.below = number.beyond || number.whole > highest ? highest : number.whole;
    key.has_above = !over;
    key.above = over ? 0 : number.fraction ? number.whole + 1 : number.whole;
  }
  key.exact = key.has_below && key.has_above && key.below == key.above;
  return key;
}

/// @return the next float above or below another; both zeros count as one
template <class Bits> WDX_HD Bits next_real(Bits bits, bool up) {
  constexpr Bits below_zero = real_format<Bits>::sign - 1;  // the code that -0.0 would have
  Bits code = encode(key_codec::real, bits);
  code = up ? code + 1 : code - 1;
  if (code == below_zero) code = up ? code + 1 : code - 1;
  return decode(key_codec::real, code);
}

/// @param bits the float that equals the value, or one next to it
/// @param step 0 if the float equals the value, 1 if the value is larger, -1 if it is smaller
/// @return the floats next to the value
template <class Bits> WDX_HD rounded_key around_real(Bits bits, int step) {
  rounded_key key;
  key.exact = step == 0;
  key.has_below = key.has_above = true;
  key.below = step < 0 ? next_real(bits, false) : bits;
  key.above = step > 0 ? next_real(bits, true) : bits;
  return key;
}

/// @return the floats next to an integer
template <class Bits> WDX_HD rounded_key round_to_real(exact_number const& number) {
  using format = real_format<Bits>;
  int width = 0;
  while (width < 128 && number.whole >> width != 0) ++width;
  int const shift = width > format::digits ? width - format::digits : 0;
  auto const significand = static_cast<Bits>(number.whole >> shift);
  Bits bits = 0;
  if (significand != 0) {
    int const scale = format::digits - (width - shift);  // brings the leading 1 to its position
    bits = (static_cast<Bits>(significand << scale) & ((Bits{1} << format::fraction_bits) - 1)) |
           static_cast<Bits>(static_cast<Bits>(width - 1 + format::bias) << format::fraction_bits);
  }
  bool const cut = (u128{significand} << shift) != number.whole;
  if (number.negative) return around_real<Bits>(bits | format::sign, cut ? -1 : 0);
  return around_real<Bits>(bits, cut ? 1 : 0);
}

/// @return the f32 keys next to an f64
WDX_HD inline rounded_key round_to_f32(std::uint64_t bits) {
  constexpr std::uint64_t infinity = real_format<std::uint64_t>::infinity;
  auto const value = __builtin_bit_cast(double, bits);
  if ((bits & ~real_format<std::uint64_t>::sign) > infinity) return around_real(std::uint32_t{0x7fc00000}, 0);
  auto const nearest = static_cast<float>(value);
  auto const wide = static_cast<double>(nearest);
  return around_real(__builtin_bit_cast(std::uint32_t, nearest), wide == value ? 0 : wide < value ? 1 : -1);
}

constexpr std::int64_t microseconds_per_day = 86'400'000'000;

/// Rounds dates to timestamps and timestamps to dates.
/// @param value a number of days or of microseconds, depending on `from`
WDX_HD inline rounded_key round_in_calendar(key_type from, std::int64_t value, key_type to) {
  rounded_key key;
  key.has_below = key.has_above = true;
  std::int64_t below = value;
  std::int64_t above = value;
  if (from == key_type::timestamp && to == key_type::date) {
    std::int64_t const part = value % microseconds_per_day;
    below = value / microseconds_per_day - (part < 0 ? 1 : 0);
    above = below + (part != 0 ? 1 : 0);
  } else if (from == key_type::date && to == key_type::timestamp) {
    constexpr std::int64_t last = 0x7fffffffffffffff;
    constexpr std::int64_t last_day = last / microseconds_per_day;  // neither end of the type is a midnight
    key.has_below = value >= -last_day;
    key.has_above = value <= last_day;
    below = value > last_day ? last : key.has_below ? value * microseconds_per_day : 0;
    above = value < -last_day ? -last - 1 : key.has_above ? value * microseconds_per_day : 0;
  }
  key.exact = key.has_below && key.has_above && below == above;
  bool const narrow = to == key_type::date;
  auto const bytes = [narrow](std::int64_t number) -> u128 {
    return narrow ? static_cast<std::uint32_t>(number) : static_cast<std::uint64_t>(number);
  };
  key.below = bytes(below);
  key.above = bytes(above);
  return key;
}

WDX_HD inline exact_number number_of_signed(std::int64_t value) {
  auto const bits = static_cast<std::uint64_t>(value);
  exact_number number;
  number.negative = value < 0;
  number.whole = value < 0 ? std::uint64_t{0} - bits : bits;
  return number;
}

}  // namespace detail

/// @param bits the bytes of a value of type `from`, as an unsigned number
/// @param to a type that is comparable with `from`
/// @return the keys of type `to` next to the value. NaN is the largest float, equals every NaN, and is larger than all
/// integers. Both zeros are equal.
WDX_HD inline rounded_key round_key(key_type from, u128 bits, key_type to) {
  using namespace detail;
  auto const low = static_cast<std::uint64_t>(bits);
  auto const narrow = static_cast<std::uint32_t>(bits);
  if (from == to) return {bits, bits, true, true, true};
  if (from == key_type::date) return round_in_calendar(from, static_cast<std::int32_t>(narrow), to);
  if (from == key_type::timestamp) return round_in_calendar(from, static_cast<std::int64_t>(low), to);
  if (from == key_type::f64 && to == key_type::f32) return round_to_f32(low);

  exact_number number;
  bool nan = false;
  switch (from) {
    case key_type::i32: number = number_of_signed(static_cast<std::int32_t>(narrow)); break;
    case key_type::i64: number = number_of_signed(static_cast<std::int64_t>(low)); break;
    case key_type::f32:
      nan = (narrow & 0x7fffffff) > real_format<std::uint32_t>::infinity;
      if (to == key_type::f64) {
        auto const wide = static_cast<double>(__builtin_bit_cast(float, narrow));
        return around_real(nan ? std::uint64_t{0x7ff8000000000000} : __builtin_bit_cast(std::uint64_t, wide), 0);
      }
      number = number_of_real(narrow);
      break;
    case key_type::f64:
      nan = (low & 0x7fffffffffffffff) > real_format<std::uint64_t>::infinity;
      number = number_of_real(low);
      break;
    default: number.whole = bits;
  }
  if (nan) number = {false, false, true, 0};

  constexpr u128 one = 1;
  rounded_key key;
  switch (to) {
    case key_type::u32: return round_to_integer(number, 0, (one << 32) - 1);
    case key_type::u64: return round_to_integer(number, 0, (one << 64) - 1);
    case key_type::i32:
      key = round_to_integer(number, one << 31, (one << 31) - 1);
      key.below = static_cast<std::uint32_t>(key.below);
      key.above = static_cast<std::uint32_t>(key.above);
      return key;
    case key_type::i64:
      key = round_to_integer(number, one << 63, (one << 63) - 1);
      key.below = static_cast<std::uint64_t>(key.below);
      key.above = static_cast<std::uint64_t>(key.above);
      return key;
    case key_type::f32: return round_to_real<std::uint32_t>(number);
    case key_type::f64: return round_to_real<std::uint64_t>(number);
    default: return round_to_integer(number, 0, ~u128{0});
  }
}

}  // namespace warpdex
