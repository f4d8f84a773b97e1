// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace warpdex {

void in_arena(int threads, std::function<void()> const& body) {
  if (threads <= 0) return body();
  tbb::task_arena arena(threads);
  arena.execute(body);
}

void parallel_chunks(int threads, std::uint64_t n, std::uint64_t grain,
                     std::function<void(std::uint64_t, std::uint64_t)> const& body) {
  if (n == 0) return;
  if (threads == 1 || n <= grain) return body(0, n);
  in_arena(threads, [&] {
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, n, grain),
                      [&](tbb::blocked_range<std::uint64_t> const& r) { body(r.begin(), r.end()); });
  });
}

}  // namespace warpdex
