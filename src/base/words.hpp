// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

/// @file
/// Words of specs and other short texts. They are compared without regard to case, by the rules of the C locale,
/// whatever locale the process has set.
namespace warpdex {

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool is_printable(char c) noexcept { return c > ' ' && c < '\x7f'; }

/// @return a character as a message shows it: itself, or \xNN, which is four columns wide
std::string shown(char c);

/// @return the beginning of a text, as messages show it
std::string in_quotes(std::string_view text);

bool same_word(std::string_view a, std::string_view b) noexcept;

/// @return the words with commas between them
std::string listed(std::span<std::string_view const> words);

/// @return the text that a message adds after an unknown word: `; did you mean X?` with the nearest of `known`, or a
/// list of all if none is near
std::string hint(std::string_view unknown, std::span<std::string_view const> known);

}  // namespace warpdex
