// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace warpdex::test {

/// @return WARPDEX_TEST_SEED of the environment, which changes all random data, or a fixed seed
inline std::uint64_t test_seed() {
  static std::uint64_t const seed = [] {
    char const* const text = std::getenv("WARPDEX_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 20260917ull;
  }();
  return seed;
}

}  // namespace warpdex::test
