// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/loads.hpp"

#include "bench/gpu.hpp"
#include "bench/grouped_loads.hpp"
#include "bench/parallel.hpp"
#include "bench/placed.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr std::uint64_t all_threads = std::uint64_t{1} << 16;
constexpr std::uint64_t heavy_grain = 64;  ///< threads of the figure whose loads are worth one task

std::uint32_t entry(std::uint64_t seed, std::uint64_t i) { return static_cast<std::uint32_t>(mix(seed ^ i)); }

/// All loads, group after group.
void load_on_cpu(grouped_loads const& loads, std::uint32_t const* data, std::uint32_t* sums, int threads) {
  auto const lanes = loads.group_size();
  parallel_chunks(
      threads, all_threads / lanes,
      [&](std::uint64_t begin, std::uint64_t end) {
        for (auto group = begin; group < end; ++group) {
          auto* const own = sums + group * lanes;
          std::fill_n(own, lanes, 0);
          noise places = loads.places_of(group);
          for (std::uint64_t step = 0; step < loads.steps; ++step) {
            auto const* const from = data + loads.next(places);
            for (std::uint64_t lane = 0; lane < lanes; ++lane) own[lane] += from[lane];
          }
        }
      },
      std::max<std::uint64_t>(1, heavy_grain / lanes));
}

}  // namespace

void run_loads(config const& c, cli_context const& context, report& out) {
  execution const exec = make_execution(c.backend, c.threads.front());
  bool const gpu = on_gpu(exec);
  array<std::uint32_t> numbers(c.n);
  array<std::uint32_t> expected(all_threads);
  parallel_chunks(c.n, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) numbers[i] = entry(c.seed, i);
  });
  placed<std::uint32_t> const data(numbers.first(c.n), exec);

  for (int bits = 0; bits <= most_group_bits; ++bits) {
    auto const name = fmt::format("loads by groups of {}", 1 << bits);
    progress const shown(context, name);
    grouped_loads const loads{c.n, c.probes, bits, c.seed};
    parallel_chunks(
        all_threads,
        [&](std::uint64_t begin, std::uint64_t end) {
          for (auto t = begin; t < end; ++t) expected[t] = loads.sum(t, [&](auto i) { return entry(c.seed, i); });
        },
        heavy_grain);
    for (int const threads : gpu ? std::vector<int>{0} : c.threads) {
      result_array sums(all_threads, sizeof(std::uint32_t), exec);
      auto* const to = sums.as<std::uint32_t>().data();
      auto const clock = make_timer(exec);
      std::vector<double> runs;
      for (int r = -1; r < c.repeat; ++r) {  // the first run warms caches and is not counted
        sums.poison();
        clock->start();
        if (gpu) gpu::grouped_loads(data.data(), loads, to, all_threads, exec);
        else load_on_cpu(loads, data.data(), to, threads);
        double const time = clock->stop();
        if (r >= 0) runs.push_back(time);
        sums.fetch();
        for (std::uint64_t t = 0; t < all_threads; ++t)
          if (auto const sum = sums.at<std::uint32_t>(t); sum != expected[t])
            throw error(fmt::format("{}: wrong sum of thread {}: {}, expected {}", name, t, sum, expected[t]));
      }
      out.add(
          {name, threads, seconds::of(std::move(runs)), all_threads * c.probes, 0, c.n * sizeof(std::uint32_t), true});
    }
  }
}

}  // namespace warpdex::bench
