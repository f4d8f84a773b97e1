// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

/// @file
/// The arrays that calls read and write. The types below do not own their arrays. An array may lie in host memory
/// (pageable or pinned) or in the memory of the index's CUDA device.
namespace warpdex {

/// A read-only array of `size` keys of one type. A host column may have any address. A device column is aligned to the
/// size of a key.
struct column {
  void const* data = nullptr;
  std::uint64_t size = 0;
  key_type type = key_type::u32;

  column() = default;
  column(void const* data, std::uint64_t size, key_type type) : data(data), size(size), type(type) {}
  template <class T>
  column(std::span<T> keys)
      : data(keys.data()), size(keys.size()), type(detail::key_type_of<std::remove_const_t<T>>()) {}
};

/// A read-only array of `size` row ids.
struct row_column {
  void const* data = nullptr;
  std::uint64_t size = 0;
  row_type type = row_type::u32;

  row_column() = default;
  row_column(void const* data, std::uint64_t size, row_type type) : data(data), size(size), type(type) {}
  template <class T>
  row_column(std::span<T> rows)
      : data(rows.data()), size(rows.size()), type(sizeof(T) == 4 ? row_type::u32 : row_type::u64) {
    static_assert(std::is_unsigned_v<T> && sizeof(T) >= 4, "row ids are unsigned numbers of 32 or 64 bits");
  }
};

/// The array to which a call writes row ids: one per probe, of the index's row type.
struct row_output {
  void* data = nullptr;
  std::uint64_t size = 0;
  row_type type = row_type::u32;

  row_output() = default;
  row_output(void* data, std::uint64_t size, row_type type) : data(data), size(size), type(type) {}
  row_output(std::span<std::uint32_t> rows) : data(rows.data()), size(rows.size()), type(row_type::u32) {}
  row_output(std::span<std::uint64_t> rows) : data(rows.data()), size(rows.size()), type(row_type::u64) {}
};

/// The array to which a call writes keys: one per probe, of the index's key type.
struct key_output {
  void* data = nullptr;
  std::uint64_t size = 0;
  key_type type = key_type::u32;

  key_output() = default;
  key_output(void* data, std::uint64_t size, key_type type) : data(data), size(size), type(type) {}
  template <class T>
  key_output(std::span<T> keys) : data(keys.data()), size(keys.size()), type(detail::key_type_of<T>()) {}
};

}  // namespace warpdex
