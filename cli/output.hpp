// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/descriptor.hpp"
#include "io/replacement.hpp"

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::cli {

/// Where results go: standard output, or a file that appears under its name only when it is complete.
///
/// A regular file is made by `io::replacement`; without `commit` what was at the path before is still there.
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

  /// Writes what is left and puts the file in its place. @throws io_error
  void commit();

 private:
  void write_out(char const* from, std::size_t bytes);

  std::string path_;  ///< as the user gave it, for messages
  std::optional<io::replacement> replacement_;
  io::descriptor device_{-1};  ///< or pipe
  int file_ = STDOUT_FILENO;   ///< that of the two, if there is one
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace warpdex::cli
