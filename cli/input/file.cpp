// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include "io/descriptor.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace warpdex::input {
namespace {

/// Bytes of the first piece of a file that does not tell its length.
constexpr std::size_t first_piece = std::size_t{1} << 16;

std::unique_ptr<char[]> memory_for(std::string const& path, std::size_t bytes) {
  try {
    return std::make_unique_for_overwrite<char[]>(bytes);
  } catch (std::bad_alloc const&) {
    throw out_of_memory(fmt::format("{}: no memory for {} bytes of it", path, bytes));
  }
}

}  // namespace

file_bytes::file_bytes(std::string path) : path_(std::move(path)) {
  io::descriptor const file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) io::fail_io(path_, "cannot open");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) io::fail_io(path_, "cannot inspect");
  if (S_ISDIR(status.st_mode)) throw io_error(path_ + ": is a directory");
  if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && isatty(file.get()) == 0))
    throw io_error(path_ + ": is a device; a file, a pipe or a terminal was expected");

  // Files of /proc report size 0 and still have content.
  auto const expected = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  std::size_t capacity = expected != 0 ? expected : first_piece;
  bytes_ = memory_for(path_, capacity);
  while (expected == 0 || size_ < expected) {
    if (size_ == capacity) {
      capacity *= 2;
      auto larger = memory_for(path_, capacity);
      std::memcpy(larger.get(), bytes_.get(), size_);
      bytes_ = std::move(larger);
    }
    ssize_t const got = read(file.get(), bytes_.get() + size_, capacity - size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) io::fail_io(path_, "cannot read");
    if (got == 0) break;
    size_ += static_cast<std::size_t>(got);
  }
  if (size_ < expected)
    throw io_error(fmt::format("{}: has become shorter while it was read: {} bytes of {}", path_, size_, expected));
}

void file_bytes::fail(std::string const& what) const { throw format_error(fmt::format("{}: {}", path_, what)); }

void file_bytes::fail_at(std::size_t offset, std::string const& what) const {
  std::size_t line = 1;
  for (char const* at = begin(); at < begin() + std::min(offset, size_); ++at) {
    // CR and LF together end one line; the LF counts.
    line += *at == '\n' || (*at == '\r' && (at + 1 == end() || at[1] != '\n')) ? 1 : 0;
  }
  throw format_error(fmt::format("{}:{}: {}", path_, line, what));
}

}  // namespace warpdex::input
