// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Index files: a checked header, and named sections of bytes at page borders. What the sections of a
/// structure mean is the structure's own affair. docs/format.md describes the bytes.
namespace warpdex::io {

/// A named array of an index, in host memory.
struct section {
  std::string name;  ///< a lower-case letter, then lower-case letters, digits, '_' and '.'; at most 31
  void const* data = nullptr;
  std::uint64_t bytes = 0;
};

/// What a file says about its index besides the sections.
struct header {
  std::string spec;  ///< resolved, at most 1024 bytes of printable ASCII
  key_type keys = key_type::u32;
  row_type rows = row_type::u32;
  std::uint64_t size = 0;
};

/// Writes a file: to a temporary file in the folder of `path`, flushed to the disk, then renamed to `path`,
/// then the folder flushed. Until the rename, `path` is as it was; a failure removes the temporary file.
/// A symbolic link is followed. An existing file's permissions are kept.
/// @throws io_error, which names the path and the system's reason; invalid_argument for a header or a
/// section that no file can hold
void write(std::filesystem::path const& path, header const& head, std::span<section const> sections);

/// An index file in memory, read or mapped, with everything about it checked that does not depend on the
/// structure: header, lengths, offsets, padding, and all checksums. Copies share the bytes.
class file {
 public:
  /// @param map map the file instead of reading it; it must then not change while the bytes are in use
  /// @throws io_error if it cannot be opened or read, format_error if it is no index file or damaged,
  /// out_of_memory
  static file open(std::filesystem::path const& path, bool map);

  /// The same for bytes in memory, which are not copied. @param name stands for the path in messages
  /// @throws format_error
  static file parse(std::span<std::byte const> bytes, std::string name = "memory");

  header const& head() const noexcept { return head_; }

  /// Names of all sections, in file order.
  std::vector<std::string> names() const;

  /// @return whether there is a section of that name
  bool has(std::string_view name) const noexcept;

  /// Bytes of a section, aligned to a page if the file was opened. Valid while `storage()` is.
  /// @throws format_error if there is none of that name
  std::span<std::byte const> bytes(std::string_view name) const;

  /// Keeps the bytes alive. Null for `parse`.
  std::shared_ptr<void const> storage() const noexcept { return storage_; }

  /// For what a structure finds wrong: throws a format_error that names the path, the section and its offset.
  [[noreturn]] void fail(std::string_view name, std::string const& what) const;

 private:
  struct entry {
    std::string name;
    std::span<std::byte const> bytes;
  };

  file() = default;
  void parse_sections(std::span<std::byte const> all);
  entry const* named(std::string_view name) const noexcept;

  std::string path_;
  header head_;
  std::byte const* base_ = nullptr;
  std::vector<entry> entries_;
  std::shared_ptr<void const> storage_;
};

}  // namespace warpdex::io
