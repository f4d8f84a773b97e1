// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>

namespace warpdex {
namespace detail {

/// A predicate of the numbers from `begin` on.
template <class Predicate> struct shifted_predicate {
  Predicate holds;
  std::uint64_t begin;
  WDX_HD bool operator()(std::uint64_t i) const { return holds(begin + i); }
};

}  // namespace detail

/// @return the first number below `size` for which a predicate holds, if there is one. Synchronises.
template <class Loops, class Predicate>
std::optional<std::uint64_t> first_if(execution const& exec, std::uint64_t size, Predicate const& holds) {
  std::uint64_t begin = 0;
  auto const any = [&](std::uint64_t count) {
    return Loops::count_if(exec, count, detail::shifted_predicate<Predicate>{holds, begin}) != 0;
  };
  if (size == 0 || !any(size)) return std::nullopt;
  for (std::uint64_t count = size; count > 1;) {
    std::uint64_t const half = count / 2;
    if (any(half)) {
      count = half;
    } else {
      begin += half;
      count -= half;
    }
  }
  return begin;
}

}  // namespace warpdex
