// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "values.hpp"

#include <warpdex/column.hpp>

#include <cstdint>
#include <span>
#include <string_view>

/// @file
/// Arrays of numbers in binary files: NumPy's .npy, the files of the SOSD benchmark, and raw keys of 16 bytes.
namespace warpdex::tables {

/// A one-dimensional array inside a file's bytes; elements may have any address.
struct number_array {
  char const* data = nullptr;
  std::uint64_t size = 0;
  std::size_t bytes_each = 0;
  key_type type = key_type::u32;  ///< type of the keys unless the caller asks for another
  bool stored_as_keys = false;    ///< whether the stored elements are keys of that type without conversion

  /// Finds the place of an element among the keys of a type. `missing` is NaT; `syntax` means that the types have no
  /// common order.
  fault (*locate)(char const* element, key_type to, rounded_key& place) = nullptr;

  /// Reads an element of times. `missing` is NaT. Null for other numbers.
  fault (*moment_of)(char const* element, moment& out) = nullptr;

  /// @return an element as text
  std::string_view (*text)(char const* element, std::span<char, key_text_size> scratch) = nullptr;
};

/// @return whether the bytes begin as a .npy file does
bool is_npy(input_file const& file) noexcept;

/// Reads the header of a .npy file, versions 1 to 3: little-endian integers of 1 to 8 bytes, floats of 4
/// and 8, and datetime64 in days, seconds, milli-, micro- and nanoseconds; one dimension.
/// @throws format_error for anything else, and if the length of the file contradicts its header
number_array read_npy(file_bytes const& file);

/// @return whether a path is taken as SOSD: it ends with `uint32`, `uint64` or `.sosd`
bool is_sosd(std::string_view path) noexcept;

/// Reads a SOSD file: the number of keys as u64, then the keys, u32 or u64 by the name if it says so and
/// by the size of the file otherwise.
/// @throws format_error if count and size of the file disagree
number_array read_sosd(file_bytes const& file);

/// A file of little-endian keys of 16 bytes and nothing else.
/// @throws format_error if its size is no multiple of 16 bytes
number_array read_raw_wide(file_bytes const& file);

}  // namespace warpdex::tables
