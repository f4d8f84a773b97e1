// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/refit.hpp"

#include "bench/measure.hpp"
#include "bench/moved_triangles.hpp"
#include "bench/placed.hpp"
#include "bench/random.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

using numbers = std::vector<std::uint32_t>;

constexpr std::uint64_t sample = std::uint64_t{1} << 12;
constexpr std::uint64_t ray_grain = std::uint64_t{1} << 8;

/// Triangles of keys in the order given, and their boxes.
class scene {
 public:
  scene(numbers const& keys, execution const& exec)
      : exec_(exec), keys_(std::span(keys), exec), levels_(keys.size(), keys.size(), false),
        boxes_(std::max<std::uint64_t>(1, levels_.node_count()) * sizeof(ray_box), exec) {}

  moved_triangles triangles() const { return {levels_, keys_.data(), boxes_.as<ray_box>()}; }
  std::uint64_t bytes() const { return keys_.bytes() + boxes_.bytes(); }

  /// Fits all boxes around the triangles, level by level.
  void fit(int threads) const {
    if (on_gpu(exec_)) return gpu::fit(triangles(), exec_);
    for (int level = 1; level <= levels_.levels; ++level)
      parallel_chunks(threads, levels_.nodes(level), [&](std::uint64_t begin, std::uint64_t end) {
        for (auto i = begin; i < end; ++i) triangles().fit(level, i);
      });
  }

  void trace(int threads, placed<std::uint32_t> const& probes, std::uint32_t* found) const {
    if (on_gpu(exec_)) return gpu::trace(triangles(), probes.data(), probes.size(), found, exec_);
    parallel_chunks(
        threads, probes.size(),
        [&](std::uint64_t begin, std::uint64_t end) {
          std::uint64_t tested = 0;
          for (auto i = begin; i < end; ++i) found[i] = triangles().trace(probes.host()[i], tested);
        },
        ray_grain);
  }

  /// @return the mean number of boxes and triangles with which a ray is compared, by a sample of probes
  double tested(std::span<std::uint32_t const> probes) const {
    std::vector<ray_box> boxes(boxes_.bytes() / sizeof(ray_box));
    warpdex::copy(boxes.data(), boxes_.data(), boxes_.bytes(), exec_);
    moved_triangles const on_host{levels_, keys_.host().data(), boxes.data()};
    auto const some = probes.first(std::min<std::uint64_t>(sample, probes.size()));
    std::uint64_t tested = 0;
    for (auto const probe : some) on_host.trace(probe, tested);
    return static_cast<double>(tested) / static_cast<double>(some.size());
  }

 private:
  execution exec_;
  placed<std::uint32_t> keys_;
  moved_triangles::boxes_of levels_;
  buffer boxes_;
};

/// Measures lookups in a scene.
void measure_lookups(std::string const& name, numbers const& keys, placed<std::uint32_t> const& probes, config const& c,
                     execution const& exec, report& out) {
  for (int const threads : on_gpu(exec) ? std::vector<int>{0} : c.threads) {
    scene const of(keys, exec);
    auto const clock = make_timer(exec);
    clock->start();
    of.fit(threads);
    double const fitted = clock->stop();
    result_array found(probes.size(), sizeof(std::uint32_t), exec);
    std::vector<double> runs;
    for (int r = -1; r < c.repeat; ++r) {  // the first run warms caches and is not counted
      found.poison();
      clock->start();
      of.trace(threads, probes, found.as<std::uint32_t>().data());
      double const time = clock->stop();
      if (r >= 0) runs.push_back(time);
      found.fetch();
      for (std::uint64_t i = 0; i < probes.size(); ++i)
        if (auto const hit = found.at<std::uint32_t>(i); hit >= keys.size() || keys[hit] != probes.host()[i])
          throw error(fmt::format("{}: ray {} to key {} hits triangle {}", name, i, probes.host()[i], hit));
    }
    auto const time = seconds::of(std::move(runs));
    record line{{"name", name}, {"threads", threads > 0 ? record(threads) : record(nullptr)}};
    put_time(line, time);
    double const rate = rate_of(probes.size(), time.median);
    line.update({{"rate", rate}, {"fit_s", fitted}, {"tested", of.tested(probes.host())}, {"index_bytes", of.bytes()}});
    out.add_index(std::move(line), rate);
  }
}

}  // namespace

void run_refit(config const& c, cli_context const& context, report& out) {
  progress const shown(context, "tracing rays");
  execution const exec = make_execution(c.backend, c.threads.front());
  auto const drawn = permutation::from(0, 32, c.seed);
  numbers keys(c.n);
  for (std::uint64_t i = 0; i < c.n; ++i) keys[i] = static_cast<std::uint32_t>(drawn(i));
  tbb::parallel_sort(keys.begin(), keys.end());
  auto const places = permutation::of_size(c.n, c.seed);
  for (std::uint64_t i = 0; i < c.moved; ++i) keys[places(i)] = static_cast<std::uint32_t>(drawn(c.n + i));
  numbers targets(c.probes);
  for (std::uint64_t i = 0; i < c.probes; ++i) targets[i] = keys[mix(c.seed ^ i) % c.n];
  placed<std::uint32_t> const probes(std::span(std::as_const(targets)), exec);

  measure_lookups("refitted boxes", keys, probes, c, exec, out);
  tbb::parallel_sort(keys.begin(), keys.end());
  measure_lookups("rebuilt boxes", keys, probes, c, exec, out);
}

}  // namespace warpdex::bench
