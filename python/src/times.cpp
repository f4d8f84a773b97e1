// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "times.hpp"

#include <warpdex/error.hpp>
#include <warpdex/range_aggregates.hpp>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "columns.hpp"
#include "gil.hpp"

namespace warpdex::python {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr i128 attoseconds = 1'000'000'000'000'000'000;  // of a second
constexpr i128 day = 86'400 * attoseconds;
constexpr std::int64_t most_months = 100'000'000'000'000'000;  // days of more may not fit 64 bits

/// A unit of NumPy's times.
struct time_unit {
  i128 size;  ///< in attoseconds, or in months
  bool is_months;
};

time_unit unit_named(std::string const& name, std::int64_t count) {
  for (auto const& [known, months] : {std::pair("Y", 12), {"M", 1}})
    if (name == known) return {i128{months} * count, true};
  for (auto const& [known, seconds] : {std::pair("W", 604'800), {"D", 86'400}, {"h", 3'600}, {"m", 60}, {"s", 1}})
    if (name == known) return {seconds * attoseconds * count, false};
  i128 size = attoseconds;
  for (char const* const known : {"ms", "us", "ns", "ps", "fs", "as"}) {
    size /= 1000;
    if (name == known) return {size * count, false};
  }
  throw type_error("'" + name + "' is no unit of times");
}

/// A time in another unit.
struct converted {
  i128 number = 0;       ///< the whole units not above it, or a limit
  bool inexact = false;  ///< whether it is between two units
  int beyond = 0;        ///< 1 above and -1 below all that the unit can hold
};

/// Numbers times a fraction, rounded down.
class scale {
 public:
  scale(i128 times, i128 over) {
    i128 a = times, b = over;
    while (b != 0) a = std::exchange(b, a % b);
    times_ = times / a;
    over_ = over / a;
    whole_ = times_ / over_;
    part_ = times_ % over_;
    inverse_ = 1 / static_cast<double>(over_);
    reach_ = over_ < highest >> 51 ? static_cast<std::int64_t>(over_) << 51 : highest;
  }

  /// The usual cases, in which 64 bits are enough.
  /// @return whether this is one
  bool quick(std::int64_t number, converted& to) const {
    if (over_ == 1) {
      std::int64_t moment = 0;
      if (whole_ > highest || __builtin_mul_overflow(number, static_cast<std::int64_t>(whole_), &moment)) return false;
      to = {moment, false, 0};
      return true;
    }
    if (times_ != 1 || over_ > highest) return false;
    auto const by = static_cast<std::int64_t>(over_);
    bool const is_near = number < reach_ && number > -reach_;
    std::int64_t found = is_near ? static_cast<std::int64_t>(static_cast<double>(number) * inverse_) : number / by;
    found -= number < 0;
    auto const product = [&] { return static_cast<std::uint64_t>(found) * static_cast<std::uint64_t>(by); };
    auto const rest = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - product());  // modulo 2^64
    found += (rest >= by) - (rest < 0);
    to = {found, product() != static_cast<std::uint64_t>(number), 0};
    return true;
  }

  /// Numbers beyond these limits become the limits.
  template <class Limits> converted operator()(i128 number, Limits const& limits) const {
    converted result;
    bool overflows = __builtin_mul_overflow(number, whole_, &result.number);
    if (part_ != 0) {
      i128 const part = number * part_, rest = part % over_;
      result.inexact = rest != 0;
      overflows |= __builtin_add_overflow(result.number, part / over_ - (rest < 0), &result.number);
    }
    if (overflows || result.number > limits.second || result.number < limits.first) {
      result = {number > 0 ? limits.second : limits.first, false, number > 0 ? 1 : -1};
    }
    return result;
  }

 private:
  i128 times_, over_;
  i128 whole_, part_;   // of the fraction
  double inverse_;      // floats divide faster than integers,
  std::int64_t reach_;  // and are one unit off at most for numbers below this
};

/// @return days from 1970 to the first day of a month, which is counted from 1970 on
converted days_of_month(i128 month) {
  if (month > most_months || month < -most_months) return {0, false, month > 0 ? 1 : -1};
  // Years begin in March, so that the leap day is at the end.
  i128 const shifted = month + 1970 * 12 - 2, year = (shifted - (shifted % 12 + 12) % 12) / 12;
  auto const floored = [](i128 of, int by) { return (of - (of % by + by) % by) / by; };
  i128 const in_year = (153 * (shifted - 12 * year) + 2) / 5;
  return {365 * year + floored(year, 4) - floored(year, 100) + floored(year, 400) + in_year - 719'468};
}

/// @return the month of a day
converted month_of_day(i128 of) {
  i128 const shifted = of + 719'468, era = (shifted - (shifted % 146'097 + 146'097) % 146'097) / 146'097;
  i128 const in_era = shifted - era * 146'097;
  i128 const year = (in_era - in_era / 1460 + in_era / 36'524 - in_era / 146'096) / 365;
  i128 const in_year = in_era - (365 * year + year / 4 - year / 100), month = (5 * in_year + 2) / 153;
  return {12 * (year + 400 * era) + month + 2 - 1970 * 12, in_year != (153 * month + 2) / 5};
}

/// Both conversions in turn.
template <class Limits> converted after(converted const& first, converted second, Limits const& limits) {
  if (first.beyond != 0) return {first.beyond > 0 ? limits.second : limits.first, false, first.beyond};
  second.inexact |= first.inexact;
  return second;
}

/// Calls `f` with each number in another unit.
template <class Limits, class F>
void convert(any_array const& numbers, time_unit const& from, time_unit const& to, Limits const& limits, F const& f) {
  constexpr std::pair<i128, i128> words{lowest, highest};
  auto const* const source = static_cast<std::int64_t const*>(numbers.data);
  auto const each = [&](auto const& make) {
    for (std::uint64_t i = 0; i < numbers.size; ++i) f(i, make(source[i]));
  };
  if (from.is_months == to.is_months)
    return each([&, by = scale(from.size, to.size)](std::int64_t number) {
      converted result;
      return by.quick(number, result) ? result : by(number, limits);
    });
  if (from.is_months)
    return each([&, to_months = scale(from.size, 1), by = scale(day, to.size)](i128 number) {
      auto const months = to_months(number, words);
      auto const days = after(months, days_of_month(months.number), words);
      return after(days, by(days.number, limits), limits);
    });
  each([&, to_days = scale(from.size, day), by = scale(1, to.size)](i128 number) {
    auto const days = to_days(number, words);
    auto const months = after(days, month_of_day(days.number), words);
    return after(months, by(months.number, limits), limits);
  });
}

/// @param numbers integers of 64 bits, in a unit of this name and count
/// @return them in another unit, which of them are between two of its units, and which are above (1) or below (-1) all
/// that 64 bits hold; the last two are None if there are none
nb::tuple times_in(nb::handle numbers, std::string const& unit, std::int64_t count, std::string const& own,
                   std::int64_t own_count) {
  auto const source = array_in(numbers);
  auto const from = unit_named(unit, count), to = unit_named(own, own_count);
  buffer result(source.size * sizeof(std::int64_t), on_host(0)), inexact(source.size, on_host(0)),
      beyond(source.size, on_host(0));
  bool any_inexact = false, any_beyond = false;
  {
    without_gil const free;
    convert(source, from, to, std::pair<i128, i128>(lowest, highest), [&](std::uint64_t i, converted const& value) {
      result.as<std::int64_t>()[i] = static_cast<std::int64_t>(value.number);
      inexact.as<bool>()[i] = value.inexact;
      beyond.as<std::int8_t>()[i] = static_cast<std::int8_t>(value.beyond);
      any_inexact |= value.inexact;
      any_beyond |= value.beyond != 0;
    });
  }
  nb::object between = nb::none(), outside = nb::none();
  if (any_inexact) between = array_of<bool>(std::move(inexact), source.size);
  if (any_beyond) outside = array_of<std::int8_t>(std::move(beyond), source.size);
  return nb::make_tuple(array_of<std::int64_t>(std::move(result), source.size), between, outside);
}

/// Times in a finer unit, counted from so long ago that numbers of 128 bits without a sign hold them in order.
nb::object wide_times_in(nb::handle numbers, std::string const& unit, std::int64_t count, std::string const& own,
                         std::int64_t own_count) {
  auto const source = array_in(numbers);
  auto const from = unit_named(unit, count), to = unit_named(own, own_count);
  constexpr i128 most = static_cast<i128>(~u128{0} >> 1);
  buffer result(2 * source.size * sizeof(std::uint64_t), on_host(0));
  auto* const halves = result.as<std::uint64_t>();
  convert(source, from, to, std::pair<i128, i128>(-most - 1, most), [&](std::uint64_t i, converted const& value) {
    auto const number = static_cast<u128>(value.number) + (u128{1} << 127);
    halves[2 * i] = static_cast<std::uint64_t>(number);
    halves[2 * i + 1] = static_cast<std::uint64_t>(number >> 64);
  });
  return array_of<std::uint64_t>(std::move(result), 2 * source.size).attr("reshape")(source.size, 2);
}

}  // namespace

void bind_times(nb::module_& m) {
  m.def("times_in", times_in, nb::arg("numbers"), nb::arg("unit"), nb::arg("count"), nb::arg("own"),
        nb::arg("own_count"));
  m.def("wide_times_in", wide_times_in, nb::arg("numbers"), nb::arg("unit"), nb::arg("count"), nb::arg("own"),
        nb::arg("own_count"));
}

}  // namespace warpdex::python
