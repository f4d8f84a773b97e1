// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calendar.hpp"

#include <warpdex/column.hpp>
#include <warpdex/search/round_key.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// @file
/// Single cells of text as keys or values, and keys as text.
namespace warpdex::tables {

/// @return the text without blanks around it
std::string_view trimmed(std::string_view text) noexcept;

/// @return whether a cell says that it has no value: it is empty or blank, or NULL in any case
bool is_null(std::string_view text) noexcept;

/// Reads a cell that is a key of type `Key` in its usual spelling; blanks around it are ignored.
/// @return false if the cell is anything else; `locate` tells more, and knows all spellings
template <class Key> bool parse_key(std::string_view text, Key& out);

/// Finds the place of a cell's value among the keys of a type; blanks around it are ignored. Numbers are exact, such as
/// 3.0 or 1e3 among integers. Only floats read decimals as the nearest float, but even there integers are exact.
/// Numbers may be hexadecimal, as in 0x1f, and IPv4 addresses are u32. A timestamp is accepted for a date, and a date
/// for its midnight. u128 are what `parse_wide` reads (wide.hpp) and numbers.
/// @param place set if the result is `fault::none`
fault locate(std::string_view text, key_type type, rounded_key& place);

/// @return whether a text reads as a value of some type, so it is hardly the name of a column
bool is_value(std::string_view text);

/// Bytes of scratch that `format_key` needs.
inline constexpr std::size_t key_text_size = 64;

/// @return the text of a number: dates in ISO form, floats with the fewest digits that read back the same, u128 in
/// hexadecimal
std::string_view format_key(key_type type, void const* key, std::span<char, key_text_size> scratch) noexcept;

/// @param place position of the value, if the cell has one that is no key of the type
/// @return what is wrong with a cell, for example `'5000000000' is outside u32 (0 to 4294967295)`
std::string describe(fault problem, std::string_view text, key_type type, rounded_key const& place);

/// Infers the type of a column from its text cells, one cell after the other.
class type_finder {
 public:
  /// @return empty, or what is wrong with the cell
  std::string add(std::string_view text);

  /// Takes the cells that another finder took without a problem. @return false if the kinds of values differ
  bool merge(type_finder const& others);

  /// @return the type of the values. f64 is also that of integers that no integer type holds together; it may not hold
  /// all of them exactly
  key_type finish() const noexcept;

 private:
  enum class kind : unsigned char { integer, decimal, date, timestamp };
  std::string widen(std::string_view text);
  std::string widen_to_calendar(std::string_view text, moment const& value);
  bool add_integer(std::string_view text);

  kind kind_ = kind::integer;
  bool first_ = true;
  bool beyond_integers_ = false;
  std::int64_t lowest_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace warpdex::tables
