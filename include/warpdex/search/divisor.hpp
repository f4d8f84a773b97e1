// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <bit>

namespace warpdex {

/// A number that is divided by often, and known at run time only: one multiplication and one shift a quotient, where a
/// GPU takes some twenty instructions for a division (Granlund and Montgomery, Division by invariant integers).
/// @tparam Integer of 32 or 64 bits, without a sign
template <class Integer> class divisor {
 public:
  divisor() = default;

  /// @param value one for which a multiplier of the same width is enough, as it is for 2^i, 2^i + 1 with i <= 5, and
  ///        the largest number; not for 7
  explicit divisor(Integer value)
      : value_(value), shift_(std::bit_width(static_cast<Integer>(value - 1)) - 1),
        multiplier_(static_cast<Integer>(((wide{1} << (bits + shift_)) + value - 1) / value)) {}

  WDX_HD operator Integer() const { return value_; }

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
