// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calendar.hpp"
#include "values.hpp"

#include <warpdex/column.hpp>

#include <span>
#include <string>
#include <string_view>

/// @file
/// How keys are written whose type does not tell it: times that are integers, UUIDs, addresses.
namespace warpdex::tables {

/// What the note of an index file says of its keys (docs/reference/format.md), or what texts of keys show.
class notation {
 public:
  /// As the type tells.
  notation() = default;

  /// What a note says of keys of a type. Of notes that say nothing of how keys are written, as the type tells.
  notation(std::string_view note, key_type type);

  /// The notation of a text that is a key of a type.
  static notation seen_in(std::string_view text, key_type type);

  bool is_plain() const noexcept { return kind_ == kind::plain; }
  bool is_moment() const noexcept { return kind_ == kind::moment; }
  bool is_time() const noexcept { return kind_ == kind::moment || kind_ == kind::time_of_day; }
  bool is_uuid() const noexcept { return kind_ == kind::uuid; }

  /// The note that says the same; empty for a plain one.
  std::string const& note() const noexcept { return note_; }

  /// Finds the place of a time among keys that are integers. @return `syntax` for other texts, and other notations
  fault locate(std::string_view text, rounded_key& place) const noexcept;

  /// The same of a time that is no text, for notations of moments.
  rounded_key locate(moment const& value) const noexcept { return tables::locate(value, unit_); }

  /// @return what a key is called in messages
  char const* noun() const noexcept;

  /// @return the text of a key, which reads back as that key
  std::string_view format(key_type type, void const* key, std::span<char, key_text_size> scratch) const noexcept;

 private:
  enum class kind : unsigned char { plain, moment, time_of_day, uuid, address };

  kind kind_ = kind::plain;
  bool zoned_ = false;
  time_unit unit_;
  std::string note_;
};

/// `parse_key` (values.hpp) of cells in a notation.
template <class Key> bool parse_key(std::string_view text, notation const& as, Key& out);

/// `locate` (values.hpp) of cells in a notation; integers are read too.
fault locate(std::string_view text, key_type type, notation const& as, rounded_key& place);

/// `describe` (values.hpp) of cells in a notation.
std::string describe(fault problem, std::string_view text, key_type type, notation const& as, rounded_key const& place);

/// @return whether 16 bytes are a UUID by its bits of variant and version, or by being all zeros or ones
bool is_uuid(std::string_view bytes) noexcept;

/// Reads a UUID of 36 letters as the 16 bytes that it denotes. @return false for any other text
bool parse_uuid(std::string_view text, std::span<char, 16> out) noexcept;

}  // namespace warpdex::tables
