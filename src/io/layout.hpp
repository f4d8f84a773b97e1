// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// The bytes of an index file, as docs/reference/format.md describes them. Numbers are little-endian, and these structs
/// are copied to and from the file unchanged.
namespace warpdex::io {

static_assert(std::endian::native == std::endian::little, "index files are little-endian, and so must the machine be");

/// A byte with the high bit set, the name, line ends of both kinds and an end-of-file character. A transfer in text
/// mode changes at least one of them, so it is noticed here.
inline constexpr unsigned char magic[8] = {0x89, 'W', 'D', 'X', '\r', '\n', 0x1a, '\n'};

inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint64_t section_alignment = 4096;  ///< pages of memory have as many bytes, or a multiple of it
inline constexpr std::uint32_t max_spec_bytes = 1024;
inline constexpr std::uint32_t max_sections = 64;
inline constexpr std::size_t section_name_bytes = 32;  ///< the name, then at least one zero byte
inline constexpr char const* note_section = "note";    ///< of a note that the header does not hold; comes last
inline constexpr std::uint32_t max_note_bytes = 4096;

/// The first 64 bytes of a file. The spec follows, padded with zeros to a multiple of 8 bytes, then one `section_entry`
/// per section.
struct file_header {
  unsigned char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  ///< this struct, the spec with its padding, and the section table
  std::uint64_t file_bytes;
  std::uint64_t size;  ///< entries of the index
  std::uint8_t keys;
  std::uint8_t rows;
  std::uint16_t sections;
  std::uint32_t spec_bytes;
  char note[16];           ///< printable ASCII of the writer's, then zeros; a longer note is a section
  std::uint64_t checksum;  ///< XXH3-64 of the `header_bytes` bytes, with zero in this field
};

struct section_entry {
  char name[section_name_bytes];
  std::uint64_t offset;  ///< end of the section before, rounded up to `section_alignment`
  std::uint64_t bytes;
  std::uint64_t checksum;  ///< XXH3-64 of the section's bytes
  std::uint64_t reserved;  ///< zero
};

static_assert(sizeof(file_header) == 64 && std::is_trivially_copyable_v<file_header>);
static_assert(sizeof(section_entry) == 64 && std::is_trivially_copyable_v<section_entry>);

// Files store the values of these enumerations, so the values must never change.
static_assert(static_cast<int>(key_type::u32) == 0 && static_cast<int>(key_type::u64) == 1 &&
              static_cast<int>(key_type::i32) == 2 && static_cast<int>(key_type::i64) == 3 &&
              static_cast<int>(key_type::f32) == 4 && static_cast<int>(key_type::f64) == 5 &&
              static_cast<int>(key_type::date) == 6 && static_cast<int>(key_type::timestamp) == 7 &&
              static_cast<int>(key_type::u128) == 8 && static_cast<int>(key_type::bytes) == 9 &&
              key_types.size() == 10);
static_assert(static_cast<int>(row_type::u32) == 0 && static_cast<int>(row_type::u64) == 1);

/// @return the smallest multiple of `unit`, a power of two, that is not below `n`. The caller rules out overflow
constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t unit) noexcept { return (n + unit - 1) & ~(unit - 1); }

/// @return bytes of the header, the spec and the section table, before the padding of the first section
constexpr std::uint64_t header_bytes_for(std::uint32_t spec_bytes, std::uint32_t sections) noexcept {
  return sizeof(file_header) + round_up(spec_bytes, 8) + std::uint64_t{sections} * sizeof(section_entry);
}

inline constexpr std::uint64_t max_header_bytes = header_bytes_for(max_spec_bytes, max_sections);

}  // namespace warpdex::io
