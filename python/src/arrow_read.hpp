// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <cstdint>
#include <memory>
#include <string>

#include "arrow_abi.hpp"
#include "raw_array.hpp"

/// @file
/// Columns of Arrow's C data interface, checked before anything of them is read. Nothing here needs Python.
///
/// The interface has no lengths of buffers. That a buffer is as long as length, offset and type of its array say, is
/// believed; what one part of a column says of another one is not.
namespace warpdex::python {

/// A column has a type that no keys have. It is a KeyTypeError in Python.
struct type_refused : error {
  using error::error;
};

/// How the values of a column are stored.
enum class arrow_layout { nothing, bits, numbers, bytes, strings, views };

struct arrow_type {
  arrow_layout layout;
  char const* number = "";        ///< of numbers: a kind and bytes, as in NumPy: i4
  std::int64_t width = 0;         ///< bytes of a value; of strings those of an offset
  char const* read_as = nullptr;  ///< of an extension type whose values are not those of its format: what they are
};

/// The values of a column, in the producer's memory or, for bits, in its own.
struct arrow_chunk {
  std::string format;  ///< Arrow's, or as its extension type is read: "uuid", "b", or Polars' integers of 128 bits
  arrow_type type{arrow_layout::nothing};
  std::int64_t length = 0;
  void const* values = nullptr;   ///< the first value, or the bytes of all strings
  std::int64_t bytes = 0;         ///< of the values
  void const* offsets = nullptr;  ///< of strings: where each begins in the bytes and where the last one ends
  raw_array<std::uint8_t> made_values = {};
  raw_array<std::int64_t> made_offsets = {};
  raw_array<std::uint8_t> nulls = {};                       ///< 1 for each null; empty if there is none
  std::shared_ptr<arrow_chunk const> dictionary = nullptr;  ///< if there is one, the values are numbers of its values
  ArrowArray const* viewed = nullptr;  ///< of views whose strings are where they were: their array, else null
};

/// A string in the layout of views: in itself, or in one of the buffers of its array.
struct string_view_16 {
  static constexpr std::int32_t longest_inline = 12;

  std::int32_t length;
  char prefix[4];
  std::int32_t buffer, offset;
};

/// Where a string is.
struct text_place {
  char const* at;
  std::uint64_t length;
  std::uint64_t after;  ///< bytes that can be read from `at` on
};

/// @return string number i of checked views; an empty one for a null
text_place viewed_text(arrow_chunk const& views, std::int64_t i);

/// @return the strings of checked views, one after the other, without nulls
arrow_chunk with_strings(arrow_chunk const& views);

/// Checks that a type is one of keys.
/// @throws type_refused; invalid_argument if the schema contradicts itself
arrow_type type_of(ArrowSchema const& schema);

/// The buffers of an array, of any type.
struct arrow_buffers {
  std::int64_t count = 0;  ///< 0 if they are not read
  std::int64_t width = 1;  ///< bytes of a value; of strings those of an offset
  bool or_more = false;
};

/// Checks the fields of an array, and the pointers to those of its buffers that have an element per value. It reads no
/// buffer, so they may be anywhere. @throws invalid_argument
void check_fields(ArrowArray const& array, arrow_buffers const& buffers);

/// Checks the fields and pointers of an array against its type. It reads no buffer, so they may be anywhere.
/// @throws as type_of; invalid_argument if the array contradicts itself
arrow_type check_array(ArrowSchema const& schema, ArrowArray const& array);

/// Reads an array, and checks all places and codes in it. Strings of views stay where they are.
/// @param dictionary that of the array, if it was read before
/// @return values that live as long as the array
/// @throws as check_array; out_of_memory
arrow_chunk read_chunk(ArrowSchema const& schema, ArrowArray const& array,
                       std::shared_ptr<arrow_chunk const> dictionary = nullptr);

/// @return whether two arrays of a type, both of which live, have the same values in the same memory
bool are_same(ArrowSchema const& schema, ArrowArray const& one, ArrowArray const& two);

/// @return what a stream without chunks has
arrow_chunk empty_chunk(ArrowSchema const& schema);

}  // namespace warpdex::python
