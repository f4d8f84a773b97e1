// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstdint>

namespace warpdex {

inline constexpr unsigned values_per_byte = 8;

/// @return the bytes of the validity bits of some values
constexpr std::uint64_t validity_bytes(std::uint64_t values) {
  return values / values_per_byte + (values % values_per_byte != 0);
}

/// Validity bits from that of some value on.
struct validity_bits {
  std::uint8_t const* bits = nullptr;  ///< null if all values are valid
  std::uint64_t offset = 0;

  WDX_HD bool operator()(std::uint64_t i) const {
    return bits == nullptr || (bits[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0;
  }
  validity_bits from(std::uint64_t i) const { return {bits, offset + i}; }
};

}  // namespace warpdex
