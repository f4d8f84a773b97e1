// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace warpdex {

/// Reads `67108864`, `67_108_864`, `2^26`, `1e6`, or thousands, millions and milliards as `1K`, `1M` and `1G`. @throws
/// usage_error naming `option`
std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t lowest, std::uint64_t highest);

}  // namespace warpdex
