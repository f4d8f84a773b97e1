// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow.hpp>

#include <algorithm>
#include <cstdint>

namespace warpdex {

/// How values of a format are stored: bits of a value, or bytes of an offset of strings.
struct stored {
  std::uint32_t bits = 0;
  std::int64_t offset_bytes = 0;
  bool is_view = false;  ///< of strings in buffers that all rows share

  bool is_taken() const { return bits != 0 || offset_bytes != 0; }
  std::int64_t width() const { return std::max<std::int64_t>(bits / 8, offset_bytes); }
};

/// @return what a gather needs to know; nothing of formats that it does not take. Of a dictionary these are the codes
stored stored_as(ArrowSchema const& schema);

}  // namespace warpdex
