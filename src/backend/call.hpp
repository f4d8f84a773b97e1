// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstdint>

/// @file
/// Functions that engines call for numbers. One that streams over arrays may come in two parts: `f.read(i)`, which
/// loads, and `f(i, loaded)`, which computes and writes. As compilers must not move loads above stores that might
/// change what they load, only then has a thread of a GPU the loads for several numbers in flight.
namespace warpdex {

template <class Function> inline constexpr bool reads_first = requires(Function const& f) { f.read(std::uint64_t{}); };

template <class Function> WDX_HD auto call(Function const& f, std::uint64_t i) {
  if constexpr (reads_first<Function>) return f(i, f.read(i));
  else return f(i);
}

}  // namespace warpdex
