// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/search/byte_key.hpp>

/// @file
/// Columns of strings and references to strings. Inside the library a string is a reference (`byte_key`), and a column
/// of strings is an array of references, so that probes, sorts and merges treat strings like numbers.
namespace warpdex {

/// The strings of a column, within reach of a backend.
struct string_source {
  unsigned char const* bytes = nullptr;  ///< the byte at offset `base`
  byte_layout layout;
  std::uint64_t base = 0;  ///< the offset of the first byte that is there

  /// @return the offset at which string `i` begins
  WDX_HD std::uint64_t offset(std::uint64_t i) const {
    if (layout.offset_bytes == 0) return i * layout.stride;
    return layout.offset_bytes == 4 ? load_element<std::uint32_t>(layout.offsets, i)
                                    : load_element<std::uint64_t>(layout.offsets, i);
  }

  /// @return the number of bytes of `count` strings from string `first` on, whose offsets are right
  WDX_HD std::uint64_t bytes_of(std::uint64_t first, std::uint64_t count) const {
    return offset(first + count) - offset(first);
  }

  /// @return the strings from string `first` on; reads nothing
  WDX_HD string_source from(std::uint64_t first) const {
    string_source rest = *this;
    if (layout.offset_bytes == 0) {
      rest.bytes += first * layout.stride;
      rest.layout.bytes -= first * layout.stride;
    } else {
      rest.layout.offsets = static_cast<unsigned char const*>(layout.offsets) + first * layout.offset_bytes;
    }
    return rest;
  }

  /// @return a reference to the part of string `i` that is inside the bytes
  WDX_HD byte_key at(std::uint64_t i) const {
    auto const inside = [this](std::uint64_t offset) {
      std::uint64_t const most = offset < layout.bytes ? offset : layout.bytes;
      return most < base ? base : most;
    };
    std::uint64_t const first = inside(offset(i));
    std::uint64_t const last = inside(offset(i + 1));
    std::uint64_t const size = first < last ? last - first : 0;
    return {bytes + (first - base), static_cast<std::uint32_t>(size < byte_key::longest ? size : byte_key::longest)};
  }
};

/// Whether the offsets of string `i` descend, are beyond the bytes, or are more than `byte_key::longest` apart.
struct is_bad_string {
  string_source from;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const first = from.offset(i);
    std::uint64_t const last = from.offset(i + 1);
    return first > last || last > from.layout.bytes || last - first > byte_key::longest;
  }
};

/// Adjacent strings, and where each begins.
struct packed_strings {
  buffer bytes;
  buffer offsets;           ///< size + 1 numbers
  int offset_bytes = 8;     ///< 4 or 8
  std::uint64_t total = 0;  ///< number of bytes
};

/// @return bytes per offset into this number of bytes: 4 until the bytes need 8
constexpr int offset_bytes_for(std::uint64_t bytes) noexcept { return bytes > 0xffffffff ? 8 : 4; }

namespace detail {

struct make_reference {
  string_source from;
  byte_key* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = from.at(i); }
};

struct change_tail {
  byte_key const* from;
  byte_key::tail behind;
  byte_key* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = {from[i].data, from[i].size, behind}; }
};

struct length_of_string {
  byte_key const* keys;
  std::uint64_t* lengths;
  WDX_HD void operator()(std::uint64_t i) const { lengths[i] = keys[i].size; }
};

struct narrow_offset {
  std::uint64_t const* from;
  std::uint32_t* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = static_cast<std::uint32_t>(from[i]); }
};

}  // namespace detail
}  // namespace warpdex
