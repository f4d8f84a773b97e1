// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpdex {

/// Elements that an array, or an index, has less than: far beyond any memory, and low enough that no geometry and no
/// number of bytes overflows.
inline constexpr std::uint64_t element_limit = std::uint64_t{1} << 48;

}  // namespace warpdex
