// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

/// @file
/// Parallel loops over host threads. The body is type-erased, so the code that distributes the work is compiled once
/// and not per view.
namespace warpdex {

/// Calls body(begin, end) for chunks of `grain` numbers that cover [0, n); the last chunk may be smaller. With one
/// thread, or a single chunk, the calling thread does all the work in one call.
/// @param threads threads that work, the calling one included; 0 means all cores
/// @throws what the body throws, after all threads have stopped
void parallel_chunks(int threads, std::uint64_t n, std::uint64_t grain,
                     std::function<void(std::uint64_t, std::uint64_t)> const& body);

}  // namespace warpdex
