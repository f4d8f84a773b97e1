// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/shapes.hpp"
#include "io/file.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// Index files taken apart, changed as a forger would, and put together again.
namespace warpdex::attack {

/// The content of an index file.
struct forgery {
  struct section {
    std::string name;
    std::vector<std::uint8_t> bytes;
  };

  explicit forgery(io::file const& from);

  /// Changes something at random. @return a name for the change
  std::string change(test::generator& random);

  /// Changes something in a section that is an index file. Before all other changes.
  /// @return a name for the change
  std::string change_part(test::generator& random);

  /// @return a file with this content, with right lengths, offsets and checksums
  std::vector<std::uint8_t> bytes() const;

  std::string spec;
  std::uint8_t keys;
  std::uint8_t rows;
  std::uint64_t size;
  std::vector<section> sections;

 private:
  void change_word(section& of, test::generator& random);
  void change_length(section& of, test::generator& random);
  void change_entries(test::generator& random);
  void change_sections(test::generator& random);
  void change_spec(test::generator& random);
};

/// Changes a few bytes near the beginning, where header and section table are.
/// @return a name for the change
std::string change_header(std::vector<std::uint8_t>& bytes, test::generator& random);

}  // namespace warpdex::attack
