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
  auto const narrow = static_cast<std::uint32_t>(bits);
  auto const low = static_cast<std::uint64_t>(bits);
  switch (type) {
    case key_type::f32: return static_cast<double>(__builtin_bit_cast(float, narrow));
    case key_type::f64: return __builtin_bit_cast(double, low);
    case key_type::u32: return narrow;
    case key_type::u64: return static_cast<double>(low);
    case key_type::u128: return static_cast<double>(bits);
    case key_type::i32:
    case key_type::date: return static_cast<std::int32_t>(narrow);
    default: return static_cast<double>(static_cast<std::int64_t>(low));
  }
}

/// An integer of any type.
struct whole_number {
  bool negative;
  u128 magnitude;
};

/// @return an integer; a date in days or in microseconds
WDX_HD inline whole_number whole_of(key_type type, u128 bits, bool in_microseconds) {
  auto const of_signed = [](std::int64_t number, std::int64_t unit) {
    auto const magnitude =
        number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    return whole_number{number < 0, u128{magnitude} * static_cast<std::uint64_t>(unit)};
  };
  switch (type) {
    case key_type::u32: return {false, static_cast<std::uint32_t>(bits)};
    case key_type::u64: return {false, static_cast<std::uint64_t>(bits)};
    case key_type::u128: return {false, bits};
    case key_type::i32: return of_signed(static_cast<std::int32_t>(bits), 1);
    case key_type::date: return of_signed(static_cast<std::int32_t>(bits), in_microseconds ? microseconds_per_day : 1);
    default: return of_signed(static_cast<std::int64_t>(bits), 1);
  }
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
