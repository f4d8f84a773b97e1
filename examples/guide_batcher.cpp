// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines about single probes of many threads in docs/guide/cpp.md.
#include <warpdex/batcher.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

int main() {
  using namespace std::chrono_literals;
  std::vector<std::uint32_t> const column = {30, 10, 20, 10};
  auto const index = warpdex::index::build("AO+BS", column, warpdex::execution());
  warpdex::batcher batch(index, {}, {.most_probes = 4096, .longest_wait = 50us});

  // In any number of threads:
  auto const serve = [&](std::uint32_t key) { return batch.ask(warpdex::lookups::find, key).get(); };  // or no_row
  std::atomic<std::uint64_t> row = 0;
  std::thread client([&] { row = serve(20); });
  client.join();

  // The answer may also be handed to a function, which runs in the batcher's thread.
  std::atomic<std::uint64_t> entries = 0;
  batch.ask(warpdex::lookups::count, 10, [&](std::uint64_t count, std::exception_ptr const& failure) {
    if (failure == nullptr) entries = count;
  });
  batch.stop();  // answers what it has taken; so does its end

  std::printf("row %llu, %llu entries\n", static_cast<unsigned long long>(row),
              static_cast<unsigned long long>(entries));
  return row == 2 && entries == 2 ? 0 : 1;
}
