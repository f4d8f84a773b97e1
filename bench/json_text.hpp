// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace warpdex::bench {

/// @return JSON as text. File names and cells may be any bytes; bytes that are not UTF-8 become U+FFFD.
/// @param indent blanks per level of nesting, or -1 for one line
inline std::string json_text(nlohmann::ordered_json const& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace warpdex::bench
