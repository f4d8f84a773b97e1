// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/round_key.hpp>

#include <cstdint>

/// @file
/// Distances between a probe and keys, which may be of another type than the probe.
namespace warpdex {

/// How distances are measured. Those of integers and of the calendar are exact; if a float is involved, they are f64.
enum class measure : std::uint8_t { integers, calendar, reals };

WDX_HD constexpr bool is_real(key_type type) { return codec_of(type) == key_codec::real; }

WDX_HD constexpr measure measure_of(key_type a, key_type b) {
  if (is_real(a) || is_real(b)) return measure::reals;
  return a == b                                       ? measure::integers
         : a == key_type::date || b == key_type::date ? measure::calendar
                                                      : measure::integers;
}

/// One of both numbers is 0, except that a limit may have both.
struct distance {
  u128 whole = 0;
  double real = 0;

  WDX_HD bool operator<(distance const& other) const {
    return whole != other.whole ? whole < other.whole : real < other.real;
  }
};

namespace detail {

WDX_HD inline double real_of(key_type type, u128 bits) {
  return with_key_type(type, [bits]<class Key>() {
    return static_cast<double>(__builtin_bit_cast(key_number<Key>, static_cast<code_of<Key>>(bits)));
  });
}

/// @return whether a value, which is no string, is NaN
WDX_HD inline bool is_nan(key_type type, u128 bits) {
  if (!is_real(type)) return false;
  double const number = real_of(type, bits);
  return number != number;
}

/// An integer of any type.
struct whole_number {
  bool negative;
  u128 magnitude;
};

/// @return an integer; a date in days or in microseconds
WDX_HD inline whole_number whole_of(key_type type, u128 bits, bool in_microseconds) {
  return with_key_type(type, [&]<class Key>() -> whole_number {
    if constexpr (codec_of(key_type_of<Key>()) == key_codec::flip_sign) {
      std::int64_t const number = static_cast<key_number<Key>>(bits);
      u128 const magnitude =
          number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
      bool const scaled = std::is_same_v<Key, date> && in_microseconds;
      return {number < 0, scaled ? magnitude * static_cast<std::uint64_t>(microseconds_per_day) : magnitude};
    } else {
      return {false, static_cast<code_of<Key>>(bits)};
    }
  });
}

}  // namespace detail

/// @return the distance of two values. NaN is at distance 0 from NaN, and further than anything from all others
WDX_HD inline distance distance_of(key_type a, u128 a_bits, key_type b, u128 b_bits) {
  distance found;
  measure const by = measure_of(a, b);
  if (by == measure::reals) {
    double const x = detail::real_of(a, a_bits);
    double const y = detail::real_of(b, b_bits);
    bool const x_is_number = x == x;
    if (x_is_number != (y == y)) found.whole = ~u128{0};
    else if (x_is_number && x != y) found.real = x < y ? y - x : x - y;
    return found;
  }
  detail::whole_number const x = detail::whole_of(a, a_bits, by == measure::calendar);
  detail::whole_number const y = detail::whole_of(b, b_bits, by == measure::calendar);
  if (x.negative == y.negative)
    found.whole = x.magnitude < y.magnitude ? y.magnitude - x.magnitude : x.magnitude - y.magnitude;
  else found.whole = x.magnitude > ~y.magnitude ? ~u128{0} : x.magnitude + y.magnitude;
  return found;
}

}  // namespace warpdex
