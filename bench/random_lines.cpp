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
#include "bench/context.hpp"
#include "bench/gpu.hpp"
#include "bench/line_reads.hpp"
#include "bench/lookup.hpp"
#include "bench/parallel.hpp"
#include "bench/placed.hpp"

namespace warpdex::bench {
namespace {

/// Reads in flight. A core has fewer buffers for lines that are missing from its caches.
constexpr std::uint64_t in_flight = 64;

struct alignas(line_reads::line_bytes) line {
  std::uint64_t words[8];
};

std::uint64_t lines_in(std::uint64_t bytes) { return std::max<std::uint64_t>(1, bytes / sizeof(line)); }

/// Lines that hold functions of their places.
buffer make_lines(std::uint64_t count, memory_resource& memory) {
  buffer result(count * sizeof(line), execution(memory));
  auto* const lines = result.as<line>();
  parallel_chunks(count, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) std::fill(std::begin(lines[i].words), std::end(lines[i].words), mix(i));
  });
  return result;
}

/// Reads a line of memory.
struct read_word {
  line const* lines;
  void announce(std::uint64_t line) const { prefetch(lines + line); }
  std::uint64_t operator()(std::uint64_t line) const { return lines[line].words[0]; }
};

/// Computes what the line holds.
struct right_word {
  void announce(std::uint64_t) const {}
  std::uint64_t operator()(std::uint64_t line) const { return mix(line); }
};

/// @return the sum of the lines that a group of reads finds
template <class Word> std::uint64_t sum_of_group(line_reads const& reads, std::uint64_t first, Word const& word) {
  std::uint64_t const count = std::min(in_flight, reads.reads - first);
  std::uint64_t at[in_flight];
  for (std::uint64_t i = 0; i < count; ++i) word.announce(at[i] = reads.place(first + i));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += word(at[i]);
  return sum;
}

template <class Word> std::uint64_t sum_of_all(int threads, line_reads const& reads, Word const& word) {
  std::atomic<std::uint64_t> total{0};
  parallel_chunks(
      threads, (reads.reads + in_flight - 1) / in_flight,
      [&](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t sum = 0;
        for (auto group = begin; group < end; ++group) sum += sum_of_group(reads, group * in_flight, word);
        total += sum;
      },
      64);
  return total;
}

/// @param sum of what the lines hold, by some threads or on a device, with its time
template <class Sum> seconds time_reads(config const& c, char const* name, line_reads const& reads, Sum const& sum) {
  auto const right = sum_of_all(c.threads.front(), reads, right_word{});
  std::vector<double> runs;
  for (int r = 0; r < c.repeat; ++r) {
    auto const [found, time] = sum();
    runs.push_back(time);
    if (found != right) throw error(fmt::format("{}: wrong sum {}, expected {}", name, found, right));
  }
  return seconds::of(std::move(runs));
}

/// One line per number of threads.
void time_on_cpu(config const& c, char const* name, line_reads const& reads, line const* lines, bool compared,
                 report& out) {
  for (int const threads : thread_counts(c)) {
    auto const time = time_reads(c, name, reads, [&] {
      wall_clock clock;
      auto const sum = sum_of_all(threads, reads, read_word{lines});
      return std::pair(sum, clock.stop());
    });
    out.add({name, threads, time, reads.reads, 0, reads.lines * sizeof(line), true, compared});
  }
}

void time_on_gpu(config const& c, char const* name, line_reads const& reads, void const* lines, execution const& exec,
                 report& out) {
  auto const clock = make_timer(exec);
  buffer const total(sizeof(std::uint64_t), exec);
  auto const read = [&] {
    gpu::fill(total.data(), 0, total.bytes(), exec);
    clock->start();
    gpu::read_lines(lines, reads, total.as<std::uint64_t>(), exec);
    double const passed = clock->stop();
    std::uint64_t sum = 0;
    warpdex::copy(&sum, total.data(), sizeof sum, exec);
    return std::pair(sum, passed);
  };
  read();  // the first launch of a kernel also loads it
  auto const time = time_reads(c, name, reads, read);
  out.add({name, 0, time, reads.reads, 0, reads.lines * sizeof(line), true});
}

}  // namespace

void run_random_lines(config const& c, std::uint64_t bytes, report& out) {
  constexpr std::uint64_t count = std::uint64_t{1} << 23;
  line_reads const reads{lines_in(bytes), count, mix(c.seed)};
  buffer const lines = make_lines(reads.lines, host_memory());
  time_on_cpu(c, "random lines", reads, lines.as<line>(), true, out);
}

void run_lines(config const& c, cli_context const& context, report& out) {
  execution const exec = make_execution(c.backend, c.threads.front());
  bool const gpu = on_gpu(exec);
  expect_points_on(c, gpu);
  if (c.place == placement::host) throw usage_error("--place host: a device reads lines of pinned memory");
  std::uint64_t const count = lines_in(c.n * sizeof(std::uint64_t));
  progress const shown(context, "reading lines");
  buffer const host = make_lines(count, c.place == placement::pinned ? pinned_memory() : host_memory());
  // Pinned lines are read where they are.
  placed<line> const lines({host.as<line>(), count}, exec, c.place == placement::pinned ? placement::host : c.place);
  for (bool const ascending : {false, true}) {
    char const* const name = ascending ? "ascending lines" : "random lines";
    line_reads const reads{count, c.probes, mix(c.seed), ascending};
    if (gpu) time_on_gpu(c, name, reads, lines.data(), exec, out);
    else time_on_cpu(c, name, reads, lines.data(), false, out);
  }
}

}  // namespace warpdex::bench
