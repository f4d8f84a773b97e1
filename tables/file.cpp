// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include "crew.hpp"
#include "gzip.hpp"

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

namespace warpdex::tables {
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

/// Bytes that tell packed files and those of numbers.
constexpr std::size_t beginning_bytes = 64;

/// A file of at most this number of parts is held, so that its rows are found in memory when they are printed.
constexpr std::uint64_t held_parts = 64;

[[noreturn]] void fail_shorter(std::string const& path, std::uint64_t size, std::uint64_t expected) {
  throw io_error(fmt::format("{}: has become shorter while it was read: {} bytes of {}", path, size, expected));
}

/// @return standard input for `-`, which can be read once
descriptor open_input(std::string const& path) {
  if (path != "-") return descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  static std::atomic<bool> was_read{false};
  if (was_read.exchange(true)) throw io_error("-: standard input was read already; it can be read once only");
  return descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
}

/// @return what the system says of an open file. @throws io_error for what cannot be read to its end
struct stat inspect(std::string const& path, descriptor const& file) {
  if (!file) fail_io(path, "cannot open");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail_io(path, "cannot inspect");
  if (S_ISDIR(status.st_mode)) throw io_error(path + ": is a directory");
  // /dev/null is a device that ends at once, and standard input may be it.
  bool const is_endless = S_ISCHR(status.st_mode) && isatty(file.get()) == 0 && path != "-";
  if (S_ISBLK(status.st_mode) || is_endless)
    throw io_error(path + ": is a device; a file, a pipe or a terminal was expected");
  return status;
}

/// Reads `most` bytes or up to the end. @return how many there were
std::size_t read_some(std::string const& path, descriptor const& file, char* to, std::size_t most) {
  std::size_t size = 0;
  while (size < most) {
    ssize_t const got = read(file.get(), to + size, most - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(path, "cannot read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

/// Reads a file of a known size, large ones in pieces that several threads read. @return how many bytes there were
std::size_t read_known(std::string const& path, descriptor const& file, char* to, std::size_t size) {
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
  if (problem != 0) fail_io(path, "cannot read");
  return got;
}

}  // namespace

file_bytes::file_bytes(std::string path) : path_(std::move(path)) { *this = file_bytes(path_, open_input(path_)); }

file_bytes::file_bytes(std::string path, descriptor const& file) : path_(std::move(path)) {
  struct stat const status = inspect(path_, file);
  // Files of /proc report size 0 and still have content.
  auto const expected = S_ISREG(status.st_mode) && path_ != "-" ? static_cast<std::size_t>(status.st_size) : 0;
  std::size_t capacity = expected != 0 ? expected : first_piece;
  bytes_ = memory_for(path_, capacity);
  size_ =
      expected != 0 ? read_known(path_, file, bytes_.get(), capacity) : read_some(path_, file, bytes_.get(), capacity);
  while (expected == 0 && size_ == capacity) {
    auto larger = memory_for(path_, 2 * capacity);
    std::copy_n(bytes_.get(), size_, larger.get());
    bytes_ = std::move(larger);
    size_ += read_some(path_, file, bytes_.get() + size_, capacity);
    capacity *= 2;
  }
  if (size_ < expected) fail_shorter(path_, size_, expected);
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

void file_bytes::fail(std::string const& what) const { throw format_error(fmt::format("{}: {}", path_, what)); }

input_file::input_file(std::string name, std::string_view bytes)
    : path_(std::move(name)), beginning_(bytes.substr(0, beginning_bytes)), held_(file_bytes(path_, bytes)),
      size_(bytes.size()) {}

input_file::input_file(std::string path, std::uint64_t part_bytes)
    : path_(std::move(path)), part_bytes_(part_bytes), file_(open_input(path_)) {
  struct stat const status = inspect(path_, file_);
  written_ = status.st_mtim;
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || path_ == "-" || size_ <= held_parts * part_bytes_) {
    hold();
    return;
  }
  beginning_.resize(std::min<std::uint64_t>(beginning_bytes, size_));
  read(0, beginning_.data(), beginning_.size());
  if (is_gzip(beginning_)) hold();
}

std::optional<input_file> input_file::head(std::string const& path, std::size_t most) {
  struct stat status {};
  if (path == "-" || (stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))) return {};
  descriptor const file = open_input(path);
  if (!S_ISREG(inspect(path, file).st_mode)) return {};
  auto const bytes = memory_for(path, most);
  std::string_view const text(bytes.get(), read_some(path, file, bytes.get(), most));
  if (is_gzip(text)) return {};
  return input_file(path, text);
}

file_bytes const& input_file::hold() {
  if (!held_) {
    held_ = file_bytes(path_, file_);
    size_ = held_->size();
    beginning_.assign(held_->begin(), std::min(held_->size(), beginning_bytes));
  }
  return *held_;
}

void input_file::read(std::uint64_t offset, char* to, std::size_t size) const {
  for (std::size_t at = 0; at < size;) {
    ssize_t const some = pread(file_.get(), to + at, size - at, static_cast<off_t>(offset + at));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) fail_io(path_, "cannot read");
    if (some == 0) fail_shorter(path_, offset + at, size_);
    at += static_cast<std::size_t>(some);
  }
}

void input_file::expect_unchanged() const {
  if (held_) return;
  struct stat const now = inspect(path_, file_);
  if (static_cast<std::uint64_t>(now.st_size) != size_ || now.st_mtim.tv_sec != written_.tv_sec ||
      now.st_mtim.tv_nsec != written_.tv_nsec)
    throw io_error(path_ + ": was written to while it was read");
}

void input_file::fail(std::string const& what) const { throw format_error(fmt::format("{}: {}", path_, what)); }

void input_file::fail_at(std::uint64_t offset, std::string const& what) const {
  std::uint64_t const end = std::min(offset, size_);
  std::uint64_t line = 1;
  for (std::uint64_t begin = 0; begin < end; begin += part_bytes_) {
    // One more byte tells whether an LF follows a CR: both together end one line, and the LF counts.
    std::uint64_t const next = std::min(begin + part_bytes_, end);
    file_part const part(*this, begin, std::min(next + 1, size_));
    for (char const* at = part.begin(); at < part.at(next); ++at)
      line += *at == '\n' || (*at == '\r' && (at + 1 == part.end() || at[1] != '\n')) ? 1 : 0;
  }
  throw format_error(fmt::format("{}:{}: {}", path_, line, what));
}

file_part::file_part(input_file const& file, std::uint64_t begin, std::uint64_t end) : file_(&file), offset_(begin) {
  if (file_bytes const* const held = file.held()) {
    begin_ = held->begin() + begin;
    size_ = held->size() - static_cast<std::size_t>(begin);
  } else {
    read_up_to(end);
  }
}

void file_part::grow() { read_up_to(std::min(offset_ + 2 * std::uint64_t{size_} + 1, file_->size())); }

void file_part::read_up_to(std::uint64_t end) {
  auto const size = static_cast<std::size_t>(end - offset_);
  auto larger = memory_for(file_->path(), size);
  std::copy_n(begin_, size_, larger.get());
  file_->read(offset_ + size_, larger.get() + size_, size - size_);
  bytes_ = std::move(larger);
  begin_ = bytes_.get();
  size_ = size;
}

}  // namespace warpdex::tables
