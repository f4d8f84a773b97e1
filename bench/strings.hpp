// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/data.hpp"
#include "bench/random.hpp"

#include <warpdex/column.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// @file
/// Key sets of byte strings. On the host they are views, which sort and compare as the library's strings do.
namespace warpdex::bench {

/// Strings that are functions of a seed and a counter.
///
///     random16   16 random bytes
///     decimal    a random number of 64 bits, without leading zeros
///     urls       48 bytes: https://www.HOST.com/SECTION/ID, with 3000 hosts and 32 sections
///     tuples     12 bytes: a date of 4 bytes, of 30 years, and 8 bytes of text, as `key_encoder` encodes the two
///     nested     chains of 9 keys, of 8 to 16 bytes, each the beginning of the next one
///     words      2 to 12 letters for up to 2^32 of them: a stem of syllables, which begins longer stems, and an ending
enum class string_shape { random16, decimal, urls, tuples, nested, words };

/// @return all names, with | between them
std::string string_shape_names();

std::optional<string_shape> string_shape_named(std::string_view name);

/// Makes the string of each number, and finds the number of a string.
class string_source {
 public:
  static constexpr std::size_t longest = 48;

  /// A string in its own memory.
  struct text {
    char bytes[longest];
    std::size_t size = 0;
    operator std::string_view() const noexcept { return {bytes, size}; }
  };

  string_source(string_shape shape, std::uint64_t seed) : shape_(shape), drawn_(permutation::from(0, 64, seed)) {}

  /// @return string number `element`; no two are equal
  text operator()(std::uint64_t element) const noexcept;

  /// @return the number of a string, if it is one of these
  std::optional<std::uint64_t> element_of(std::string_view string) const noexcept;

 private:
  /// @return the number, if its string is this one
  std::optional<std::uint64_t> verified(std::optional<std::uint64_t> element, std::string_view string) const noexcept;

  string_shape shape_;
  permutation drawn_;
};

/// A column of strings; row ids are positions. Generated strings are unique.
template <> class key_set<std::string_view> {
 public:
  /// @param n less than 2^32 @param misses number of strings that are no keys, for probes
  static key_set generate(string_shape shape, std::uint64_t n, std::uint64_t seed, std::uint64_t misses);
  /// @param keys strings with offsets of 64 bits, on the host
  /// @param misses as above; keys followed by zero bytes, which make them longer than any key
  /// @throws usage_error for 2^32 keys and more
  static key_set of_column(column keys, std::uint64_t misses);

  std::span<std::string_view const> keys() const noexcept { return strings_.first(size_); }
  std::span<std::string_view const> misses() const noexcept { return strings_.all().subspan(size_); }
  std::uint64_t size() const noexcept { return size_; }

  /// Whether keys are unique by construction and `row` may be called.
  bool generated() const noexcept { return source_.has_value(); }

  /// @return the row of a key, `missing` if there is none. Undoes the generator.
  std::uint32_t row(std::string_view key) const noexcept;

 private:
  template <class Make> void fill(std::uint64_t count, Make const& make);

  array<char> bytes_;
  array<std::string_view> strings_;  ///< keys, then misses
  std::uint64_t size_ = 0;
  std::optional<string_source> source_;
  std::optional<permutation> order_;  ///< from rows to numbers of strings
};

}  // namespace warpdex::bench
