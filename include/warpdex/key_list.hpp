// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>

namespace warpdex {

/// Keys that a call returns, in the memory of the call's `execution`.
struct key_list {
  buffer keys;                     ///< the keys; of strings their bytes, one string after the other
  buffer offsets;                  ///< size + 1 numbers: where each string begins; empty for numbers
  std::uint64_t size = 0;          ///< number of keys
  std::uint64_t bytes = 0;         ///< of `keys`
  key_type type = key_type::u32;   ///< type of the keys
  std::uint32_t offset_bytes = 8;  ///< of a number of `offsets`: 8, or 4

  /// @return the keys as a column, valid while this object lives
  column view() const {
    if (type != key_type::bytes) return {keys.data(), size, type};
    std::span const all(static_cast<std::byte const*>(keys.data()), bytes);
    if (offset_bytes == 4) return {all, std::span(static_cast<std::uint32_t const*>(offsets.data()), size + 1)};
    return {all, std::span(static_cast<std::uint64_t const*>(offsets.data()), size + 1)};
  }
  operator column() const { return view(); }  ///< as `view`
};

}  // namespace warpdex
