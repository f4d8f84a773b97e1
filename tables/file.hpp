// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descriptor.hpp"

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpdex::tables {

/// Bytes of a part of a file that a thread reads at a time: few enough to stay in a cache.
inline constexpr std::uint64_t usual_part = std::uint64_t{1} << 20;

/// All bytes of a file. They are read, not mapped: cutting a mapped file short ends every process that uses it.
class file_bytes {
 public:
  /// @param path a file, a pipe or a terminal; other devices may have no end
  /// @throws io_error naming the path and the system's reason, out_of_memory
  explicit file_bytes(std::string path);

  /// The same of a file that is open, and of which nothing was read.
  file_bytes(std::string path, descriptor const& file);

  /// Bytes that are in memory. @param name what messages call them
  file_bytes(std::string name, std::string_view bytes);

  file_bytes(file_bytes&&) noexcept = default;
  file_bytes& operator=(file_bytes&&) noexcept = default;

  std::string const& path() const noexcept { return path_; }
  char const* begin() const noexcept { return bytes_.get(); }
  char const* end() const noexcept { return begin() + size_; }
  std::size_t size() const noexcept { return size_; }

  /// Throws a format_error `path: what`.
  [[noreturn]] void fail(std::string const& what) const;

 private:
  std::string path_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// A file that is read in parts, when they are asked for. Held in memory are files of few parts, what can be read only
/// once, such as a pipe, and what gzip packed.
class input_file {
 public:
  /// @param part_bytes of the parts in which the file is read
  /// @throws as `file_bytes` does
  explicit input_file(std::string path, std::uint64_t part_bytes = usual_part);

  /// Bytes that are in memory. @param name what messages call them
  input_file(std::string name, std::string_view bytes);

  /// @return the first bytes of a file, `most` of them or fewer; nothing for pipes, compressed files and the like
  /// @throws io_error as above
  static std::optional<input_file> head(std::string const& path, std::size_t most);

  std::string const& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t part_bytes() const noexcept { return part_bytes_; }

  /// @param bytes 64 of them or fewer
  bool starts_with(std::string_view bytes) const noexcept { return beginning_.starts_with(bytes); }

  /// The whole file, which stays in memory from then on.
  file_bytes const& hold();

  /// @return the whole file if it is in memory, or null
  file_bytes const* held() const noexcept { return held_ ? &*held_ : nullptr; }

  /// Copies bytes `offset` to `offset + size` of a file that is not held. Threads may read at the same time.
  /// @throws io_error if the file has become shorter
  void read(std::uint64_t offset, char* to, std::size_t size) const;

  /// @throws io_error if the file is not held and was written to since it was opened, as far as its size and time tell
  void expect_unchanged() const;

  /// Throws a format_error `path: what`.
  [[noreturn]] void fail(std::string const& what) const;

  /// Throws a format_error `path:line: what` for the line that holds byte `offset`. Lines end with LF, CRLF or CR.
  [[noreturn]] void fail_at(std::uint64_t offset, std::string const& what) const;

 private:
  std::string path_;
  std::uint64_t part_bytes_ = usual_part;
  descriptor file_{-1};
  std::string beginning_;  ///< bytes that tell some kinds of files
  std::optional<file_bytes> held_;
  std::uint64_t size_ = 0;
  timespec written_{};  ///< when the file was written before it was opened
};

/// A part of a file in memory, which can grow towards the end of the file.
class file_part {
 public:
  /// Bytes `begin` to `end`. A part of a file that is held goes on to the end of the file.
  /// @throws io_error as `input_file::read` does, out_of_memory
  file_part(input_file const& file, std::uint64_t begin, std::uint64_t end);

  input_file const& file() const noexcept { return *file_; }
  char const* begin() const noexcept { return begin_; }
  char const* end() const noexcept { return begin_ + size_; }
  bool reaches_end() const noexcept { return offset_ + size_ == file_->size(); }  ///< of the file
  bool covers(std::uint64_t begin, std::uint64_t end) const noexcept {
    return offset_ <= begin && end <= offset_ + size_;
  }

  /// @return where a position of this part is in the file
  std::uint64_t offset_of(char const* at) const noexcept { return offset_ + static_cast<std::uint64_t>(at - begin_); }
  /// @return where a position of the file is in this part
  char const* at(std::uint64_t offset) const noexcept { return begin_ + (offset - offset_); }

  /// Makes a part that does not reach the end of the file longer. Pointers into it are no longer valid.
  void grow();

 private:
  void read_up_to(std::uint64_t end);

  input_file const* file_;
  std::uint64_t offset_;
  std::size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;  ///< of a file that is not held
  char const* begin_ = nullptr;
};

}  // namespace warpdex::tables
