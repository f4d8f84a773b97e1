// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow.hpp>
#include <warpdex/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

/// @file
/// Columns of Arrow's C data interface, checked before anything of them is read.
///
/// The interface has no lengths of buffers. That a buffer is as long as length, offset and type of its array say, is
/// believed; what one part of a column says of another one is not.
namespace warpdex {

namespace detail {

/// An array whose elements are not set when it is made, so that the threads that set them are the first to touch them.
template <class T> class raw_array {
 public:
  raw_array() = default;
  explicit raw_array(std::int64_t size)
      : data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size))),
        size_(static_cast<std::size_t>(size)) {}

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }
  void clear() { *this = {}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace detail

/// How the values of a column are stored.
enum class arrow_layout {
  nothing,  ///< there are nulls alone
  bits,     ///< bools, read as bytes
  numbers,  ///< of 1, 2, 4 or 8 bytes
  bytes,    ///< as many for each value
  strings,  ///< bytes, and offsets
  views     ///< of strings, each in itself or in a buffer
};

/// What values are.
struct arrow_type {
  arrow_layout layout;            ///< how they are stored
  char const* number = "";        ///< of numbers: a kind and bytes, as in NumPy: i4
  std::int64_t width = 0;         ///< bytes of a value; of strings those of an offset
  char const* read_as = nullptr;  ///< of an extension type whose values are not those of its format: what they are
};

/// The values of a column, in the producer's memory or, for bits, in its own.
struct arrow_chunk {
  std::string format;  ///< Arrow's, or as its extension type is read: "uuid", "b", or Polars' integers of 128 bits
  arrow_type type{arrow_layout::nothing};  ///< of the values
  std::int64_t length = 0;                 ///< number of values
  void const* values = nullptr;            ///< the first value, or the bytes of all strings
  std::int64_t bytes = 0;                  ///< of the values
  void const* offsets = nullptr;           ///< of strings: where each begins in the bytes and where the last one ends
  detail::raw_array<std::uint8_t> made_values = {};         ///< what `values` points to, if it was made
  detail::raw_array<std::int64_t> made_offsets = {};        ///< the same of `offsets`
  detail::raw_array<std::uint8_t> nulls = {};               ///< 1 for each null; empty if there is none
  std::shared_ptr<arrow_chunk const> dictionary = nullptr;  ///< if there is one, the values are numbers of its values
  ArrowArray const* viewed = nullptr;  ///< of views whose strings are where they were: their array, else null
};

/// @return the strings of checked views, one after the other, without nulls
arrow_chunk with_strings(arrow_chunk const& views);

/// Checks that a type is one of keys.
/// @throws type_error; invalid_argument if the schema contradicts itself
arrow_type arrow_type_of(ArrowSchema const& schema);

/// Checks the fields and pointers of an array against its type. It reads no buffer, so they may be anywhere.
/// @throws as arrow_type_of; invalid_argument if the array contradicts itself
arrow_type check_array(ArrowSchema const& schema, ArrowArray const& array);

/// Reads an array, and checks all places and codes in it. Strings of views stay where they are.
/// @param dictionary that of the array, if it was read before
/// @return values that live as long as the array
/// @throws as check_array; out_of_memory
arrow_chunk read_chunk(ArrowSchema const& schema, ArrowArray const& array,
                       std::shared_ptr<arrow_chunk const> dictionary = nullptr);

/// @return whether two arrays of a type, both of which live, have the same values in the same memory
bool are_same(ArrowSchema const& schema, ArrowArray const& left, ArrowArray const& right);

/// @return what a stream without chunks has
arrow_chunk empty_chunk(ArrowSchema const& schema);

}  // namespace warpdex
