// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "wide.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace warpdex::tables {
namespace {

constexpr std::size_t uuid_size = 36;
constexpr std::size_t longest_address = 45;

bool has_prefix(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

rounded_key exactly(u128 value) { return {value, value, true, true, true}; }

fault parse_digits(std::string_view digits, rounded_key& place) {
  if (digits.empty()) return fault::syntax;
  u128 value = 0;
  bool beyond = false;
  for (char const c : digits) {
    unsigned digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc()) return fault::syntax;
    beyond |= value >> 124 != 0;
    value = value << 4 | digit;
  }
  place = beyond ? rounded_key{~u128{0}, 0, true, false, false} : exactly(value);
  return fault::none;
}

fault parse_uuid(std::string_view text, rounded_key& place) {
  char digits[uuid_size];
  std::size_t count = 0;
  for (std::size_t i = 0; i < uuid_size; ++i) {
    bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-')) return fault::syntax;
    if (!dash) digits[count++] = text[i];
  }
  return parse_digits({digits, count}, place);
}

fault parse_address(std::string_view text, rounded_key& place) {
  char terminated[longest_address + 1] = {};
  text.copy(terminated, longest_address);
  unsigned char bytes[16];
  if (::inet_pton(AF_INET6, terminated, bytes) != 1) return fault::syntax;
  u128 value = 0;
  for (unsigned char const byte : bytes) value = value << 8 | byte;
  place = exactly(value);
  return fault::none;
}

}  // namespace

fault parse_wide(std::string_view text, rounded_key& place) noexcept {
  if (has_prefix(text)) return parse_digits(text.substr(2), place);
  if (text.size() <= longest_address && text.find(':') != std::string_view::npos) return parse_address(text, place);
  if (text.size() == uuid_size) return parse_uuid(text, place);
  if (auto const address = parse_ipv4(text)) {
    place = exactly(u128{0xffff} << 32 | *address);
    return fault::none;
  }
  return fault::syntax;
}

fault parse_hexadecimal(std::string_view text, key_type type, rounded_key& place) noexcept {
  rounded_key wide;
  if (!has_prefix(text) || parse_digits(text.substr(2), wide) != fault::none) return fault::syntax;
  // What u128 does not hold is above all keys, as infinity is.
  place = wide.exact ? round_key(key_type::u128, wide.below, type)
                     : round_key(key_type::f64, std::bit_cast<std::uint64_t>(0x1p128), type);
  return fault::none;
}

std::optional<std::uint32_t> parse_ipv4(std::string_view text) noexcept {
  char terminated[INET_ADDRSTRLEN] = {};
  if (text.size() >= sizeof terminated) return {};
  text.copy(terminated, text.size());
  unsigned char bytes[4];
  if (::inet_pton(AF_INET, terminated, bytes) != 1) return {};
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

char* format_wide(u128 value, char* out) noexcept {
  return fmt::format_to(out, "0x{:016x}{:016x}", static_cast<std::uint64_t>(value >> 64),
                        static_cast<std::uint64_t>(value));
}

char* format_address(std::uint32_t value, char* out) noexcept {
  return fmt::format_to(out, "{}.{}.{}.{}", value >> 24, value >> 16 & 255, value >> 8 & 255, value & 255);
}

char* format_address(u128 value, char* out) noexcept {
  if (value >> 32 == 0xffff) return format_address(static_cast<std::uint32_t>(value), out);
  unsigned char bytes[16];
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * (15 - i)) & 255);
  return out + std::strlen(::inet_ntop(AF_INET6, bytes, out, INET6_ADDRSTRLEN));
}

}  // namespace warpdex::tables
