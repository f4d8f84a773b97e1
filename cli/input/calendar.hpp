// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>

#include <cstdint>
#include <string_view>

/// @file
/// ISO 8601 dates and timestamps as text: proleptic Gregorian calendar, UTC inside.
namespace warpdex::input {

/// How a cell failed to become a key.
enum class fault : unsigned char {
  none,
  syntax,   ///< the text is nothing of the kind
  range,    ///< outside the values of the type
  inexact,  ///< between two values of the type
};

/// Reads `2024-01-31`; years outside 0000 to 9999 carry a sign and up to seven digits.
fault parse_date(std::string_view text, date& out) noexcept;

/// Reads `2024-01-31T12:34:56.123456Z`. A blank may stand for the T; seconds, fraction and offset (`Z`,
/// `+02:00`, `+0200`, `+02`) may be left out, and no offset means UTC. A date alone is its midnight.
/// Fractions finer than a microsecond are inexact.
fault parse_timestamp(std::string_view text, timestamp& out) noexcept;

/// Longest text that the functions below write.
inline constexpr std::size_t calendar_text_size = 48;

/// Writes the ISO text of a date and returns the end. The text reads back as the same date for all
/// years of seven digits or fewer, which all values have.
char* format_date(date value, char* out) noexcept;

/// Writes the ISO text of a timestamp, with six decimals if there is a fraction, and returns the end.
char* format_timestamp(timestamp value, char* out) noexcept;

}  // namespace warpdex::input
