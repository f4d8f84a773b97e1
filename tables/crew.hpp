// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace warpdex::tables {

/// @param asked 0 for all cores
inline std::size_t number_of_threads(int asked) noexcept {
  return asked > 0 ? static_cast<std::size_t>(asked) : std::max(1u, std::thread::hardware_concurrency());
}

/// Calls `run(i)` for all i below `count`, on several threads at a time. `run` throws nothing. If threads cannot be
/// started, fewer do the work.
template <class Run> void run_parts(std::size_t count, int threads, Run const& run) {
  std::atomic<std::size_t> next{0};
  auto const work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) run(i);
  };
  std::size_t const wanted = std::min(count, number_of_threads(threads));
  std::vector<std::thread> helpers;
  helpers.reserve(wanted);
  try {
    while (helpers.size() + 1 < wanted) helpers.emplace_back(work);
  } catch (std::system_error const&) {
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace warpdex::tables
