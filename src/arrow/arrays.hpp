// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow_chunk.hpp>

#include <cstdint>

/// @file
/// Checks of arrays of Arrow, and strings in the layout of views.
namespace warpdex {

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

/// The buffers of an array, of any type.
struct arrow_buffers {
  std::int64_t count = 0;  ///< 0 if they are not read
  std::int64_t width = 1;  ///< bytes of a value; of strings those of an offset
  bool or_more = false;
};

/// Checks the fields of an array, and the pointers to those of its buffers that have an element per value. It reads no
/// buffer, so they may be anywhere. @throws invalid_argument
void check_fields(ArrowArray const& array, arrow_buffers const& buffers);

}  // namespace warpdex
