// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <bit>

namespace warpdex {

/// A divisor that is used often but known only at run time. A quotient takes one multiplication and one shift; a GPU
/// takes about twenty instructions for a plain division (Granlund and Montgomery, Division by invariant integers using
/// multiplication, PLDI 1994).
/// @tparam Integer unsigned, of 32 or 64 bits
template <class Integer> class divisor {
 public:
  divisor() = default;

  /// @param value a number for which a multiplier of the same width suffices. It does for 2^i, for 2^i + 1 with i <= 5,
  ///        and for the largest number. It does not for 7.
  explicit divisor(Integer value)
      : value_(value), shift_(static_cast<int>(std::bit_width(static_cast<Integer>(value - 1))) - 1),
        multiplier_(static_cast<Integer>(((wide{1} << (bits + shift_)) + value - 1) / value)) {}

  WDX_HD operator Integer() const { return value_; }  ///< the number it divides by

  friend WDX_HD Integer operator/(Integer dividend, divisor number) {
    return static_cast<Integer>(wide{dividend} * number.multiplier_ >> bits) >> number.shift_;
  }
  friend WDX_HD Integer operator%(Integer dividend, divisor number) {
    return dividend - dividend / number * number.value_;
  }

 private:
  static constexpr int bits = 8 * sizeof(Integer);
  using wide = std::conditional_t<bits == 32, std::uint64_t, u128>;

  Integer value_ = 0;
  int shift_ = 0;
  Integer multiplier_ = 0;
};

}  // namespace warpdex
