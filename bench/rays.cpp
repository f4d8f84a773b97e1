// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/rays.hpp"

#include "bench/measure.hpp"
#include "bench/random.hpp"

#include <warpdex/device.hpp>
#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/ray/vulkan_scene.hpp"

namespace warpdex::bench {
namespace {

constexpr std::uint64_t triangles_at_once = std::uint64_t{1} << 20;

void write_triangles(solid_arrays const& to, std::uint64_t count, std::uint64_t step, execution const& exec) {
  std::vector<ray_triangle> made;
  std::vector<std::uint32_t> slots;
  for (std::uint64_t begin = 0; begin < count; begin += made.size()) {
    made.resize(std::min(triangles_at_once, count - begin));
    slots.resize(made.size());
    for (std::uint64_t i = 0; i < made.size(); ++i) {
      made[i] = triangle_at(ray_digits::point((begin + i) * step), true, false);
      slots[i] = static_cast<std::uint32_t>(begin + i);
    }
    warpdex::copy(to.triangles + begin, made.data(), made.size() * sizeof(ray_triangle), exec);
    warpdex::copy(to.slots + begin, slots.data(), slots.size() * sizeof(std::uint32_t), exec);
  }
}

void check_rays(vulkan_scene const& scene, std::vector<std::uint32_t> const& targets, std::uint64_t step,
                execution const& exec) {
  std::vector<std::uint32_t> found(targets.size());
  scene.locate(
      targets.size(), exec,
      [&](std::uint64_t begin, std::uint64_t count, void* to) {
        warpdex::copy(to, targets.data() + begin, count * sizeof(std::uint32_t), exec);
      },
      [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets) {
        warpdex::copy(found.data() + begin, buckets, count * sizeof(std::uint32_t), exec);
      });
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (found[i] != targets[i] / step)
      throw error(fmt::format("ray {} hits triangle {}, expected {}", i, found[i], targets[i] / step));
}

}  // namespace

void run_rays(config const& c, cli_context const& context, report& out) {
  progress const shown(context, "tracing rays");
  execution const exec = make_execution(c.backend, c.threads.front());
  std::uint64_t const step = (std::uint64_t{1} << 32) / c.n;
  vulkan_scene scene(exec.memory->backend(),
                     {c.n, c.n, scene_kind::plain, true, false, true, false, 0, (c.n - 1) * step}, 0);
  write_triangles(scene.arrays(), c.n, step, exec);
  scene.build();
  auto const& facts = scene.facts();

  std::vector<std::uint32_t> targets(c.probes);
  for (std::uint64_t i = 0; i < c.probes; ++i) targets[i] = static_cast<std::uint32_t>(mix(c.seed ^ i) % c.n * step);
  for (char const* const name : {"random rays", "sorted rays"}) {
    check_rays(scene, targets, step, exec);
    out.add({name, 0, seconds::of(scene.seconds_of(targets, c.repeat, exec)), c.probes,
             facts.build_seconds + facts.compaction_seconds, facts.compacted_bytes, true});
    std::sort(targets.begin(), targets.end());
  }
  out.add({"build", 0, seconds::of({facts.build_seconds}), c.n, 0, facts.built_bytes, true});
  out.add({"compaction", 0, seconds::of({facts.compaction_seconds}), c.n, 0, facts.compacted_bytes, true});
}

}  // namespace warpdex::bench
