// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/layout.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

/// @file
/// Rules for the texts in a file and for the names of files, for reader and writer.
namespace warpdex::io {

/// @return whether a section may have this name
inline bool valid_section_name(std::string_view name) noexcept {
  auto const letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() < section_name_bytes && letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.'; });
}

/// @return offset of the first character that no spec may contain, or the length of the text if there is none
inline std::size_t spec_prefix(std::string_view spec) noexcept {
  auto const bad = [](char c) { return c <= ' ' || c >= '\x7f'; };
  return static_cast<std::size_t>(std::find_if(spec.begin(), spec.end(), bad) - spec.begin());
}

/// @return the same of a note in the header, which may hold blanks
inline std::size_t note_prefix(std::string_view note) noexcept {
  auto const bad = [](char c) { return c < ' ' || c >= '\x7f'; };
  return static_cast<std::size_t>(std::find_if(note.begin(), note.end(), bad) - note.begin());
}

/// @return whether a file can hold a note; one in a section may have several lines
inline bool valid_note(std::string_view note) noexcept {
  auto const bad = [](char c) { return c != '\n' && note_prefix({&c, 1}) == 0; };
  return note.size() <= max_note_bytes && std::none_of(note.begin(), note.end(), bad);
}

/// Digits of the numbers in the names of files.
inline constexpr std::size_t number_digits = 16;

/// @return the number that such digits are; none for another text
inline std::optional<std::uint64_t> numbered(std::string_view digits) noexcept {
  if (digits.size() != number_digits || digits.find_first_not_of("0123456789abcdef") != digits.npos) return {};
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

}  // namespace warpdex::io
