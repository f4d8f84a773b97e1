// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpdex::input {

/// All bytes of an input file, mapped if it is a regular file and read otherwise (pipes, terminals).
/// A mapped file must not be cut short while it is in use.
class file_bytes {
 public:
  /// @throws io_error naming the path and the system's reason
  explicit file_bytes(std::string path);
  ~file_bytes();

  file_bytes(file_bytes const&) = delete;
  file_bytes& operator=(file_bytes const&) = delete;

  std::string const& path() const noexcept { return path_; }
  char const* begin() const noexcept { return data_; }
  char const* end() const noexcept { return data_ + size_; }
  std::size_t size() const noexcept { return size_; }

  /// Throws a format_error `path: what`.
  [[noreturn]] void fail(std::string const& what) const;

  /// Throws a format_error `path:line: what` for the line that holds byte `offset`. Lines end with LF, CRLF or CR.
  [[noreturn]] void fail_at(std::size_t offset, std::string const& what) const;

 private:
  std::string path_;
  std::vector<char> read_;
  void* mapped_ = nullptr;
  char const* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpdex::input
