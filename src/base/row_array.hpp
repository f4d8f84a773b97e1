// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <cstddef>
#include <cstdint>

#include "base/sized_elements.hpp"

namespace warpdex {

/// An array of row numbers of 4 or 8 bytes.
struct row_array {
  void* data = nullptr;
  std::size_t width = 4;

  WDX_HD std::uint64_t none() const { return width == 4 ? no_row<std::uint32_t> : no_row<std::uint64_t>; }
  WDX_HD std::uint64_t get(std::uint64_t i) const {
    return width == 4 ? load_element<std::uint32_t>(data, i) : load_element<std::uint64_t>(data, i);
  }
  WDX_HD void set(std::uint64_t i, std::uint64_t row) const {
    if (width == 4) store_element(data, i, static_cast<std::uint32_t>(row));
    else store_element(data, i, row);
  }
};

}  // namespace warpdex
