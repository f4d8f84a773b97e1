// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

/// @file
/// Work for host threads. The bodies are type-erased so that what shares it out is compiled once and not for every
/// view.
namespace warpdex {

/// Calls body(begin, end) for chunks of about `grain` that cover [0, n). With one thread, or one chunk's
/// worth of work, the calling thread does it all.
void parallel_chunks(int threads, std::uint64_t n, std::uint64_t grain,
                     std::function<void(std::uint64_t, std::uint64_t)> const& body);

}  // namespace warpdex
