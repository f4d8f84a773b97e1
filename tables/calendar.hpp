// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/payload.hpp>
#include <warpdex/search/round_key.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// ISO 8601 dates and timestamps as text: proleptic Gregorian calendar, UTC inside.
namespace warpdex::tables {

/// Why a cell has no value.
enum class fault : unsigned char {
  none,
  missing,      ///< the cell says that there is none
  syntax,       ///< the text is no date or timestamp at all
  no_such_day,  ///< a date or a time of day that the calendar lacks
};

inline constexpr std::int64_t attoseconds_per_second = 1'000'000'000'000'000'000;

/// A moment at any distance: `microseconds` after the midnight that begins day `days`. Both may have any value of
/// either sign, and a fraction of a microsecond may come on top.
struct moment {
  std::int64_t days = 0;
  std::int64_t microseconds = 0;
  std::int64_t attoseconds = 0;  ///< fewer than a microsecond has
  bool finer = false;            ///< whether a fraction of an attosecond comes on top of these

  bool has_fraction() const noexcept { return attoseconds != 0 || finer; }
};

/// A unit of times that are integers: a number of attoseconds, or if that is 0 a number of months.
struct time_unit {
  i128 attoseconds = 0;
  std::int64_t months = 0;
};

/// Reads `2024-01-31T12:34:56.123456Z`; years outside 0000 to 9999 carry a sign and up to seven digits. A blank may
/// replace the T; seconds, fraction and offset (`Z`, `+02:00`, `+0200`, `+02`) may be left out, and no offset means
/// UTC. A date alone is its midnight.
fault parse_moment(std::string_view text, moment& out) noexcept;

/// @return the place of a moment among the keys of type `to`, date or timestamp
rounded_key locate(moment const& value, key_type to) noexcept;

/// @return the place of a moment among i64 keys, which count units from 1970 on
rounded_key locate(moment const& value, time_unit unit) noexcept;

/// Reads `12:34:56.5`, a time of day, as the moment of the first day of 1970; seconds may be left out.
fault parse_time_of_day(std::string_view text, moment& out) noexcept;

/// Longest text that the functions below write.
inline constexpr std::size_t calendar_text_size = 48;

/// Writes the ISO text of a date and returns the end. The text reads back as the same date for all
/// years of seven digits or fewer, which all values have.
char* format_date(date value, char* out) noexcept;

/// Writes the ISO text of a timestamp, with six decimals if there is a fraction, and returns the end.
char* format_timestamp(timestamp value, char* out) noexcept;

/// Writes the ISO text of a moment in units from 1970 on, with as many decimals as its unit has, and returns the end: a
/// date for units of days and more. Years of more than seven digits have no text that reads back; then it is null.
/// @param zoned whether Z follows
char* format_moment(std::int64_t units, time_unit unit, bool zoned, char* out) noexcept;

/// The same of a time of day, `12:34:56.5`; null if it is none.
char* format_time_of_day(std::int64_t units, time_unit unit, char* out) noexcept;

}  // namespace warpdex::tables
