// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/search/common.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "bench/baselines.hpp"
#include "bench/parallel.hpp"

namespace warpdex::bench {
namespace {

constexpr std::uint64_t reads = std::uint64_t{1} << 23;

/// Reads in flight. A core has fewer buffers for lines that are missing from its caches.
constexpr std::uint64_t in_flight = 64;

struct alignas(64) line {
  std::uint64_t words[8];
};

/// @return the sum of the lines that a group of reads finds
template <class Word>
std::uint64_t sum_of_group(std::uint64_t seed, std::uint64_t group, std::uint64_t lines, Word const& word) {
  noise places(seed, group);
  std::uint64_t at[in_flight];
  for (auto& place : at) word.announce(place = places.below(lines));
  std::uint64_t sum = 0;
  for (auto const place : at) sum += word(place);
  return sum;
}

/// Reads a line of memory.
struct read_word {
  line const* lines;
  void announce(std::uint64_t place) const { prefetch(lines + place); }
  std::uint64_t operator()(std::uint64_t place) const { return lines[place].words[0]; }
};

/// Computes what the line holds.
struct right_word {
  void announce(std::uint64_t) const {}
  std::uint64_t operator()(std::uint64_t place) const { return mix(place); }
};

template <class Word> std::uint64_t sum_of_all(int threads, std::uint64_t seed, std::uint64_t lines, Word const& word) {
  std::atomic<std::uint64_t> total{0};
  parallel_chunks(
      threads, reads / in_flight,
      [&](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t sum = 0;
        for (auto group = begin; group < end; ++group) sum += sum_of_group(seed, group, lines, word);
        total += sum;
      },
      64);
  return total;
}

}  // namespace

void run_random_lines(config const& c, std::uint64_t bytes, report& out) {
  array<line> const lines(std::max<std::uint64_t>(1, bytes / sizeof(line)));
  parallel_chunks(lines.size(), [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) std::fill(std::begin(lines[i].words), std::end(lines[i].words), mix(i));
  });
  auto const right = sum_of_all(c.threads.front(), c.seed, lines.size(), right_word{});
  for (int const threads : thread_counts(c)) {
    std::vector<double> runs;
    for (int r = 0; r < c.repeat; ++r) {
      wall_clock clock;
      auto const sum = sum_of_all(threads, c.seed, lines.size(), read_word{lines.data()});
      runs.push_back(clock.stop());
      if (sum != right) throw error(fmt::format("random lines: wrong sum {}, expected {}", sum, right));
    }
    baseline b{"random lines", threads, seconds::of(std::move(runs)), reads, 0, lines.size() * sizeof(line)};
    b.limit = true;
    b.compared = true;
    out.add(b);
  }
}

}  // namespace warpdex::bench
