// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace warpdex::cli {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

}  // namespace

output::output(std::string path) : path_(std::move(path)), target_(path_), buffer_(buffer_size) {
  if (path_.empty()) {
    file_ = STDOUT_FILENO;
    path_ = "standard output";
    return;
  }
  struct stat status {};
  bool const exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("cannot write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail("cannot write");
    return;
  }
  // A rename replaces what a name stands for, so a read-only file has to be refused by hand.
  if (exists && access(path_.c_str(), W_OK) != 0) fail("cannot write");
  open_temporary();
}

void output::open_temporary() {
  std::error_code ignored;
  if (auto const followed = std::filesystem::canonical(path_, ignored); !ignored) target_ = followed.string();
  temporary_ = target_ + ".XXXXXX";
  file_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (file_ < 0) {
    temporary_.clear();
    fail("cannot write");
  }
  // mkostemp grants access to the owner alone; a new file has what the umask leaves.
  mode_t const mask = umask(0);
  umask(mask);
  struct stat before {};
  mode_t const mode = stat(target_.c_str(), &before) == 0 ? before.st_mode & 07777 : 0666 & ~mask;
  if (fchmod(file_, mode) != 0) fail("cannot set permissions");
}

output::~output() {
  if (file_ >= 0 && file_ != STDOUT_FILENO) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
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
  if (file_ == STDOUT_FILENO) return;
  // The last chance of a network file system to report that the disk is full.
  if (close(std::exchange(file_, -1)) != 0) fail("cannot write");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot put the finished file in its place");
  temporary_.clear();
}

void output::write_out(char const* from, std::size_t bytes) {
  while (bytes > 0) {
    ssize_t const written = write(file_, from, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void output::fail(char const* what) const {
  throw io_error(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
}

}  // namespace warpdex::cli
