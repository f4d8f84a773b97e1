// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

/// @file
/// Loops on the threads of the library, which all its calls on the CPU share.
namespace warpdex {

/// Calls body(begin, end) for chunks of `grain` numbers that cover [0, n); the last chunk may be smaller. Looks for a
/// stop request (stop.hpp) before each of them. With one thread, or a single chunk, the calling thread does all the
/// work.
/// @param threads threads that work, the calling one included; 0 means all cores
/// @throws what the body throws, after all threads have stopped; `cancelled`
void parallel_chunks(int threads, std::uint64_t n, std::uint64_t grain,
                     std::function<void(std::uint64_t, std::uint64_t)> const& body);

}  // namespace warpdex
