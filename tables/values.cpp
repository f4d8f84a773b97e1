// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include "escape.hpp"
#include "wide.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

namespace warpdex::tables {
namespace {

constexpr bool blank(char c) { return c == ' ' || c == '\t'; }

// Floats represent all integers below this.
template <class Float>
constexpr Float exact_integers = static_cast<Float>(std::uint64_t{1} << std::numeric_limits<Float>::digits);

// from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

// A finite decimal number: 0.DIGITS * 10^point, without zeros at the ends of the digits.
struct decimal {
  bool negative = false;
  bool integer = false;  // written without point and exponent
  std::int64_t point = 0;
  std::string digits;
};

// The text is one that from_chars takes for a finite number.
decimal take_apart(std::string_view text) {
  constexpr std::int64_t far = std::int64_t{1} << 40;  // more digits than any text has
  decimal out;
  out.negative = text.starts_with('-');
  if (out.negative) text.remove_prefix(1);
  std::size_t const mantissa = std::min(text.find_first_of("eE"), text.size());
  std::size_t const point = std::min(text.find('.'), mantissa);
  out.integer = point == text.size();
  out.digits = text.substr(0, point);
  if (point != mantissa) out.digits += text.substr(point + 1, mantissa - point - 1);

  std::size_t const zeros = std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.digits.erase(0, zeros);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  if (out.digits.empty()) return out;
  std::int64_t exponent = 0;
  if (mantissa != text.size()) {
    std::string_view const digits = without_plus(text.substr(mantissa + 1));
    auto const problem = std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec;
    if (problem != std::errc()) exponent = digits.starts_with('-') ? -far : far;
  }
  out.point = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(zeros) + std::clamp(exponent, -far, far);
  return out;
}

// Returns a number below, at or above zero if the magnitude of `a` is less than, equal to or greater than that of `b`.
int compare_magnitudes(decimal const& a, decimal const& b) {
  if (a.point != b.point) return a.point < b.point ? -1 : 1;
  return a.digits.compare(b.digits);
}

rounded_key locate_real(double value, key_type type) {
  return round_key(key_type::f64, std::bit_cast<std::uint64_t>(value), type);
}

// The position of a value among integers: one whole number, or the two around it.
rounded_key locate_decimal(decimal const& value, key_type type) {
  u128 const most = value.negative ? u128{1} << 63 : ~u128{0};  // no integer key is farther from zero
  auto const whole_digits = static_cast<std::size_t>(std::clamp<std::int64_t>(value.point, 0, 40));
  u128 whole = 0;
  bool beyond = false;
  for (std::size_t i = 0; i < whole_digits; ++i) {
    unsigned const digit = i < value.digits.size() ? static_cast<unsigned>(value.digits[i] - '0') : 0;
    beyond |= __builtin_mul_overflow(whole, u128{10}, &whole) || __builtin_add_overflow(whole, u128{digit}, &whole);
  }
  auto const at = [&](u128 magnitude, bool outside) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (outside) return locate_real(value.negative ? -infinity : infinity, type);
    if (!value.negative) return round_key(key_type::u128, magnitude, type);
    return round_key(key_type::i64, static_cast<std::uint64_t>(u128{0} - magnitude), type);
  };
  rounded_key const near = at(whole, beyond || whole > most);
  if (whole_digits >= value.digits.size()) return near;
  rounded_key const far = at(whole + 1, beyond || whole >= most);
  rounded_key const& lower = value.negative ? far : near;
  rounded_key const& upper = value.negative ? near : far;
  return {lower.below, upper.above, lower.has_below, upper.has_above, false};
}

// The float that equals the text, or the floats on both sides of it.
template <std::floating_point Float> rounded_key locate_among(std::string_view text, bool is_finite) {
  using bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  using limits = std::numeric_limits<Float>;
  Float nearest = 0;
  auto const problem = std::from_chars(text.data(), text.data() + text.size(), nearest).ec;
  int step = 0;  // from there to the value
  if (problem == std::errc::result_out_of_range || (is_finite && std::isinf(nearest))) {
    decimal const value = take_apart(text);
    bool const huge = value.point > 0;
    nearest = std::copysign(huge ? limits::infinity() : Float{0}, value.negative ? Float{-1} : Float{1});
    step = huge == value.negative ? 1 : -1;
  } else if (is_finite && std::abs(nearest) >= exact_integers<Float>) {
    decimal const value = take_apart(text);
    char exact[limits::max_exponent10 + 2];
    char const* const end = std::to_chars(exact, std::end(exact), std::abs(nearest), std::chars_format::fixed, 0).ptr;
    if (value.integer) step = compare_magnitudes(value, take_apart({exact, end})) * (value.negative ? -1 : 1);
  }
  Float const below = step < 0 ? std::nextafter(nearest, -limits::infinity()) : nearest;
  Float const above = step > 0 ? std::nextafter(nearest, limits::infinity()) : nearest;
  return {std::bit_cast<bits>(below), std::bit_cast<bits>(above), true, true, step == 0};
}

fault locate_number(std::string_view text, key_type type, rounded_key& place) {
  text = without_plus(text);
  double value = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty() || problem == std::errc::invalid_argument) return fault::syntax;
  // Infinities and NaN are words. Some versions of from_chars also return infinity for a number that is too large.
  bool const is_finite = text.find_first_of("nN") == std::string_view::npos;
  if (type == key_type::f32) place = locate_among<float>(text, is_finite);
  else if (type == key_type::f64) place = locate_among<double>(text, is_finite);
  else place = is_finite ? locate_decimal(take_apart(text), type) : locate_real(value, type);
  return fault::none;
}

template <class T> T load(void const* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::string range_of(key_type type) {
  return with_key_type(type, [&]<class Key>() -> std::string {
    using limits = std::numeric_limits<Key>;
    if constexpr (std::is_same_v<Key, date>) return "days of the Gregorian calendar";
    else if constexpr (std::is_same_v<Key, timestamp>)
      return "moments of the Gregorian calendar within 292000 years of 1970";
    else if constexpr (std::is_floating_point_v<Key>) return fmt::format("up to {}", limits::max());
    else return fmt::format("{} to {}", limits::min(), limits::max());
  });
}

double real_of(key_type type, u128 bits) {
  if (type == key_type::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<double>(static_cast<std::uint64_t>(bits));
}

std::string smallest_of(key_type type) {
  return type == key_type::f32 ? fmt::format("from {}", std::numeric_limits<float>::denorm_min())
                               : fmt::format("from {}", std::numeric_limits<double>::denorm_min());
}

// In the order of `key_types`.
constexpr std::array<char const*, key_types.size()> nouns = {
    "an integer",
    "an integer",
    "an integer",
    "an integer",
    "a number",
    "a number",
    "a date such as 2024-01-31",
    "a timestamp such as 2024-01-31T12:34:56Z",
    "a UUID, an IP address, a number or one in hexadecimal such as 0x1f",
    "a string"};

char const* grain_of(key_type type) {
  switch (type) {
    case key_type::date: return "a whole day";
    case key_type::timestamp: return "a whole number of microseconds";
    default: return "a whole number";
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_null(std::string_view text) noexcept {
  text = trimmed(text);
  return text.empty() || (text.size() == 4 && ::strncasecmp(text.data(), "NULL", 4) == 0);
}

template <class Key> bool parse_key(std::string_view text, Key& out) {
  if constexpr (std::is_arithmetic_v<Key>) {
    text = without_plus(trimmed(text));
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem != std::errc() || end != text.data() + text.size()) return false;
    if constexpr (std::is_floating_point_v<Key>) return std::abs(out) < exact_integers<Key>;
    else return true;
  } else {
    rounded_key place;
    if (locate(text, detail::key_type_of<Key>(), place) != fault::none || !place.exact) return false;
    std::memcpy(&out, &place.below, sizeof out);
    return true;
  }
}

template bool parse_key(std::string_view, std::uint32_t&);
template bool parse_key(std::string_view, std::uint64_t&);
template bool parse_key(std::string_view, std::int32_t&);
template bool parse_key(std::string_view, std::int64_t&);
template bool parse_key(std::string_view, float&);
template bool parse_key(std::string_view, double&);
template bool parse_key(std::string_view, date&);
template bool parse_key(std::string_view, timestamp&);
template bool parse_key(std::string_view, u128&);

fault locate(std::string_view text, key_type type, rounded_key& place) {
  if (is_null(text)) return fault::missing;
  text = trimmed(text);
  if (type == key_type::date || type == key_type::timestamp) {
    moment value;
    fault const problem = parse_moment(text, value);
    if (problem == fault::none) place = locate(value, type);
    return problem;
  }
  if (type == key_type::u128 && parse_wide(text, place) == fault::none) return fault::none;
  fault const problem = locate_number(text, type, place);
  if (problem != fault::syntax) return problem;
  if (parse_hexadecimal(text, type, place) == fault::none) return fault::none;
  auto const address = type == key_type::u32 ? parse_ipv4(text) : std::nullopt;
  if (!address) return fault::syntax;
  place = round_key(key_type::u32, *address, type);
  return fault::none;
}

bool is_value(std::string_view text) {
  auto const reads_as = [&](key_type type) {
    rounded_key ignored;
    fault const problem = locate(text, type, ignored);
    return problem == fault::none || problem == fault::no_such_day;
  };
  return reads_as(key_type::f64) || reads_as(key_type::timestamp) || reads_as(key_type::u128);
}

std::string_view format_key(key_type type, void const* key, std::span<char, key_text_size> scratch) noexcept {
  char* const begin = scratch.data();
  if (type == key_type::bytes) return {begin, 0};
  char* const end = with_key_type(type, [&]<class Key>() -> char* {
    auto const value = load<Key>(key);
    if constexpr (std::is_same_v<Key, date>) return format_date(value, begin);
    else if constexpr (std::is_same_v<Key, timestamp>) return format_timestamp(value, begin);
    else if constexpr (std::is_same_v<Key, u128>) return format_wide(value, begin);
    else if constexpr (std::is_floating_point_v<Key>) return fmt::format_to(begin, "{}", value);
    else return std::to_chars(begin, begin + scratch.size(), value).ptr;
  });
  return {begin, end};
}

std::string describe(fault problem, std::string_view text, key_type type, rounded_key const& place) {
  std::string const shown = in_quotes(text);
  std::string_view const name = to_string(type);
  switch (problem) {
    case fault::missing: return trimmed(text).empty() ? "empty cell" : shown + " stands for no value";
    case fault::syntax:
      return fmt::format("{} is not {} (the keys are {})", shown, nouns[static_cast<std::size_t>(type)], name);
    case fault::no_such_day: return fmt::format("{}: there is no such day or time", shown);
    case fault::none: break;
  }
  if (type == key_type::f32 || type == key_type::f64) {
    double const below = real_of(type, place.below);
    double const above = real_of(type, place.above);
    if (below == 0 || above == 0) return fmt::format("{} is too small for {} ({})", shown, name, smallest_of(type));
    if (std::isfinite(below) && std::isfinite(above))
      return fmt::format("{} cannot be a key of type {}, which does not hold it exactly", shown, name);
  } else if (place.has_below && place.has_above) {
    return fmt::format("{} cannot be a key of type {}: it is not {}", shown, name, grain_of(type));
  }
  return fmt::format("{} is outside {} ({})", shown, name, range_of(type));
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
  bool const hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  auto const [end, problem] =
      std::from_chars(digits.data() + (hexadecimal ? 2 : 0), last, value, hexadecimal ? 16 : 10);
  if (end != last || problem == std::errc::invalid_argument) return false;
  beyond_integers_ |= problem == std::errc::result_out_of_range;
  highest_ = std::max(highest_, value);
  return true;
}

std::string type_finder::widen_to_calendar(std::string_view text, moment const& value) {
  bool const is_date = text.find(':') == std::string_view::npos && kind_ != kind::timestamp;
  key_type const type = is_date ? key_type::date : key_type::timestamp;
  rounded_key const place = locate(value, type);
  if (!place.exact) return describe(fault::none, text, type, place);
  kind_ = is_date ? kind::date : kind::timestamp;
  return {};
}

std::string type_finder::widen(std::string_view text) {
  rounded_key place;
  moment value;
  if (is_null(text)) return describe(fault::missing, text, key_type::f64, place);
  bool const numbers = kind_ == kind::integer || kind_ == kind::decimal;
  double plain = 0;
  bool const is_plain = numbers && parse_key(text, plain);  // nearly always succeeds, and is quicker than locating
  if (is_plain || (numbers && locate(text, key_type::f64, place) == fault::none)) {
    if (!is_plain && !place.exact) return describe(fault::none, text, key_type::f64, place);
    kind_ = kind::decimal;
    return {};
  }
  if (first_ || !numbers) {
    fault const problem = parse_moment(text, value);
    if (problem == fault::none) return widen_to_calendar(text, value);
    if (problem != fault::syntax) return describe(problem, text, key_type::timestamp, place);
  }
  if (first_ && parse_ipv4(text))
    return fmt::format("{} is an IPv4 address; --type u32 reads such columns, --type u128 also with IPv6 among them",
                       in_quotes(text));
  if (first_ && locate(text, key_type::u128, place) == fault::none)
    return fmt::format("{} is a key of 16 bytes; --type u128 reads such columns", in_quotes(text));
  constexpr char const* otherwise = "--type bytes reads any strings";
  if (first_) return fmt::format("{} is not a number, a date or a timestamp; {}", in_quotes(text), otherwise);
  return fmt::format("{} is not a {}, as the cells above are; {}", in_quotes(text),
                     numbers ? "number" : "date or timestamp", otherwise);
}

std::string type_finder::add(std::string_view text) {
  text = trimmed(text);
  std::string problem;
  if (kind_ != kind::integer || !add_integer(text)) {
    problem = widen(text);
  } else if (beyond_integers_) {
    problem = fmt::format("{} is outside all integer types{}", in_quotes(text),
                          text.front() == '-' ? "" : " but u128, which --type u128 reads");
  }
  first_ = false;
  return problem;
}

bool type_finder::merge(type_finder const& others) {
  if (others.first_) return true;
  auto const is_number = [](kind k) { return k == kind::integer || k == kind::decimal; };
  if (!first_ && is_number(kind_) != is_number(others.kind_)) return false;
  kind_ = first_ ? others.kind_ : std::max(kind_, others.kind_);
  first_ = false;
  beyond_integers_ |= others.beyond_integers_;
  lowest_ = std::min(lowest_, others.lowest_);
  highest_ = std::max(highest_, others.highest_);
  return true;
}

key_type type_finder::finish() const noexcept {
  constexpr auto i32 = std::numeric_limits<std::int32_t>{};
  constexpr auto i64 = std::numeric_limits<std::int64_t>{};
  switch (kind_) {
    case kind::decimal: return key_type::f64;
    case kind::date: return key_type::date;
    case kind::timestamp: return key_type::timestamp;
    case kind::integer: break;
  }
  if (lowest_ >= 0) return highest_ <= std::numeric_limits<std::uint32_t>::max() ? key_type::u32 : key_type::u64;
  if (lowest_ >= i32.min() && highest_ <= static_cast<std::uint64_t>(i32.max())) return key_type::i32;
  return highest_ <= static_cast<std::uint64_t>(i64.max()) ? key_type::i64 : key_type::f64;
}

}  // namespace warpdex::tables
