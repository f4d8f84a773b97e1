// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descriptor.hpp"

#include <warpdex/replacement.hpp>

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::tables {

/// @return whether both paths lead to the same existing file
bool is_same_file(std::string const& a, std::string const& b);

/// Checks the folder of a file to write. @throws io_error if it is not there, or takes no new file
void expect_writable(std::string const& path);

/// Where results go: standard output, or a file that appears under its name only when it is complete.
///
/// A regular file is made by a `replacement`. Without `commit` the path still leads to the previous file.
/// Devices and pipes are written in place.
class output {
 public:
  /// @param path empty for standard output
  /// @throws io_error naming the path and the system's reason
  explicit output(std::string path);

  output(output const&) = delete;
  output& operator=(output const&) = delete;

  output& operator<<(std::string_view text);
  output& operator<<(char c) { return *this << std::string_view(&c, 1); }
  output& operator<<(std::uint64_t number);

  /// Writes the rest and puts the file in its place. @throws io_error
  void commit();

 private:
  void write_out(char const* from, std::size_t bytes);

  std::string path_;  ///< as the user gave it, for messages
  std::optional<replacement> replacement_;
  descriptor device_{-1};     ///< a device or a pipe
  int file_ = STDOUT_FILENO;  ///< the descriptor of the two, if there is one
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace warpdex::tables
