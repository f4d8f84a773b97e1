// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow.hpp>

#include <algorithm>
#include <cstdint>

namespace warpdex {

/// How values of a format are stored: bits of a value, bytes of an offset of strings or lists, or items of a value.
struct stored {
  std::uint32_t bits = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t items = 0;  ///< of a list of fixed size; of a struct 1
  bool is_view = false;    ///< of strings in buffers that all rows share
  bool is_nested = false;  ///< whether values are in columns of their own, as those of lists, maps and structs

  bool is_taken() const { return bits != 0 || offset_bytes != 0 || items != 0; }
  std::int64_t width() const { return std::max({std::int64_t{bits / 8}, offset_bytes, items}); }
  std::int64_t buffers() const {
    if (is_nested) return offset_bytes != 0 ? 2 : 1;
    return is_view || offset_bytes != 0 ? 3 : 2;
  }
};

/// @return what a gather needs to know; nothing of formats that it does not take. Of a dictionary these are the codes
stored stored_as(ArrowSchema const& schema);

}  // namespace warpdex
