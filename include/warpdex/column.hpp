// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

/// @file
/// Columns: what a caller hands to an index. All of them are non-owning and may lie in host memory
/// (pageable or pinned) or in the memory of the index's CUDA device.
namespace warpdex {

/// The key types of the public interface. Inside, each maps to u32, u64 or u128 by an order-preserving codec
/// (search/codec.hpp). `u128` is for UUIDs, IPv6 addresses and whatever else has 16 bytes; not all structures take it
/// (`structure_info`). The order of such keys is that of the numbers, little-endian in memory. Lookups ask for equal
/// keys alone, so a column may as well hold the bytes in network order, if all columns do.
enum class key_type : std::uint8_t { u32, u64, i32, i64, f32, f64, date, timestamp, u128 };

/// All of them, in the order of their values.
inline constexpr std::array key_types = {key_type::u32,  key_type::u64,       key_type::i32,
                                         key_type::i64,  key_type::f32,       key_type::f64,
                                         key_type::date, key_type::timestamp, key_type::u128};

/// Row ids are 32 bits wide until the column needs 64.
enum class row_type : std::uint8_t { u32, u64 };

/// @return bytes of one key: 4, 8 or 16
WDX_HD constexpr std::size_t size_of(key_type type) noexcept {
  switch (type) {
    case key_type::u32:
    case key_type::i32:
    case key_type::f32:
    case key_type::date: return 4;
    case key_type::u128: return 16;
    default: return 8;
  }
}

/// @return bytes of one row id: 4 or 8
WDX_HD constexpr std::size_t size_of(row_type type) noexcept { return type == row_type::u32 ? 4 : 8; }

/// @return the type's name as written in specs, files and on the command line; `none` for a number that is no type
std::string_view to_string(key_type type) noexcept;
std::string_view to_string(row_type type) noexcept;

/// @throws invalid_argument if `name` is no key type
key_type parse_key_type(std::string_view name);

/// Days since 1970-01-01 (proleptic Gregorian).
struct date {
  std::int32_t days;
};

/// Microseconds since 1970-01-01 00:00:00 UTC.
struct timestamp {
  std::int64_t microseconds;
};

namespace detail {
template <class T> inline constexpr bool always_false = false;

template <class T> WDX_HD constexpr key_type key_type_of() {
  if constexpr (std::is_same_v<T, std::uint32_t>) return key_type::u32;
  else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, unsigned long long>) return key_type::u64;
  else if constexpr (std::is_same_v<T, std::int32_t>) return key_type::i32;
  else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, long long>) return key_type::i64;
  else if constexpr (std::is_same_v<T, float>) return key_type::f32;
  else if constexpr (std::is_same_v<T, double>) return key_type::f64;
  else if constexpr (std::is_same_v<T, date>) return key_type::date;
  else if constexpr (std::is_same_v<T, timestamp>) return key_type::timestamp;
  else if constexpr (std::is_same_v<T, u128>) return key_type::u128;
  else static_assert(always_false<T>, "not a key type of warpdex");
}
}  // namespace detail

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

/// What `find` and `floor` write for a miss: all bits set. It is the one row id that no index holds.
template <class Row> inline constexpr Row no_row = static_cast<Row>(-1);

}  // namespace warpdex
