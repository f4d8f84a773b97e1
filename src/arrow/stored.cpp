// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "arrow/stored.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace warpdex {
namespace {

std::uint32_t number_in(std::string_view text) {
  std::uint32_t found = 0;
  std::from_chars(text.data(), text.data() + text.size(), found);
  return found;
}

}  // namespace

stored stored_as(ArrowSchema const& schema) {
  std::string_view const format = schema.format;
  static constexpr std::pair<std::string_view, std::uint32_t> plain[] = {
      {"b", 1},    {"c", 8},    {"C", 8},    {"s", 16},    {"S", 16},        {"e", 16},       {"i", 32},
      {"I", 32},   {"f", 32},   {"l", 64},   {"L", 64},    {"g", 64},        {"tdD", 32},     {"tdm", 64},
      {"tts", 32}, {"ttm", 32}, {"ttu", 64}, {"ttn", 64},  {"tDs", 64},      {"tDm", 64},     {"tDu", 64},
      {"tDn", 64}, {"tiM", 32}, {"tiD", 64}, {"tin", 128}, {"_pli128", 128}, {"_plu128", 128}};
  for (auto const& [name, bits] : plain)
    if (format == name) return {bits};
  if (format.starts_with("ts")) return {64};
  if (format.starts_with("w:")) {
    std::uint32_t const bytes = number_in(format.substr(2));
    return {bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 ? 8 * bytes : 0};
  }
  if (format.starts_with("d:")) {
    auto const second = format.find(',', format.find(',') + 1);
    std::uint32_t const bits = second == std::string_view::npos ? 128 : number_in(format.substr(second + 1));
    return {bits <= 128 ? bits : 0};
  }
  if (format == "vu" || format == "vz") return {.bits = 128, .is_view = true};
  if (format == "u" || format == "z") return {0, 4};
  if (format == "U" || format == "Z") return {0, 8};
  if (format == "+s") return {.items = 1, .is_nested = true};
  if (format == "+l" || format == "+m") return {.offset_bytes = 4, .is_nested = true};
  if (format == "+L") return {.offset_bytes = 8, .is_nested = true};
  if (format.starts_with("+w:")) return {.items = number_in(format.substr(3)), .is_nested = true};
  return {};
}

}  // namespace warpdex
