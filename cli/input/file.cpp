// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

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

[[noreturn]] void fail_io(std::string const& path, char const* what) {
  throw io_error(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

/// Of what does not say how long it is.
constexpr std::size_t first_piece = std::size_t{1} << 16;

std::unique_ptr<char[]> memory_for(std::string const& path, std::size_t bytes) {
  try {
    return std::make_unique_for_overwrite<char[]>(bytes);
  } catch (std::bad_alloc const&) {
    throw out_of_memory(fmt::format("{}: no memory for {} bytes of it", path, bytes));
  }
}

struct descriptor {
  int number;
  ~descriptor() { close(number); }
};

}  // namespace

file_bytes::file_bytes(std::string path) : path_(std::move(path)) {
  descriptor const file{open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) fail_io(path_, "cannot open");
  struct stat status {};
  if (fstat(file.number, &status) != 0) fail_io(path_, "cannot inspect");
  if (S_ISDIR(status.st_mode)) throw io_error(path_ + ": is a directory");
  if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && isatty(file.number) == 0))
    throw io_error(path_ + ": is a device; a file, a pipe or a terminal was expected");

  // Files of /proc say that they are empty and have content all the same.
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
    ssize_t const got = read(file.number, bytes_.get() + size_, capacity - size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(path_, "cannot read");
    if (got == 0) break;
    size_ += static_cast<std::size_t>(got);
  }
  if (size_ < expected)
    throw io_error(fmt::format("{}: has become shorter while it was read: {} bytes of {}", path_, size_, expected));
}

void file_bytes::fail(std::string const& what) const { throw format_error(fmt::format("{}: {}", path_, what)); }

void file_bytes::fail_at(std::size_t offset, std::string const& what) const {
  auto const line = 1 + std::count(begin(), begin() + std::min(offset, size_), '\n');
  throw format_error(fmt::format("{}:{}: {}", path_, line, what));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown = 60;
  std::string out = "'";
  for (char const c : text.substr(0, shown)) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '\t') out += "\\t";
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (byte < 0x20 || byte == 0x7f) out += fmt::format("\\x{:02x}", byte);
    else out += c;
  }
  if (text.size() <= shown) return out + "'";
  while ((static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();  // a UTF-8 sequence cut in two
  if ((static_cast<unsigned char>(out.back()) & 0xc0) == 0xc0) out.pop_back();
  return fmt::format("{}...' ({} bytes)", out, text.size());
}

}  // namespace warpdex::input
