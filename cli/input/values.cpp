// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include "file.hpp"
#include "wide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

namespace warpdex::input {
namespace {

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

constexpr bool blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <std::floating_point Float> fault parse_decimal(std::string_view text, Float& out) {
  text = without_plus(text);
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (end != text.data() + text.size() || text.empty()) return fault::syntax;
  if (problem == std::errc::result_out_of_range) return fault::range;
  if (problem != std::errc()) return fault::syntax;
  // Some versions of from_chars return infinity for a number that is too large.
  if (std::isinf(out) && text.find_first_of("iI") == std::string_view::npos) return fault::range;
  return fault::none;
}

template <std::integral Integer> fault store_integer(double value, Integer& out) {
  if (std::isinf(value)) return fault::range;
  if (std::trunc(value) != value) return fault::inexact;  // NaN too
  if (value < static_cast<double>(std::numeric_limits<Integer>::lowest()) ||
      value > static_cast<double>(std::numeric_limits<Integer>::max())) {
    return fault::range;
  }
  if (std::abs(value) > largest_exact_integer) return fault::inexact;
  out = static_cast<Integer>(value);
  return fault::none;
}

template <std::integral Integer> fault parse_integer(std::string_view text, Integer& out) {
  std::string_view const digits = without_plus(text);
  char const* const last = digits.data() + digits.size();
  auto const [end, problem] = std::from_chars(digits.data(), last, out);
  if (problem == std::errc() && end == last) return fault::none;
  if (problem == std::errc::result_out_of_range && end == last) return fault::range;
  double value = 0;
  if (fault const f = parse_decimal(text, value); f != fault::none) return f;
  return store_integer(value, out);
}

fault parse_date_cell(std::string_view text, date& out) {
  if (parse_date(text, out) == fault::none) return fault::none;
  timestamp moment{};
  if (fault const f = parse_timestamp(text, moment); f != fault::none) return f;
  return store_key(moment, key_type::date, &out);
}

template <class Target> fault store_exact(std::uint64_t value, Target& out) {
  if constexpr (std::is_floating_point_v<Target>) {
    // bit_width returns an int or the type of its argument, by the version of the library.
    int const digits = static_cast<int>(std::bit_width(value)) - std::countr_zero(value);
    bool const exact = value == 0 || digits <= std::numeric_limits<Target>::digits;
    out = static_cast<Target>(value);
    return exact ? fault::none : fault::inexact;
  } else {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<Target>::max())) return fault::range;
    out = static_cast<Target>(value);
    return fault::none;
  }
}

template <class Target> fault store_exact(std::int64_t value, Target& out) {
  if (value >= 0) return store_exact(static_cast<std::uint64_t>(value), out);
  if constexpr (std::is_floating_point_v<Target>) {
    fault const f = store_exact(~static_cast<std::uint64_t>(value) + 1, out);
    out = -out;
    return f;
  } else {
    if (std::is_unsigned_v<Target> || value < static_cast<std::int64_t>(std::numeric_limits<Target>::min())) {
      return fault::range;
    }
    out = static_cast<Target>(value);
    return fault::none;
  }
}

template <class Target> fault store_exact(u128 value, Target& out) {
  if (value >> 64 == 0) return store_exact(static_cast<std::uint64_t>(value), out);
  out = static_cast<Target>(value);
  if constexpr (std::is_same_v<Target, u128>) return fault::none;
  else return std::is_floating_point_v<Target> ? fault::inexact : fault::range;
}

template <class Target> fault store_exact(double value, Target& out) {
  if constexpr (std::is_same_v<Target, float>) {
    if (std::abs(value) > std::numeric_limits<float>::max() && !std::isinf(value)) return fault::range;
    out = static_cast<float>(value);
    return std::isnan(value) || static_cast<double>(out) == value ? fault::none : fault::inexact;
  } else if constexpr (std::is_same_v<Target, double>) {
    out = value;
    return fault::none;
  } else if constexpr (std::is_same_v<Target, u128>) {
    std::uint64_t whole = 0;
    fault const f = store_integer(value, whole);
    out = whole;
    return f;
  } else {
    return store_integer(value, out);
  }
}

template <class Target> fault store_number(number const& value, void* out) {
  Target result{};
  fault const f = std::visit(
      [&](auto v) {
        if constexpr (std::is_class_v<decltype(v)>) return fault::syntax;  // dates and timestamps
        else return store_exact(v, result);
      },
      value);
  std::memcpy(out, &result, sizeof result);
  return f;
}

constexpr std::int64_t microseconds_per_day = 86'400'000'000;

fault store_date(number const& value, void* out) {
  if (auto const* const day = std::get_if<date>(&value)) {
    std::memcpy(out, day, sizeof *day);
    return fault::none;
  }
  auto const* const moment = std::get_if<timestamp>(&value);
  if (moment == nullptr) return fault::syntax;
  if (moment->microseconds % microseconds_per_day != 0) return fault::inexact;
  date const day{static_cast<std::int32_t>(moment->microseconds / microseconds_per_day)};
  std::memcpy(out, &day, sizeof day);
  return fault::none;
}

fault store_timestamp(number const& value, void* out) {
  timestamp moment{};
  if (auto const* const given = std::get_if<timestamp>(&value)) {
    moment = *given;
  } else if (auto const* const day = std::get_if<date>(&value)) {
    if (__builtin_mul_overflow(std::int64_t{day->days}, microseconds_per_day, &moment.microseconds)) {
      return fault::range;
    }
  } else {
    return fault::syntax;
  }
  std::memcpy(out, &moment, sizeof moment);
  return fault::none;
}

template <class T> T load(void const* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::string range_of(key_type type) {
  switch (type) {
    case key_type::u32: return fmt::format("0 to {}", std::numeric_limits<std::uint32_t>::max());
    case key_type::u64: return fmt::format("0 to {}", std::numeric_limits<std::uint64_t>::max());
    case key_type::i32:
      return fmt::format("{} to {}", std::numeric_limits<std::int32_t>::min(),
                         std::numeric_limits<std::int32_t>::max());
    case key_type::i64:
      return fmt::format("{} to {}", std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max());
    case key_type::f32: return fmt::format("up to {}", std::numeric_limits<float>::max());
    case key_type::f64: return fmt::format("up to {}", std::numeric_limits<double>::max());
    case key_type::date: return "days of the Gregorian calendar";
    case key_type::timestamp: return "moments of the Gregorian calendar within 292000 years of 1970";
    case key_type::u128: return fmt::format("0 to {}", std::numeric_limits<u128>::max());
  }
  return {};
}

char const* noun_of(key_type type) {
  switch (type) {
    case key_type::u32:
    case key_type::u64:
    case key_type::i32:
    case key_type::i64: return "an integer";
    case key_type::f32:
    case key_type::f64: return "a number";
    case key_type::date: return "a date such as 2024-01-31";
    case key_type::timestamp: return "a timestamp such as 2024-01-31T12:34:56Z";
    case key_type::u128: return "a UUID, an IPv6 address, a number or one in hexadecimal such as 0x1f";
  }
  return "";
}

char const* grain_of(key_type type) {
  switch (type) {
    case key_type::date: return "a whole day";
    case key_type::timestamp: return "a whole number of microseconds";
    case key_type::f32:
    case key_type::f64: return "exact";
    default: return "a whole number that doubles hold exactly";
  }
}

}  // namespace

template <class Key> fault parse_key(std::string_view text, Key& out) noexcept {
  text = trim(text);
  if constexpr (std::is_integral_v<Key>) return parse_integer(text, out);
  else if constexpr (std::is_floating_point_v<Key>) return parse_decimal(text, out);
  else if constexpr (std::is_same_v<Key, date>) return parse_date_cell(text, out);
  else if constexpr (std::is_same_v<Key, u128>) return parse_wide(text, out);
  else return parse_timestamp(text, out);
}

template fault parse_key(std::string_view, std::uint32_t&) noexcept;
template fault parse_key(std::string_view, std::uint64_t&) noexcept;
template fault parse_key(std::string_view, std::int32_t&) noexcept;
template fault parse_key(std::string_view, std::int64_t&) noexcept;
template fault parse_key(std::string_view, float&) noexcept;
template fault parse_key(std::string_view, double&) noexcept;
template fault parse_key(std::string_view, date&) noexcept;
template fault parse_key(std::string_view, timestamp&) noexcept;
template fault parse_key(std::string_view, u128&) noexcept;

fault store_key(number const& value, key_type type, void* out) noexcept {
  switch (type) {
    case key_type::u32: return store_number<std::uint32_t>(value, out);
    case key_type::u64: return store_number<std::uint64_t>(value, out);
    case key_type::i32: return store_number<std::int32_t>(value, out);
    case key_type::i64: return store_number<std::int64_t>(value, out);
    case key_type::f32: return store_number<float>(value, out);
    case key_type::f64: return store_number<double>(value, out);
    case key_type::date: return store_date(value, out);
    case key_type::timestamp: return store_timestamp(value, out);
    case key_type::u128: return store_number<u128>(value, out);
  }
  return fault::syntax;
}

std::string_view format_key(key_type type, void const* key, std::span<char, key_text_size> scratch) noexcept {
  char* const begin = scratch.data();
  char* end = begin;
  switch (type) {
    case key_type::u32: end = fmt::format_to(begin, "{}", load<std::uint32_t>(key)); break;
    case key_type::u64: end = fmt::format_to(begin, "{}", load<std::uint64_t>(key)); break;
    case key_type::i32: end = fmt::format_to(begin, "{}", load<std::int32_t>(key)); break;
    case key_type::i64: end = fmt::format_to(begin, "{}", load<std::int64_t>(key)); break;
    case key_type::f32: end = fmt::format_to(begin, "{}", load<float>(key)); break;
    case key_type::f64: end = fmt::format_to(begin, "{}", load<double>(key)); break;
    case key_type::date: end = format_date(load<date>(key), begin); break;
    case key_type::timestamp: end = format_timestamp(load<timestamp>(key), begin); break;
    case key_type::u128: end = format_wide(load<u128>(key), begin); break;
  }
  return {begin, end};
}

std::string describe(fault problem, std::string_view text, key_type type) {
  if (trim(text).empty()) return "empty cell";
  switch (problem) {
    case fault::range: return fmt::format("{} is outside {} ({})", in_quotes(text), to_string(type), range_of(type));
    case fault::inexact:
      return fmt::format("{} cannot be a key of type {}: it is not {}", in_quotes(text), to_string(type),
                         grain_of(type));
    default: return fmt::format("{} is not {} (the keys are {})", in_quotes(text), noun_of(type), to_string(type));
  }
}

bool type_finder::add_integer(std::string_view text) {
  std::string_view const digits = without_plus(text);
  char const* const last = digits.data() + digits.size();
  if (!digits.empty() && digits.front() == '-') {
    std::int64_t value = 0;
    auto const [end, problem] = std::from_chars(digits.data(), last, value);
    if (end != last || problem == std::errc::invalid_argument) return false;
    beyond_integers_ |= problem == std::errc::result_out_of_range;
    lowest_ = std::min(lowest_, value);
    return true;
  }
  std::uint64_t value = 0;
  auto const [end, problem] = std::from_chars(digits.data(), last, value);
  if (end != last || problem == std::errc::invalid_argument) return false;
  beyond_integers_ |= problem == std::errc::result_out_of_range;
  highest_ = std::max(highest_, value);
  return true;
}

std::string type_finder::widen(std::string_view text) {
  double decimal = 0;
  date day{};
  timestamp moment{};
  if (first_ || kind_ == kind::integer || kind_ == kind::decimal) {
    fault const f = parse_decimal(text, decimal);
    if (f == fault::range) return describe(f, text, key_type::f64);
    if (f == fault::none) {
      kind_ = kind::decimal;
      return {};
    }
  }
  if (first_ || kind_ == kind::date || kind_ == kind::timestamp) {
    fault const as_day = parse_date(text, day);
    fault const as_moment = parse_timestamp(text, moment);
    if (as_day == fault::none && (first_ || kind_ == kind::date)) {
      kind_ = kind::date;
      return {};
    }
    if (as_moment == fault::none) {
      kind_ = kind::timestamp;
      return {};
    }
    if (as_moment != fault::syntax) return describe(as_moment, text, key_type::timestamp);
  }
  u128 wide = 0;
  if (first_ && parse_wide(text, wide) == fault::none)
    return fmt::format("{} is a key of 16 bytes; --type u128 reads such columns", in_quotes(text));
  if (first_) return fmt::format("{} is not a number, a date or a timestamp", in_quotes(text));
  bool const numbers = kind_ == kind::integer || kind_ == kind::decimal;
  return fmt::format("{} is not a {}, as the cells above are", in_quotes(text),
                     numbers ? "number" : "date or timestamp");
}

std::string type_finder::add(std::string_view text) {
  text = trim(text);
  if (text.empty()) return "empty cell";
  std::string problem;
  if (kind_ != kind::integer || !add_integer(text)) {
    problem = widen(text);
  } else if (beyond_integers_) {
    problem = fmt::format("{} is outside all integer types{}; --type f64 reads it as a decimal", in_quotes(text),
                          text.front() == '-' ? "" : " but u128");
  }
  first_ = false;
  return problem;
}

std::string type_finder::finish(key_type& type) const {
  constexpr auto i32 = std::numeric_limits<std::int32_t>{};
  constexpr auto i64 = std::numeric_limits<std::int64_t>{};
  switch (kind_) {
    case kind::decimal: type = key_type::f64; return {};
    case kind::date: type = key_type::date; return {};
    case kind::timestamp: type = key_type::timestamp; return {};
    case kind::integer: break;
  }
  if (lowest_ >= 0) {
    type = highest_ <= std::numeric_limits<std::uint32_t>::max() ? key_type::u32 : key_type::u64;
  } else if (lowest_ >= i32.min() && highest_ <= static_cast<std::uint64_t>(i32.max())) {
    type = key_type::i32;
  } else if (highest_ <= static_cast<std::uint64_t>(i64.max())) {
    type = key_type::i64;
  } else {
    return fmt::format("no integer type holds both {} and {}; --type f64 reads them as decimals", lowest_, highest_);
  }
  return {};
}

}  // namespace warpdex::input
