// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "clients/encoder/places.hpp"
#include "io/file.hpp"

/// @file
/// The sections of files that hold the numbers of groups and keys: those of grouped indexes and of intervals.
namespace warpdex {

/// @return a copy in other memory
place_numbers copied(place_numbers const& from, execution const& exec);

/// Numbers of groups and keys as sections.
class place_sections {
 public:
  static constexpr char const* name = "numbers";

  /// @param numbers in host memory, where they stay
  explicit place_sections(place_numbers const& numbers);
  place_sections(place_sections const&) = delete;
  place_sections& operator=(place_sections const&) = delete;

  io::section numbers() const { return {name, &stored_, sizeof stored_}; }
  std::vector<io::section> const& lists() const { return lists_; }  ///< of values that are numbered by rank

  /// The section of numbers.
  struct stored {
    std::uint64_t group_type, smallest_group, last_group, key_type, smallest_key, last_key, key_bits;
  };

 private:
  void add(std::string const& list, std::optional<key_list> const& values);

  stored stored_;
  std::vector<io::section> lists_;
};

/// @return the numbers in a file, in host memory
/// @throws format_error
place_numbers numbers_in(io::file const& from);

/// Checks that each entry has the place of a group and a key.
/// @param section of the entries
/// @throws format_error
void expect_places(io::file const& from, char const* section, structure const& entries, place_coder const& coder,
                   execution const& exec);

}  // namespace warpdex
