// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/types.hpp>

#include <array>
#include <string>
#include <string_view>

namespace warpdex {
namespace {
constexpr std::array<std::string_view, key_types.size()> key_names = {"u32", "u64",  "i32",       "i64",  "f32",
                                                                      "f64", "date", "timestamp", "u128", "bytes"};
}

std::string_view to_string(key_type type) noexcept {
  auto const number = static_cast<std::size_t>(type);
  return number < key_names.size() ? key_names[number] : "none";
}

std::string_view to_string(row_type type) noexcept {
  return type == row_type::u32 ? "u32" : type == row_type::u64 ? "u64" : "none";
}

key_type parse_key_type(std::string_view name) {
  for (key_type const type : key_types)
    if (to_string(type) == name) return type;
  throw invalid_argument("unknown key type '" + std::string(name) +
                         "'; expected u32, u64, i32, i64, f32, f64, date, timestamp, u128 or bytes");
}

}  // namespace warpdex
