// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "request/text_of.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/backend.hpp"

namespace warpdex {

std::string text_of(byte_key key, execution const& exec) {
  auto const& backend = backend_of(exec);
  constexpr std::uint32_t most = 64;
  std::string bytes(std::min(key.size, most), '\0');
  if (!bytes.empty()) backend.copy(bytes.data(), key.data, bytes.size(), exec);
  backend.synchronize(exec);
  std::string text = "'";
  for (unsigned char const byte : bytes)
    text += byte < 0x20 || byte > 0x7e ? fmt::format("\\x{:02x}", byte) : std::string(1, static_cast<char>(byte));
  return text + (key.size > most ? "..." : "'");
}

std::string text_of(string_source const& strings, std::uint64_t i, execution const& exec) {
  auto const& backend = backend_of(exec);
  buffer const reference = backend.references(strings.from(i), 1, exec);
  byte_key key;
  backend.copy(&key, reference.data(), sizeof(key), exec);
  backend.synchronize(exec);
  return text_of(key, exec);
}

}  // namespace warpdex
