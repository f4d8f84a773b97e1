// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace warpdex::tables {

/// Owns a file descriptor.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

  /// Closes the descriptor now, if there is one.
  /// @return false with errno set if the system reports a late failure
  bool close() noexcept { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Throws the io_error for a system call that failed.
[[noreturn]] inline void fail_io(std::string const& path, char const* what) {
  throw io_error(path + ": " + what + ": " + std::generic_category().message(errno));
}

}  // namespace warpdex::tables
