// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpdex {

/// Every array and every index has fewer elements than this. The limit is far beyond any memory, and low enough that no
/// computation of shapes or bytes overflows.
inline constexpr std::uint64_t element_limit = std::uint64_t{1} << 48;

}  // namespace warpdex
