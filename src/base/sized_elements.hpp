// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// Elements of arrays of numbers whose width is known at run time.
namespace warpdex::detail {

/// @return element `i` of an array of numbers of `width` bytes
WDX_HD inline u128 load_bytes(void const* array, std::size_t width, std::uint64_t i) {
  if (width == 1) return static_cast<std::uint8_t const*>(array)[i];
  if (width == 4) return load_element<std::uint32_t>(array, i);
  if (width == 8) return load_element<std::uint64_t>(array, i);
  return load_element<u128>(array, i);
}

WDX_HD inline void store_bytes(void* array, std::size_t width, std::uint64_t i, u128 value) {
  if (width == 1) static_cast<std::uint8_t*>(array)[i] = static_cast<std::uint8_t>(value);
  else if (width == 4) store_element(array, i, static_cast<std::uint32_t>(value));
  else if (width == 8) store_element(array, i, static_cast<std::uint64_t>(value));
  else store_element(array, i, value);
}

}  // namespace warpdex::detail
