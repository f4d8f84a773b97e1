// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::cli {

/// Where results go: standard output, or a file that appears under its name only when it is complete.
///
/// A regular file is written under a temporary name in the same folder and renamed by `commit`; without
/// `commit` it is removed, and what was at the path before is still there. Devices and pipes are written
/// in place.
class output {
 public:
  /// @param path empty for standard output
  /// @throws io_error naming the path and the system's reason
  explicit output(std::string path);
  ~output();

  output(output const&) = delete;
  output& operator=(output const&) = delete;

  output& operator<<(std::string_view text);
  output& operator<<(char c) { return *this << std::string_view(&c, 1); }
  output& operator<<(std::uint64_t number);

  /// Writes what is left and puts the file in its place. @throws io_error
  void commit();

 private:
  void open_temporary();
  void write_out(char const* from, std::size_t bytes);
  [[noreturn]] void fail(char const* what) const;

  std::string path_;       ///< as the user gave it, for messages
  std::string target_;     ///< the same with links followed
  std::string temporary_;  ///< empty if the output is written in place
  int file_ = -1;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace warpdex::cli
