// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpdex {

/// An index named by text, in the notation of the papers:
///
///     structure [ '(' argument {',' argument} ')' ] { '/' option '=' value }
///
///     AO+BS    EO+KS(9)    AO+PB+BS(levels=24)    AO+PB+KS(9)/layout=AoS/rows=u64    auto(ranges)
///
/// Parsing splits the text into words. Whether the structure exists (`canonical`), and what the words mean to it, is
/// checked when the spec is resolved (`resolve` in structures.hpp).
class spec {
 public:
  /// An argument or an option. The argument `9` has an empty name, `levels=24` has the name `levels`.
  struct word {
    std::string name;          ///< empty if the word is a value alone
    std::string value;         ///< as written
    std::size_t position = 0;  ///< offset in the text, for messages
  };

  /// Parses a spec. Upper and lower case are equal in structures, arguments and options.
  /// @throws spec_error with a copy of the text, a caret under the offending character, and the nearest known option
  /// if one is close
  spec(std::string_view text);
  /// Parses a spec, as above.
  /// @{
  spec(char const* text) : spec(std::string_view(text)) {}
  spec(std::string const& text) : spec(std::string_view(text)) {}
  /// @}

  /// Makes a spec of words that need no check: known names, and values without separators.
  spec(std::string structure, std::vector<word> arguments, std::vector<word> options);

  std::string const& text() const noexcept { return text_; }  ///< the text, as given or made
  /// The name as given, for example `AO+PB+KS`. In a `canonical` spec it is the registered name.
  std::string const& structure() const noexcept { return structure_; }
  std::vector<word> const& arguments() const noexcept { return arguments_; }  ///< the words between parentheses
  std::vector<word> const& options() const noexcept { return options_; }      ///< the words after slashes

  /// @return the named option or argument; null if the spec has none
  word const* option(std::string_view name) const noexcept;
  /// The same of arguments.
  word const* argument(std::string_view name) const noexcept;

  /// Throws a spec_error that shows the text, with a caret under `position`, and says `what`.
  [[noreturn]] void fail(std::size_t position, std::string const& what) const;

  /// @return the value of `w` as an unsigned number
  /// @throws spec_error if it is not a number, or is outside [lowest, highest]
  std::uint64_t number(word const& w, std::uint64_t lowest, std::uint64_t highest) const;

 private:
  std::string text_;
  std::string structure_;
  std::vector<word> arguments_;
  std::vector<word> options_;
};

}  // namespace warpdex
