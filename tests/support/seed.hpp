// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace warpdex::test {

/// @return WARPDEX_TEST_SEED of the environment, which changes all random data, or a fixed seed
inline std::uint64_t test_seed() {
  static std::uint64_t const seed = [] {
    char const* const text = std::getenv("WARPDEX_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 20260917ull;
  }();
  return seed;
}

/// A number for a name that is the same with every standard library, so that seeds made from it repeat everywhere
/// (FNV-1a).
constexpr std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace warpdex::test
