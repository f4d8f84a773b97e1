// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

/// @file
/// Columns: what calls read, and where they write. All of them are non-owning and may lie in host memory
/// (pageable or pinned) or in the memory of the index's CUDA device.
namespace warpdex {

/// `size` keys of one type, contiguous, read-only. Host columns may have any address; device columns are
/// aligned to the key.
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

/// `size` row ids, contiguous, read-only.
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

/// Where a call writes row ids: as many as there are probes, of the index's row type.
struct row_output {
  void* data = nullptr;
  std::uint64_t size = 0;
  row_type type = row_type::u32;

  row_output() = default;
  row_output(void* data, std::uint64_t size, row_type type) : data(data), size(size), type(type) {}
  row_output(std::span<std::uint32_t> rows) : data(rows.data()), size(rows.size()), type(row_type::u32) {}
  row_output(std::span<std::uint64_t> rows) : data(rows.data()), size(rows.size()), type(row_type::u64) {}
};

/// Where a call writes keys: as many as there are probes, of the index's key type.
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
