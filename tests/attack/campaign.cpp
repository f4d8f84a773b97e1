// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "attack/campaign.hpp"

#include "support/seed.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace warpdex::attack {
namespace {

/// A round that takes longer than this hangs, even on the slowest machine with sanitizers.
constexpr unsigned hang_seconds = 300;

/// Runs all rounds. @param current holds the seed of the current round for the parent process
int run_rounds(std::string const& program, std::uint64_t rounds, attempt const& round,
               std::uint64_t volatile& current) {
  char const* const text = std::getenv("WARPDEX_ATTACK_SECONDS");
  std::chrono::duration<double> const limit(text != nullptr ? std::strtod(text, nullptr) : 0);
  auto const begin = std::chrono::steady_clock::now();
  auto const goes_on = [&](std::uint64_t done) {
    return text != nullptr ? std::chrono::steady_clock::now() - begin < limit : done < rounds;
  };

  tally tried;
  std::uint64_t done = 0;
  for (; goes_on(done); ++done) {
    current = test::test_seed() + done;
    ::alarm(hang_seconds);
    std::mt19937_64 random(current);
    try {
      round(random, tried);
    } catch (std::exception const& e) {
      fmt::print(stderr, "{}\n", e.what());
      return 1;
    }
  }
  ::alarm(0);
  for (auto const& [what, count] : tried) fmt::print("{}: {:>10} {}\n", program, count, what);
  fmt::print("{}: {} rounds from seed {} on, all as they should be\n", program, done, test::test_seed());
  return 0;
}

}  // namespace

int run(std::string const& program, std::uint64_t rounds, attempt const& round) {
  void* const shared =
      ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto& current = *static_cast<std::uint64_t volatile*>(shared);
  pid_t const child = ::fork();
  if (child == 0) std::exit(run_rounds(program, rounds, round, current));
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) {
    std::perror("fork");
    return 2;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  fmt::print(stderr, "{}: {}. The same again: WARPDEX_TEST_SEED={} {}\n", program,
             WIFSIGNALED(status)
                 ? fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                 : fmt::format("exit code {}", WEXITSTATUS(status)),
             current, program);
  return 1;
}

}  // namespace warpdex::attack
