// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/byte_key.hpp>

#include <string>

#include "backend/strings/strings.hpp"

namespace warpdex {

/// @param key within reach of the backend of `exec`
/// @return a string for messages: its first bytes in quotes, those that are no printable characters as \\xNN
std::string text_of(byte_key key, execution const& exec);

/// The same for string `i` of a column.
std::string text_of(string_source const& strings, std::uint64_t i, execution const& exec);

}  // namespace warpdex
