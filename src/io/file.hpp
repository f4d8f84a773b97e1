// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Index files: a checked header, and named sections of bytes at page borders. Only the structure knows what its
/// sections mean. docs/reference/format.md describes the bytes.
namespace warpdex::io {

/// A named array of an index, in host memory.
struct section {
  std::string name;  ///< a lower-case letter, then lower-case letters, digits, '_' and '.'; at most 31
  void const* data = nullptr;
  std::uint64_t bytes = 0;
};

/// The properties of an index in its file, besides the sections.
struct header {
  std::string spec;  ///< resolved, at most 1024 bytes of printable ASCII
  key_type keys = key_type::u32;
  row_type rows = row_type::u32;
  std::uint64_t size = 0;  ///< entries
};

/// Writes a file under another name in the folder of `path`, flushes it to the disk, renames it to `path`
/// (`replacement`), and flushes the folder. Until the rename `path` is as it was. A failure leaves no files.
/// @param note of the writer's (note.hpp)
/// @throws io_error with the path and the system's reason
/// @throws invalid_argument for a header, a section or a note that no file can hold
void write(std::filesystem::path const& path, header const& head, std::span<section const> sections,
           std::string_view note = {});

/// @return the bytes of the file that `write` makes
/// @throws invalid_argument as there; out_of_memory
std::vector<std::byte> image(header const& head, std::span<section const> sections, std::string_view note = {});

class descriptor;
class mapping;

/// An index file. Everything that does not depend on the structure has been checked: header, section table, lengths,
/// offsets and padding. The bytes of a section are not read or hashed before the caller asks for them. Callers compare
/// the length of a section with the length they expect first, so false lengths in a file cannot cause work. Copies of a
/// `file` share the bytes.
class file {
 public:
  /// @param map whether to map the file; then it must not change while the bytes are in use
  /// @throws io_error if the file cannot be opened or read
  /// @throws format_error if it is no index file, or damaged
  /// @throws out_of_memory
  static file open(std::filesystem::path const& path, bool map);

  /// The same for bytes in memory, which are not copied.
  /// @param name replaces the path in messages
  /// @param owner keeps the bytes alive, as `storage()` does those of a mapped file
  /// @throws format_error
  static file parse(std::span<std::byte const> bytes, std::string name = "memory",
                    std::shared_ptr<void const> owner = nullptr);

  /// Checks the checksum of a section.
  /// @return the index file that is the section: in place if this one is in memory, and then mapped as this one is
  /// @throws as `read` and `parse` do
  file part(std::string const& name) const;

  /// @return what messages call the file: the path, or what replaces it
  std::string const& name() const noexcept { return path_; }

  /// @return where the bytes begin in memory; null if they are read
  std::byte const* memory() const noexcept { return memory_; }

  /// Reads sections without their checksums from now on.
  void trust_sections() noexcept { checks_sums_ = false; }

  header const& head() const noexcept { return head_; }

  /// @return the note of the writer's; empty if there is none
  std::string const& note() const noexcept { return note_; }

  /// @return the names of all sections but the note, in file order
  std::vector<std::string> names() const;

  /// @return whether there is a section of that name
  bool has(std::string_view name) const noexcept;

  /// @return the bytes of a section
  /// @throws format_error if there is none of that name
  std::uint64_t size(std::string_view name) const;

  /// Copies a section to host memory and checks its checksum.
  /// @param to exactly the bytes that the section has
  /// @throws format_error if there is no section of that name, or its checksum is wrong
  /// @throws io_error, out_of_memory
  void read(std::string_view name, std::span<std::byte> to) const;

  /// Checks the checksum of a section without a copy.
  /// @return the bytes of the section in place, at a page of a mapped file; valid while `storage()` is kept
  /// @throws as `read` does, and invalid_argument if the file is not mapped
  std::span<std::byte const> bytes(std::string_view name) const;

  /// @return an owner that keeps the bytes of a mapped file alive, or that of bytes in memory; null if there is none
  std::shared_ptr<void const> storage() const noexcept { return storage_; }

  /// @return the mapped file; null if the bytes are read, or are in memory
  std::shared_ptr<mapping const> mapped() const noexcept { return mapped_; }

  /// Reports an error that a structure finds in a section.
  /// @throws format_error with the path, the section and its offset
  [[noreturn]] void fail(std::string_view name, std::string const& what) const;

 private:
  struct entry {
    std::string name;
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t checksum;
  };

  file() = default;
  void parse_header();
  void take_note();
  void check_padding(std::uint64_t begin, std::uint64_t end) const;
  void check_sum(entry const& section, std::uint64_t sum) const;
  void read_at(std::uint64_t offset, std::span<std::byte> to) const;
  entry const* find(std::string_view name) const noexcept;
  entry const& named(std::string_view name) const;

  std::string path_;
  std::uint64_t file_bytes_ = 0;
  header head_;
  std::string note_;
  std::vector<entry> entries_;
  std::byte const* memory_ = nullptr;  ///< null if the bytes are read from `descriptor_`
  std::shared_ptr<descriptor const> descriptor_;
  std::shared_ptr<void const> storage_;
  std::shared_ptr<mapping const> mapped_;
  bool checks_sums_ = true;
};

}  // namespace warpdex::io
