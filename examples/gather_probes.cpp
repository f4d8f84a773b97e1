// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// gather_probes [THREADS [PROBES [WAIT]]]: each of some threads asks for one key after the other, as the threads of a
// server do. A batcher gathers the keys of all threads and answers them as batches, each at the latest after WAIT
// microseconds. Beside it each thread looks up its keys by itself. Prints rates, and how long a thread waited for a
// key.
#include <warpdex/batcher.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint32_t keys = 1u << 20;

std::uint32_t key_of(std::uint32_t row) { return row * 2654435761u; }

struct load {
  std::uint32_t threads;
  std::uint32_t probes;  ///< of each thread

  std::uint32_t row_of(std::uint32_t thread, std::uint32_t i) const { return (thread * probes + i) * 40503u % keys; }
};

/// Runs the threads, whose probes `find` answers, and prints what they saw.
/// @return whether all answers are right
template <class Find>
bool run(char const* name, load const& all, std::atomic<std::uint64_t> const& batches, Find find) {
  std::vector<double> waits;
  std::mutex mutex;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  auto const begin = clock::now();
  for (std::uint32_t t = 0; t < all.threads; ++t)
    threads.emplace_back([&, t] {
      std::vector<double> own;
      for (std::uint32_t i = 0; i < all.probes; ++i) {
        std::uint32_t const row = all.row_of(t, i);
        auto const start = clock::now();
        if (find(key_of(row)) != row) ++wrong;
        own.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
      }
      std::lock_guard const lock(mutex);
      waits.insert(waits.end(), own.begin(), own.end());
    });
  for (std::thread& thread : threads) thread.join();
  double const seconds = std::chrono::duration<double>(clock::now() - begin).count();
  std::sort(waits.begin(), waits.end());
  std::printf("%-16s %8.0f probes/s %8.0f batches/s %8.1f us p50 %8.1f us p99\n", name,
              static_cast<double>(waits.size()) / seconds, static_cast<double>(batches) / seconds,
              waits[waits.size() / 2], waits[waits.size() * 99 / 100]);
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto const argument = [&](int i, unsigned usual) {
    return argc > i ? static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10)) : usual;
  };
  load const all{std::max(1u, argument(1, 64)), std::max(1u, argument(2, 20000))};
  std::chrono::microseconds const wait(argument(3, 0));

  std::vector<std::uint32_t> column(keys);
  for (std::uint32_t row = 0; row < keys; ++row) column[row] = key_of(row);
  warpdex::execution const exec = warpdex::execution().with_threads(1);
  auto const index = warpdex::index::build("HT(open)", column, warpdex::execution());

  std::atomic<std::uint64_t> batches = 0;
  bool right = run("one by one", all, batches, [&](std::uint32_t key) { return index.find(key, exec); });

  warpdex::batcher batch(
      [&, answer = warpdex::batcher::answers_of(index, exec)](auto const& what, auto const& probes, auto answers) {
        ++batches;
        answer(what, probes, answers);
      },
      {.most_probes = 4096, .longest_wait = wait});
  right &= run("by a batcher", all, batches, [&](std::uint32_t key) {
    return batch.ask(warpdex::lookups::find, key).get();  // waits; with a function as third argument nobody waits
  });
  return right ? 0 : 1;
}
