// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/rays.hpp"

#include "bench/measure.hpp"
#include "bench/placed.hpp"
#include "bench/random.hpp"

#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/search/foreign_rays.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// Traces the rays of all targets, and checks what they hit.
/// @param step between the keys of triangles
/// @return the seconds without the copies of targets and hits
double seconds_of(ray_locator const& rays, std::span<std::uint32_t const> targets, std::uint64_t step, timer& clock,
                  execution const& exec) {
  double time = 0;
  std::vector<std::uint32_t> found(targets.size());
  rays.locate(
      targets.size(), exec,
      [&](std::uint64_t begin, std::uint64_t count, void* to) {
        warpdex::copy(to, targets.data() + begin, count * sizeof(std::uint32_t), exec);
        clock.start();
      },
      [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets) {
        time += clock.stop();
        warpdex::copy(found.data() + begin, buckets, count * sizeof(std::uint32_t), exec);
      });
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (found[i] != targets[i] / step)
      throw error(fmt::format("ray {} hits triangle {}, expected {}", i, found[i], targets[i] / step));
  return time;
}

}  // namespace

void run_rays(config const& c, cli_context const& context, report& out) {
  progress const shown(context, "tracing rays");
  execution const exec = make_execution(c.backend, c.threads.front());
  std::uint64_t const step = (std::uint64_t{1} << 32) / c.n;
  std::vector<std::uint32_t> keys(c.n);
  for (std::uint64_t i = 0; i < c.n; ++i) keys[i] = static_cast<std::uint32_t>(i * step);
  auto const built =
      warpdex::index::build("RX/tracer=vulkan", placed(std::span(std::as_const(keys)), exec).keys(), exec);
  ray_locator const& rays = *built.view<foreign_rays>().locator;
  auto const& facts = rays.facts();

  std::vector<std::uint32_t> targets(c.probes);
  for (std::uint64_t i = 0; i < c.probes; ++i) targets[i] = keys[mix(c.seed ^ i) % c.n];
  auto const clock = make_timer(exec);
  for (char const* const name : {"random rays", "sorted rays"}) {
    std::vector<double> runs;
    for (int r = -1; r < c.repeat; ++r) {
      double const time = seconds_of(rays, targets, step, *clock, exec);
      if (r >= 0) runs.push_back(time);  // the first run warms caches
    }
    out.add({name, 0, seconds::of(std::move(runs)), c.probes, facts.build_seconds + facts.compaction_seconds,
             facts.compacted_bytes, true});
    std::sort(targets.begin(), targets.end());
  }
  out.add({"build", 0, seconds::of({facts.build_seconds}), c.n, 0, facts.built_bytes, true});
  out.add({"compaction", 0, seconds::of({facts.compaction_seconds}), c.n, 0, facts.compacted_bytes, true});
}

}  // namespace warpdex::bench
