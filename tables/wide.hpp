// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calendar.hpp"

#include <warpdex/column.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

/// @file
/// Keys of 16 bytes as text.
namespace warpdex::tables {

/// Reads a number in hexadecimal after `0x`, a UUID (`123e4567-e89b-12d3-a456-426614174000`), or an IPv6 address
/// (`2001:db8::1`), or an IPv4 address, which becomes the IPv6 address `::ffff:a.b.c.d`. Addresses and UUIDs are read
/// as numbers in network byte order, so they are ordered like these numbers.
/// @param place the place of the value among the u128
fault parse_wide(std::string_view text, rounded_key& place) noexcept;

/// Reads a number in hexadecimal after `0x`. @param place its place among the keys of a type of numbers
fault parse_hexadecimal(std::string_view text, key_type type, rounded_key& place) noexcept;

/// Reads an IPv4 address, four numbers with dots between them, as a number in network byte order.
std::optional<std::uint32_t> parse_ipv4(std::string_view text) noexcept;

/// Writes an IPv4 address, and returns the end.
char* format_address(std::uint32_t value, char* out) noexcept;

/// Writes an IPv6 address, or an IPv4 address among them, and returns the end.
char* format_address(u128 value, char* out) noexcept;

/// Longest text that `format_wide` writes.
inline constexpr std::size_t wide_text_size = 34;

/// Writes `0x` and 32 digits, and returns the end.
char* format_wide(u128 value, char* out) noexcept;

}  // namespace warpdex::tables
