// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace warpdex::io {

/// Owns a file descriptor.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

  /// Closes the descriptor now.
  /// @return false with errno set if the system reports a late failure
  bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// A regular file that is open to be read.
struct readable_file {
  descriptor file;
  std::uint64_t bytes;
};

/// Opens a file. Does not wait for the other end of a pipe.
/// @throws io_error if it cannot be opened, or is no regular file
readable_file open_to_read(std::filesystem::path const& path);

/// @throws io_error for a path with a zero byte, which names another file to the system
void expect_no_zero(std::filesystem::path const& path);

/// Writes bytes at a position of an open file. @param path for messages
/// @throws io_error
void write_at(int to, std::filesystem::path const& path, void const* data, std::uint64_t bytes, std::uint64_t offset);

/// Throws the io_error for a system call that failed with `error`.
[[noreturn]] inline void fail_io(std::filesystem::path const& path, char const* what, int error = errno) {
  throw io_error(fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(error)));
}

}  // namespace warpdex::io
