// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "calendar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace warpdex::tables {
namespace {

constexpr std::int64_t days_per_era = 146097;       // 400 Gregorian years
constexpr std::int64_t epoch_in_era_days = 719468;  // from 0000-03-01 to 1970-01-01
constexpr std::int64_t microseconds_per_second = 1'000'000;
constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t microseconds_per_day = detail::microseconds_per_day;

template <class Integer> constexpr Integer floor_divide(Integer a, std::type_identity_t<Integer> b) {
  return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}

// Years begin in March here. That puts the leap day last and makes the lengths of months a linear formula.
constexpr std::int64_t days_of(std::int64_t year, int month, int day) {
  std::int64_t const shifted = month <= 2 ? year - 1 : year;
  std::int64_t const era = floor_divide(shifted, 400);
  std::int64_t const year_of_era = shifted - era * 400;
  std::int64_t const day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  std::int64_t const day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * days_per_era + day_of_era - epoch_in_era_days;
}

struct civil {
  std::int64_t year;
  int month;
  int day;
};

constexpr civil civil_of(std::int64_t days) {
  std::int64_t const shifted = days + epoch_in_era_days;
  std::int64_t const era = floor_divide(shifted, days_per_era);
  std::int64_t const day_of_era = shifted - era * days_per_era;
  std::int64_t const year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / (days_per_era - 1)) / 365;
  std::int64_t const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int const month_from_march = static_cast<int>((5 * day_of_year + 2) / 153);
  int const day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  int const month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

static_assert(days_of(1970, 1, 1) == 0 && days_of(2000, 2, 29) == 11016 && days_of(-1, 12, 31) == -719529);
static_assert(civil_of(11016).month == 2 && civil_of(11016).day == 29 && civil_of(-719529).year == -1);

constexpr int days_in_month(std::int64_t year, int month) {
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool const leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return lengths[month - 1] + (month == 2 && leap ? 1 : 0);
}

// Takes text from the front, piece by piece.
class scanner {
 public:
  explicit scanner(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}

  bool done() const { return next_ == end_; }
  char peek() const { return next_ == end_ ? '\0' : *next_; }
  bool take(char c) {
    if (next_ == end_ || *next_ != c) return false;
    ++next_;
    return true;
  }

  // Between `fewest` and `most` digits.
  bool number(int fewest, int most, std::int64_t& out, int* digits = nullptr) {
    out = 0;
    int taken = 0;
    while (taken < most && next_ != end_ && *next_ >= '0' && *next_ <= '9') {
      out = out * 10 + (*next_++ - '0');
      ++taken;
    }
    if (digits != nullptr) *digits = taken;
    return taken >= fewest;
  }

 private:
  char const* next_;
  char const* end_;
};

fault take_date(scanner& text, std::int64_t& days) {
  bool const negative = text.peek() == '-';
  bool const sign = text.take('-') || text.take('+');
  std::int64_t year = 0, month = 0, day = 0;
  if (!text.number(4, sign ? 7 : 4, year) || !text.take('-') || !text.number(2, 2, month) || !text.take('-') ||
      !text.number(2, 2, day)) {
    return fault::syntax;
  }
  if (negative) year = -year;
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, static_cast<int>(month))) {
    return fault::no_such_day;
  }
  days = days_of(year, static_cast<int>(month), static_cast<int>(day));
  return fault::none;
}

/// Takes `fewest` to `most` digits after a point, as a number of `most` digits.
bool take_decimals(scanner& text, int fewest, int most, std::int64_t& out) {
  int digits = 0;
  if (!text.number(fewest, most, out, &digits)) return false;
  for (; digits < most; ++digits) out *= 10;
  return true;
}

/// Takes `12:34:56.5`, seconds being optional, and adds it to a moment.
fault take_time(scanner& text, moment& out) {
  std::int64_t hours = 0, minutes = 0, seconds = 0, fraction = 0;
  if (!text.number(2, 2, hours) || !text.take(':') || !text.number(2, 2, minutes)) return fault::syntax;
  if (text.take(':')) {
    if (!text.number(2, 2, seconds)) return fault::syntax;
    if (text.take('.')) {
      if (!take_decimals(text, 1, 6, fraction) || !take_decimals(text, 0, 12, out.attoseconds)) return fault::syntax;
      for (std::int64_t digit = 0; text.number(1, 1, digit);) out.finer |= digit != 0;
    }
  }
  if (hours > 23 || minutes > 59 || seconds > 59) return fault::no_such_day;
  out.microseconds += ((hours * 60 + minutes) * 60 + seconds) * microseconds_per_second + fraction;
  return fault::none;
}

fault take_offset(scanner& text, std::int64_t& seconds) {
  seconds = 0;
  if (text.done() || text.take('Z') || text.take('z')) return fault::none;
  bool const negative = text.peek() == '-';
  if (!text.take('-') && !text.take('+')) return fault::syntax;
  std::int64_t hours = 0, minutes = 0;
  if (!text.number(2, 2, hours)) return fault::syntax;
  if (!text.done()) {
    text.take(':');
    if (!text.number(2, 2, minutes)) return fault::syntax;
  }
  if (hours > 23 || minutes > 59) return fault::no_such_day;
  seconds = (hours * 60 + minutes) * 60;
  if (negative) seconds = -seconds;
  return fault::none;
}

/// Writes a number of two digits.
char* put_two(int number, char* out) {
  out[0] = static_cast<char>('0' + number / 10);
  out[1] = static_cast<char>('0' + number % 10);
  return out + 2;
}

/// Writes two numbers of two digits, with a mark before each.
char* put_pair(char mark, int first, int second, char* out) {
  *out = mark;
  out = put_two(first, out + 1);
  *out = mark;
  return put_two(second, out + 1);
}

// Results hold many dates and times, and a call of fmt for each takes longer than the lookups.
char* format_civil(std::int64_t days, char* out) {
  civil const c = civil_of(days);
  if (c.year >= 0 && c.year <= 9999) {
    auto const year = static_cast<int>(c.year);
    return put_pair('-', c.month, c.day, put_two(year % 100, put_two(year / 100, out)));
  }
  return fmt::format_to(out, "{}{:04}-{:02}-{:02}", c.year < 0 ? '-' : '+', c.year < 0 ? -c.year : c.year, c.month,
                        c.day);
}

// The keys next to a value between two numbers. If the value is a number itself, both are equal to it.
template <class Integer> rounded_key locate_between(i128 below, i128 above) {
  constexpr i128 lowest = std::numeric_limits<Integer>::min();
  constexpr i128 highest = std::numeric_limits<Integer>::max();
  using bits = std::make_unsigned_t<Integer>;
  rounded_key key;
  key.has_below = below >= lowest;
  key.has_above = above <= highest;
  key.exact = key.has_below && key.has_above && below == above;
  key.below = static_cast<bits>(std::min(below, highest));
  key.above = static_cast<bits>(std::max(above, lowest));
  return key;
}

}  // namespace

fault parse_moment(std::string_view text, moment& out) noexcept {
  scanner rest(text);
  std::int64_t offset = 0;
  out = {};
  if (fault const f = take_date(rest, out.days); f != fault::none) return f;
  if (rest.done()) return fault::none;
  if (!rest.take('T') && !rest.take('t') && !rest.take(' ')) return fault::syntax;
  fault const time = take_time(rest, out);
  if (time == fault::syntax) return time;
  if (fault const f = take_offset(rest, offset); f != fault::none) return f;
  if (!rest.done()) return fault::syntax;
  out.microseconds -= offset * microseconds_per_second;
  return time;
}

fault parse_time_of_day(std::string_view text, moment& out) noexcept {
  scanner rest(text);
  out = {};
  fault const time = take_time(rest, out);
  return rest.done() ? time : fault::syntax;
}

rounded_key locate(moment const& value, key_type to) noexcept {
  std::int64_t const day = value.days + floor_divide(value.microseconds, microseconds_per_day);
  std::int64_t const in_day =
      value.microseconds - floor_divide(value.microseconds, microseconds_per_day) * microseconds_per_day;
  if (to == key_type::date)
    return locate_between<std::int32_t>(day, day + (in_day != 0 || value.has_fraction() ? 1 : 0));
  // Negative days with a positive time of day could overflow halfway, although the sum fits: move one day between them.
  std::int64_t const whole = day < 0 ? day + 1 : day;
  std::int64_t const part = day < 0 ? in_day - microseconds_per_day : in_day;
  std::int64_t below = 0;
  if (__builtin_mul_overflow(whole, microseconds_per_day, &below) || __builtin_add_overflow(below, part, &below)) {
    rounded_key key;
    (day < 0 ? key.has_above : key.has_below) = true;
    key.below = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    key.above = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
    return key;
  }
  rounded_key key = locate_between<std::int64_t>(below, below);
  if (value.has_fraction()) {
    key.exact = false;
    key.has_above = below != std::numeric_limits<std::int64_t>::max();
    key.above = static_cast<std::uint64_t>(below) + 1;
  }
  return key;
}

rounded_key locate(moment const& value, time_unit unit) noexcept {
  constexpr i128 far = i128{10} * attoseconds_per_second;  // more seconds than i64 counts in parts of them
  i128 const seconds = i128{value.days} * seconds_per_day + floor_divide(value.microseconds, microseconds_per_second);
  std::int64_t const in_second =
      value.microseconds - floor_divide(value.microseconds, microseconds_per_second) * microseconds_per_second;
  i128 const part = i128{in_second} * (attoseconds_per_second / microseconds_per_second) + value.attoseconds;
  i128 units = seconds;  // of the coarser one of unit and second
  i128 width = unit.attoseconds / attoseconds_per_second;
  bool whole = part == 0 && !value.finer;
  if (unit.attoseconds == 0) {
    i128 const day = floor_divide(seconds, seconds_per_day);
    civil const c = civil_of(static_cast<std::int64_t>(std::clamp(day, -far / 10, far / 10)));
    units = i128{c.year - 1970} * 12 + c.month - 1;
    width = unit.months;
    whole = whole && c.day == 1 && day * seconds_per_day == seconds;
  } else if (unit.attoseconds % attoseconds_per_second != 0) {
    units = std::clamp(seconds, -far, far) * attoseconds_per_second + part;
    width = unit.attoseconds;
    whole = !value.finer;
  }
  i128 const below = floor_divide(units, width);
  return locate_between<std::int64_t>(below, whole && below * width == units ? below : below + 1);
}

char* format_date(date value, char* out) noexcept { return format_civil(value.days, out); }

namespace {

/// Writes a time of day with a number of decimals.
char* format_time(std::int64_t seconds, std::int64_t attoseconds, int decimals, char* out) {
  out = put_two(static_cast<int>(seconds / 3600), out);
  out = put_pair(':', static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60), out);
  if (decimals == 0) return out;
  for (int digit = decimals; digit < 18; ++digit) attoseconds /= 10;
  return fmt::format_to(out, ".{:0{}}", attoseconds, decimals);
}

/// The decimals of a second that a unit has.
int decimals_of(time_unit unit) {
  int decimals = 0;
  for (i128 part = attoseconds_per_second; unit.attoseconds % part != 0; part /= 10) ++decimals;
  return decimals;
}

}  // namespace

char* format_timestamp(timestamp value, char* out) noexcept {
  std::int64_t const days = floor_divide(value.microseconds, microseconds_per_day);
  // The remainder by subtraction of a product would overflow near the lowest value.
  std::int64_t const remainder = value.microseconds % microseconds_per_day;
  std::int64_t const in_day = remainder < 0 ? remainder + microseconds_per_day : remainder;
  std::int64_t const fraction = in_day % microseconds_per_second;
  out = format_civil(days, out);
  *out++ = 'T';
  out = format_time(in_day / microseconds_per_second, fraction * (attoseconds_per_second / microseconds_per_second),
                    fraction != 0 ? 6 : 0, out);
  *out++ = 'Z';
  return out;
}

char* format_moment(std::int64_t units, time_unit unit, bool zoned, char* out) noexcept {
  constexpr std::int64_t most_years = 9'999'999;
  constexpr std::int64_t most_days = most_years * 365;
  i128 const months = i128{units} * unit.months;
  if (months > most_years * 12 || months < -most_years * 12) return nullptr;
  i128 const total = i128{units} * unit.attoseconds / attoseconds_per_second;
  if (total > i128{most_days} * seconds_per_day || total < -i128{most_days} * seconds_per_day) return nullptr;
  if (unit.attoseconds == 0) {
    auto const year = static_cast<std::int64_t>(floor_divide(months, 12));
    return format_civil(days_of(1970 + year, static_cast<int>(months - i128{year} * 12) + 1, 1), out);
  }
  i128 const seconds = floor_divide(i128{units} * unit.attoseconds, attoseconds_per_second);
  auto const days = static_cast<std::int64_t>(floor_divide(seconds, seconds_per_day));
  out = format_civil(days, out);
  if (unit.attoseconds % (i128{seconds_per_day} * attoseconds_per_second) == 0) return out;
  *out++ = 'T';
  auto const fraction = static_cast<std::int64_t>(i128{units} * unit.attoseconds - seconds * attoseconds_per_second);
  out =
      format_time(static_cast<std::int64_t>(seconds - i128{days} * seconds_per_day), fraction, decimals_of(unit), out);
  if (zoned) *out++ = 'Z';
  return out;
}

char* format_time_of_day(std::int64_t units, time_unit unit, char* out) noexcept {
  i128 const total = i128{units} * unit.attoseconds;
  if (unit.attoseconds == 0 || total < 0 || total >= i128{seconds_per_day} * attoseconds_per_second) return nullptr;
  return format_time(static_cast<std::int64_t>(total / attoseconds_per_second),
                     static_cast<std::int64_t>(total % attoseconds_per_second), decimals_of(unit), out);
}

}  // namespace warpdex::tables
