// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace warpdex::tables {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

}  // namespace

bool is_same_file(std::string const& a, std::string const& b) {
  std::error_code none;
  return std::filesystem::equivalent(a, b, none) && !none;
}

void expect_writable(std::string const& path) {
  replacement const tried(path);  // removed unless it is committed
}

output::output(std::string path) : path_(std::move(path)), buffer_(buffer_size) {
  if (path_.empty()) {
    path_ = "standard output";
    return;
  }
  struct stat status {};
  bool const in_place = stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  if (!in_place) {
    file_ = replacement_.emplace(path_).file();
    return;
  }
  device_ = descriptor(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!device_) fail_io(path_, "cannot write");
  file_ = device_.get();
}

output& output::operator<<(std::string_view text) {
  if (text.size() > buffer_.size() - used_) {
    write_out(buffer_.data(), std::exchange(used_, 0));
    if (text.size() > buffer_.size()) {
      write_out(text.data(), text.size());
      return *this;
    }
  }
  std::memcpy(buffer_.data() + used_, text.data(), text.size());
  used_ += text.size();
  return *this;
}

output& output::operator<<(std::uint64_t number) {
  fmt::format_int const text(number);
  return *this << std::string_view(text.data(), text.size());
}

void output::commit() {
  write_out(buffer_.data(), std::exchange(used_, 0));
  if (replacement_) replacement_->commit(replacement::durability::of_the_system);
  // Network file systems may report only now that the disk is full.
  if (device_ && !device_.close()) fail_io(path_, "cannot write");
}

void output::write_out(char const* from, std::size_t bytes) {
  while (bytes > 0) {
    ssize_t const written = write(file_, from, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(path_, "cannot write");
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace warpdex::tables
