// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow_chunk.hpp>
#include <warpdex/column.hpp>
#include <warpdex/join.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Joins of key columns as data frames hold them: several columns as one key, in chunks, with dictionaries and views of
/// strings, of types that differ between the sides. All columns are in host memory; an index is built where the memory
/// of `exec` is. Functions throw invalid_argument for columns that do not match in number, length or type,
/// out_of_memory, device_error, and `cancelled` after a stop request. All synchronise.
namespace warpdex {

/// Which word of a dictionary each value is.
struct code_column {
  void const* data = nullptr;  ///< integers; null without a dictionary
  std::uint32_t bits = 32;     ///< of an integer
  bool has_sign = true;        ///< whether negative ones are, which are those of nulls
};

namespace detail {

/// @return where a string begins and ends in the bytes of its column, checked
inline std::pair<std::uint64_t, std::uint64_t> span_of(column const& from, std::uint64_t i) {
  auto const checked = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin > end || end > from.strings.bytes)
      throw invalid_argument("keys has offsets that descend, or are outside of its bytes");
    return std::pair(begin, end);
  };
  auto const at = [&]<class T>(T const* offsets) { return checked(offsets[i], offsets[i + 1]); };
  switch (from.strings.offset_bytes) {
    case 4: return at(static_cast<std::uint32_t const*>(from.strings.offsets));
    case 8: return at(static_cast<std::uint64_t const*>(from.strings.offsets));
    default: return checked(i * from.strings.stride, (i + 1) * from.strings.stride);
  }
}

/// Calls `f` with the integers of codes, in their type.
template <class F> void with_codes(code_column const& of, F const& f) {
  auto const as = [&]<class T>(T) { f(static_cast<T const*>(of.data)); };
  switch (of.bits) {  // NOLINTBEGIN(bugprone-branch-clone): the types differ
    case 8: return of.has_sign ? as(std::int8_t()) : as(std::uint8_t());
    case 16: return of.has_sign ? as(std::int16_t()) : as(std::uint16_t());
    case 32: return of.has_sign ? as(std::int32_t()) : as(std::uint32_t());
    default: return of.has_sign ? as(std::int64_t()) : as(std::uint64_t());
  }  // NOLINTEND(bugprone-branch-clone)
}

}  // namespace detail

/// Adjacent values of a key column.
struct key_chunk {
  column values = {};                                  ///< of a dictionary its words; empty if there are views
  std::shared_ptr<arrow_chunk const> views = nullptr;  ///< strings in that layout
  code_column codes = {};                              ///< of a dictionary
  std::uint64_t size = 0;                              ///< number of values
  std::uint8_t const* nulls = nullptr;                 ///< 1 per null; null if there is none
  std::uint8_t const* misses = nullptr;                ///< 1 per value that equals no key; null if there is none

  /// @return whether value i is null or equals no key
  bool is_absent(std::uint64_t i) const {
    return (nulls != nullptr && nulls[i] != 0) || (misses != nullptr && misses[i] != 0);
  }
  /// @return whether the values are strings
  bool is_text() const { return views != nullptr || values.type == key_type::bytes; }
};

/// A key column, whose chunks are of one kind: integers, floats, or strings.
struct chunked_keys {
  std::vector<key_chunk> chunks = {};                  ///< in order
  std::uint64_t size = 0;                              ///< number of values
  std::vector<std::shared_ptr<void const>> held = {};  ///< what the chunks need
};

/// One side of a join as keys of one column.
struct encoded_keys {
  column keys = {};                                    ///< valid as long as `held` and the columns that were encoded
  std::uint8_t const* nulls = nullptr;                 ///< 1 per null; null if there is none
  std::uint8_t const* misses = nullptr;                ///< 1 per value that equals no key of the other side
  std::vector<std::shared_ptr<void const>> held = {};  ///< what was made
};

/// Keys of both sides that are equal where all columns are. Columns of several kinds, or of integers and floats, are
/// compared exactly. Cost: passes over all columns; on the host, on all threads of `exec`.
/// @param left columns of the left side @param right as many of the right side, which match in pairs
/// @param nulls_equal whether nulls equal each other; else a key with one is null
/// @param one_type whether both sides need keys of one type; else a single column of numbers may stay as it is
std::pair<encoded_keys, encoded_keys> encode_keys(std::span<chunked_keys const> left,
                                                  std::span<chunked_keys const> right, bool nulls_equal, bool one_type,
                                                  execution const& exec);

/// The same as integers of one type, which number the groups of equal keys. Integers of a single column stay as they
/// are.
std::pair<encoded_keys, encoded_keys> encode_groups(std::span<chunked_keys const> left,
                                                    std::span<chunked_keys const> right, bool nulls_equal,
                                                    execution const& exec);

/// Joins on equality of all columns. Pairs come in the order of the left rows, then of the right ones. Numbers that
/// ascend on both sides are merged; else a hash table is built on the host, and an index with spec `auto` on a device.
/// @param kind as of columns; `full` appends right rows without a match
joined join(std::span<chunked_keys const> left, std::span<chunked_keys const> right, join_kind kind, bool nulls_equal,
            execution const& exec);

/// Rows of an answer, in host memory.
struct row_list {
  buffer rows;                    ///< `size` row ids
  std::uint64_t size = 0;         ///< number of rows
  row_type type = row_type::u32;  ///< type of the row ids

  operator row_column() const { return {rows.data(), size, type}; }  ///< valid as long as this
};

/// The right row whose key is nearest to each left one, or `no_row`, among those whose groups are equal. If both keys
/// ascend they are merged; else an index is built over the right ones.
/// @param left_groups columns of the left side; none for a single group @param right_groups as many of the right side
/// @param nulls_equal whether null groups equal each other
/// @throws unsupported as `join_asof`
row_list join_asof(std::span<chunked_keys const> left_groups, chunked_keys const& left,
                   std::span<chunked_keys const> right_groups, chunked_keys const& right, bool nulls_equal,
                   asof_options const& options, execution const& exec);

}  // namespace warpdex
