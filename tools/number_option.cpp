// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/number_option.hpp"

#include "tools/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace warpdex {
namespace {

bool read_digits(std::string_view text, std::uint64_t& value) {
  auto const [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && stop == text.data() + text.size();
}

}  // namespace

std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t lowest,
                           std::uint64_t highest) {
  auto const refuse = [&] {
    throw usage_error(fmt::format("{} {}: expected a number from {} to {}, such as 1000000, 1M or 2^20", option, text,
                                  lowest, highest));
  };
  auto const times_power = [&](std::uint64_t value, std::uint64_t base, std::uint64_t exponent) {
    if (exponent > 64) refuse();
    for (std::uint64_t i = 0; i < exponent; ++i)
      if (__builtin_mul_overflow(value, base, &value)) refuse();
    return value;
  };
  std::string digits(text);
  std::erase(digits, '_');
  std::uint64_t thousands = 0;
  if (!digits.empty()) thousands = std::string_view("KMG").find(digits.back() & ~0x20) + 1;  // either case
  if (thousands != 0) digits.pop_back();
  std::uint64_t value = 0, exponent = 0;
  if (auto const sign = digits.find_first_of("^e"); sign == std::string::npos) {
    if (!read_digits(digits, value)) refuse();
  } else {
    std::string_view const all = digits;
    if (!read_digits(all.substr(0, sign), value) || !read_digits(all.substr(sign + 1), exponent)) refuse();
    value = all[sign] == '^' ? times_power(1, value, exponent) : times_power(value, 10, exponent);
  }
  value = times_power(value, 1000, thousands);
  if (value < lowest || value > highest) refuse();
  return value;
}

}  // namespace warpdex
