// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/parallel.hpp>

#include <cstdint>

#include "backend/cpu/tuning.hpp"
#include "base/prefix.hpp"

/// @file
/// Parallel loops over host threads. The body is type-erased, so the code that distributes the work is compiled once
/// and not per view.
namespace warpdex {

/// `parallel_chunks` for work that makes a list for each number. A chunk is as large as what it takes and makes: about
/// `copy_grain` numbers and elements of their lists, or one list.
/// @param offsets of the list of each number, and of the end
template <class Offset, class Body>
void parallel_lists(int threads, std::uint64_t n, Offset const* offsets, Body const& body) {
  if (n == 0) return;
  // The work before each number, which ascends.
  auto const before = [&](std::uint64_t i) { return i + (std::uint64_t{offsets[i]} - std::uint64_t{offsets[0]}); };
  auto const first_from = [&](std::uint64_t work) {
    return end_of_prefix<std::uint64_t>(0, n, [&](std::uint64_t i) { return before(i) < work; });
  };
  parallel_chunks(threads, before(n), cpu::tuning::copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t const first = first_from(begin), last = first_from(end);
    if (first != last) body(first, last);
  });
}

}  // namespace warpdex
