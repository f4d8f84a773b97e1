// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include "crew.hpp"
#include "gzip.hpp"
#include "io/descriptor.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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

/// @return standard input for `-`, which can be read once
io::descriptor open_input(std::string const& path) {
  if (path != "-") return io::descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  static std::atomic<bool> was_read{false};
  if (was_read.exchange(true)) throw io_error("-: standard input was read already; it can be read once only");
  return io::descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
}

/// @return what the system says of an open file. @throws io_error for what cannot be read to its end
struct stat inspect(std::string const& path, io::descriptor const& file) {
  if (!file) io::fail_io(path, "cannot open");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) io::fail_io(path, "cannot inspect");
  if (S_ISDIR(status.st_mode)) throw io_error(path + ": is a directory");
  // /dev/null is a device that ends at once, and standard input may be it.
  bool const is_endless = S_ISCHR(status.st_mode) && isatty(file.get()) == 0 && path != "-";
  if (S_ISBLK(status.st_mode) || is_endless)
    throw io_error(path + ": is a device; a file, a pipe or a terminal was expected");
  return status;
}

/// Reads `most` bytes or up to the end. @return how many there were
std::size_t read_some(std::string const& path, io::descriptor const& file, char* to, std::size_t most) {
  std::size_t size = 0;
  while (size < most) {
    ssize_t const got = read(file.get(), to + size, most - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) io::fail_io(path, "cannot read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

/// Reads a file of a known size, large ones in pieces that several threads read. @return how many bytes there were
std::size_t read_known(std::string const& path, io::descriptor const& file, char* to, std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  if (size <= piece) return read_some(path, file, to, size);
  std::atomic<std::size_t> got{0};
  std::atomic<int> problem{0};
  run_parts((size + piece - 1) / piece, 0, [&](std::size_t i) {
    std::size_t const end = std::min(size, (i + 1) * piece);
    for (std::size_t at = i * piece; at < end;) {
      ssize_t const some = pread(file.get(), to + at, end - at, static_cast<off_t>(at));
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) problem = errno;
      if (some <= 0) return;
      at += static_cast<std::size_t>(some);
      got += static_cast<std::size_t>(some);
    }
  });
  errno = problem;
  if (problem != 0) io::fail_io(path, "cannot read");
  return got;
}

}  // namespace

file_bytes::file_bytes(std::string path) : path_(std::move(path)) {
  io::descriptor const file = open_input(path_);
  struct stat const status = inspect(path_, file);
  // Files of /proc report size 0 and still have content.
  auto const expected = S_ISREG(status.st_mode) && path_ != "-" ? static_cast<std::size_t>(status.st_size) : 0;
  std::size_t capacity = expected != 0 ? expected : first_piece;
  bytes_ = memory_for(path_, capacity);
  size_ =
      expected != 0 ? read_known(path_, file, bytes_.get(), capacity) : read_some(path_, file, bytes_.get(), capacity);
  while (expected == 0 && size_ == capacity) {
    auto larger = memory_for(path_, 2 * capacity);
    std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    size_ += read_some(path_, file, bytes_.get() + size_, capacity);
    capacity *= 2;
  }
  if (size_ < expected)
    throw io_error(fmt::format("{}: has become shorter while it was read: {} bytes of {}", path_, size_, expected));
  if (is_gzip({bytes_.get(), size_})) {
    auto unpacked = unpack_gzip(path_, {bytes_.get(), size_});
    bytes_ = std::move(unpacked.bytes);
    size_ = unpacked.size;
  }
}

file_bytes::file_bytes(std::string name, std::string_view bytes)
    : path_(std::move(name)), bytes_(memory_for(path_, bytes.size())), size_(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), bytes_.get());
}

std::optional<file_bytes> file_bytes::head(std::string const& path, std::size_t most) {
  struct stat status {};
  if (path == "-" || (stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))) return {};
  io::descriptor const file = open_input(path);
  if (!S_ISREG(inspect(path, file).st_mode)) return {};
  auto const bytes = memory_for(path, most);
  std::string_view const text(bytes.get(), read_some(path, file, bytes.get(), most));
  if (is_gzip(text)) return {};
  return file_bytes(path, text);
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
