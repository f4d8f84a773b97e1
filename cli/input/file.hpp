// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpdex::input {

/// All bytes of an input file. They are read, not mapped: cutting a mapped file short ends every process that uses it.
class file_bytes {
 public:
  /// @param path a file, a pipe or a terminal; other devices may have no end
  /// @throws io_error naming the path and the system's reason, out_of_memory
  explicit file_bytes(std::string path);

  /// @return the first bytes of a file, `most` of them or fewer; nothing for pipes, compressed files and the like
  /// @throws io_error as above
  static std::optional<file_bytes> head(std::string const& path, std::size_t most);

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

  /// Throws a format_error `path:line: what` for the line that holds byte `offset`. Lines end with LF, CRLF or CR.
  [[noreturn]] void fail_at(std::size_t offset, std::string const& what) const;

 private:
  std::string path_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace warpdex::input
