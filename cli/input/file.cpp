// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpdex::input {
namespace {

[[noreturn]] void fail_io(std::string const& path, char const* what) {
  throw io_error(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

struct descriptor {
  int number;
  ~descriptor() { close(number); }
};

std::vector<char> read_all(int from, std::string const& path) {
  std::vector<char> bytes;
  for (std::size_t used = 0;;) {
    bytes.resize(std::max<std::size_t>(std::size_t{1} << 16, used * 2));
    while (used < bytes.size()) {
      ssize_t const got = read(from, bytes.data() + used, bytes.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_io(path, "cannot read");
      if (got == 0) {
        bytes.resize(used);
        return bytes;
      }
      used += static_cast<std::size_t>(got);
    }
  }
}

}  // namespace

file_bytes::file_bytes(std::string path) : path_(std::move(path)) {
  descriptor const file{open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) fail_io(path_, "cannot open");
  struct stat status {};
  if (fstat(file.number, &status) != 0) fail_io(path_, "cannot inspect");
  if (S_ISDIR(status.st_mode)) throw io_error(path_ + ": is a directory");
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    auto const bytes = static_cast<std::size_t>(status.st_size);
    void* const address = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address != MAP_FAILED) {
      madvise(address, bytes, MADV_WILLNEED);
      mapped_ = address;
      data_ = static_cast<char const*>(address);
      size_ = bytes;
      return;
    }
  }
  // Files of /proc say that they are empty and have content all the same.
  read_ = read_all(file.number, path_);
  data_ = read_.data();
  size_ = read_.size();
}

file_bytes::~file_bytes() {
  if (mapped_ != nullptr) munmap(mapped_, size_);
}

void file_bytes::fail(std::string const& what) const { throw format_error(fmt::format("{}: {}", path_, what)); }

void file_bytes::fail_at(std::size_t offset, std::string const& what) const {
  std::size_t line = 1;
  for (char const* at = begin(); at < begin() + std::min(offset, size_); ++at) {
    // CR and LF together end one line, the LF counts.
    line += *at == '\n' || (*at == '\r' && (at + 1 == end() || at[1] != '\n')) ? 1 : 0;
  }
  throw format_error(fmt::format("{}:{}: {}", path_, line, what));
}

}  // namespace warpdex::input
