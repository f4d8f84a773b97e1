// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstdint>

/// @file
/// Functions that engines call for numbers. A function that streams over arrays may come in two parts: `f.read(i)`
/// loads, and `f(i, loaded)` computes and writes. A compiler must not move a load above a store that might change its
/// value. So only a function in two parts lets a thread of a GPU keep the loads of several numbers in flight.
namespace warpdex {

template <class Function> inline constexpr bool reads_first = requires(Function const& f) { f.read(std::uint64_t{}); };

template <class Function> WDX_HD auto call(Function const& f, std::uint64_t i) {
  if constexpr (reads_first<Function>) return f(i, f.read(i));
  else return f(i);
}

}  // namespace warpdex
