// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstdint>

namespace warpdex::bench {

/// Elements per chunk that are worth the start of a task, if each is little work.
inline constexpr std::uint64_t light_grain = std::uint64_t{1} << 14;

/// Calls body(begin, end) for chunks of [0, n), on all cores.
template <class Body> void parallel_chunks(std::uint64_t n, Body const& body, std::uint64_t grain = light_grain) {
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, n, grain),
                    [&](tbb::blocked_range<std::uint64_t> const& r) { body(r.begin(), r.end()); });
}

/// The same with `threads` threads, one of which is the calling thread.
template <class Body>
void parallel_chunks(int threads, std::uint64_t n, Body const& body, std::uint64_t grain = light_grain) {
  if (threads == 1) {
    if (n > 0) body(std::uint64_t{0}, n);
    return;
  }
  tbb::task_arena arena(threads);
  arena.execute([&] { parallel_chunks(n, body, grain); });
}

}  // namespace warpdex::bench
