// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

/// @file
/// Keys in binary files.
namespace warpdex::bench {

/// A file of keys, by its name:
///
///     .npy                    an array of NumPy of one dimension: u4, u8, i4, i8, f4 or f8, little-endian
///     uint32, uint64, .sosd   a file of the SOSD benchmark: the number of keys as u64, then the keys, u32 or u64
///     .u128                   numbers of 16 bytes and nothing else, little-endian
///     .bytes                  strings, one after another; names.offsets, for names.bytes, holds where each begins and
///                             where the last ends, as numbers of 8 bytes
class key_file {
 public:
  /// Reads what tells the type and the number of keys, but no key.
  /// @throws io_error, and format_error for another name, and for a file that is damaged as far as this tells
  explicit key_file(std::string path);

  key_type type() const noexcept { return type_; }
  std::uint64_t size() const noexcept { return size_; }

  /// Reads the keys. @return a column that lives as long as this object
  /// @throws io_error; format_error for offsets of strings that descend, or leave the bytes; out_of_memory
  column read();

 private:
  void take_npy(std::uint64_t bytes);
  void take_sosd(std::uint64_t bytes);
  [[noreturn]] void fail(std::string const& what) const;
  void expect_length(std::uint64_t count, std::uint64_t present) const;

  std::string path_;
  std::string offsets_path_;  ///< of strings
  key_type type_ = key_type::u64;
  std::uint64_t begin_ = 0;  ///< bytes before the keys
  std::uint64_t size_ = 0;
  std::unique_ptr<std::byte[]> keys_;
  std::unique_ptr<std::byte[]> offsets_;
};

}  // namespace warpdex::bench
