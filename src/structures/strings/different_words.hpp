// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <warpdex/memory.hpp>

#include <cstdint>

namespace warpdex {
namespace detail {

/// Whether word `i` of two arrays differs.
struct words_differ {
  std::uint64_t const* a;
  std::uint64_t const* b;
  WDX_HD bool operator()(std::uint64_t i) const { return a[i] != b[i]; }
};

}  // namespace detail

/// @return the number of words of 8 bytes in which two arrays differ; 1 if their lengths do
template <class Engine> std::uint64_t different_words(buffer const& a, buffer const& b, execution const& exec) {
  if (a.bytes() != b.bytes()) return 1;
  return Engine::count_if(exec, a.bytes() / sizeof(std::uint64_t),
                          detail::words_differ{a.as<std::uint64_t>(), b.as<std::uint64_t>()});
}

}  // namespace warpdex
