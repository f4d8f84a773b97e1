// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calendar.hpp"

#include <warpdex/column.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

/// @file
/// Single keys: from text, from numbers of another type, and to text.
namespace warpdex::input {

/// Reads one cell as a key of type `Key`; blanks around it are ignored. Decimals are read as the nearest
/// float. A decimal that is a whole number, such as `3.0`, is accepted as an integer up to 2^53, and a
/// timestamp at midnight as a date. What a u128 is read from, `parse_wide` tells (wide.hpp).
template <class Key> fault parse_key(std::string_view text, Key& out) noexcept;

/// A number of a binary file, before it takes the type of the keys.
using number = std::variant<std::uint64_t, std::int64_t, double, date, timestamp, u128>;

/// Stores a number as a key of the given type if that type holds exactly this value.
fault store_key(number const& value, key_type type, void* out) noexcept;

/// Bytes of scratch that `format_key` needs.
inline constexpr std::size_t key_text_size = 64;

/// @return the text of a key: dates in ISO form, floats with the fewest digits that read back the same, u128 in
/// hexadecimal
std::string_view format_key(key_type type, void const* key, std::span<char, key_text_size> scratch) noexcept;

/// @return what is wrong with a cell, for example `'5000000000' is outside u32 (0 to 4294967295)`
std::string describe(fault problem, std::string_view text, key_type type);

/// Finds the type of a column of text cells from its values, one cell after the other.
class type_finder {
 public:
  /// @return empty, or what is wrong with the cell
  std::string add(std::string_view text);

  /// @return empty, or why no type holds all the values
  std::string finish(key_type& type) const;

 private:
  enum class kind : unsigned char { integer, decimal, date, timestamp };
  std::string widen(std::string_view text);
  bool add_integer(std::string_view text);

  kind kind_ = kind::integer;
  bool first_ = true;
  bool beyond_integers_ = false;
  std::int64_t lowest_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace warpdex::input
