// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "wide.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace warpdex::input {
namespace {

constexpr std::size_t uuid_size = 36;
constexpr std::size_t longest_address = 45;

fault parse_digits(std::string_view digits, unsigned base, u128& out) {
  if (digits.empty()) return fault::syntax;
  bool fits = true;
  out = 0;
  for (char const c : digits) {
    unsigned digit = 0;
    if (std::from_chars(&c, &c + 1, digit, static_cast<int>(base)).ec != std::errc()) return fault::syntax;
    fits = fits && !__builtin_mul_overflow(out, u128{base}, &out) && !__builtin_add_overflow(out, u128{digit}, &out);
  }
  return fits ? fault::none : fault::range;
}

fault parse_uuid(std::string_view text, u128& out) {
  char digits[uuid_size];
  std::size_t count = 0;
  for (std::size_t i = 0; i < uuid_size; ++i) {
    bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-')) return fault::syntax;
    if (!dash) digits[count++] = text[i];
  }
  return parse_digits({digits, count}, 16, out);
}

fault parse_address(std::string_view text, u128& out) {
  char terminated[longest_address + 1] = {};
  text.copy(terminated, longest_address);
  unsigned char bytes[16];
  if (::inet_pton(AF_INET6, terminated, bytes) != 1) return fault::syntax;
  out = 0;
  for (unsigned char const byte : bytes) out = out << 8 | byte;
  return fault::none;
}

}  // namespace

fault parse_wide(std::string_view text, u128& out) noexcept {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_digits(text.substr(2), 16, out);
  if (text.size() <= longest_address && text.find(':') != std::string_view::npos) return parse_address(text, out);
  if (text.size() == uuid_size && text.find('-') != std::string_view::npos) return parse_uuid(text, out);
  return parse_digits(text, 10, out);
}

char* format_wide(u128 value, char* out) noexcept {
  return fmt::format_to(out, "0x{:016x}{:016x}", static_cast<std::uint64_t>(value >> 64),
                        static_cast<std::uint64_t>(value));
}

}  // namespace warpdex::input
