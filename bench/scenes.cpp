// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/scenes.hpp"

#include "bench/measure.hpp"

#include <warpdex/search/cgrx.hpp>
#include <warpdex/search/foreign_rays.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr std::uint64_t sample = std::uint64_t{1} << 16;

template <class Key> using ray_view = cgrx<soa_pairs<Key, std::uint32_t>>;

/// @return the view of an index of rays, if it is one of those that are counted here
template <class Key> std::optional<ray_view<Key>> view_of(warpdex::index const& built) {
  auto const text = built.spec_text();
  bool const traced = text.starts_with("cgRX(") || text.starts_with("RX/");
  if (!traced || text.find("layout=SoA") == text.npos || built.row_type() != row_type::u32 || built.size() == 0)
    return std::nullopt;
  return built.view<ray_view<Key>>();
}

/// @return the buckets that a tracer by batches finds
template <class Key>
std::vector<std::uint32_t> located(ray_locator const& by, std::span<Key const> targets, execution const& exec) {
  std::vector<std::uint32_t> buckets(targets.size());
  by.locate(
      targets.size(), exec,
      [&](std::uint64_t begin, std::uint64_t count, void* to) {
        warpdex::copy(to, targets.data() + begin, count * sizeof(Key), exec);
      },
      [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* from) {
        warpdex::copy(buckets.data() + begin, from, count * sizeof(std::uint32_t), exec);
      });
  return buckets;
}

/// @return the seconds of all rays of a batch in the memory of the index
template <class Key> double seconds_of_rays(ray_locator const& by, placed<Key> const& probes, execution const& exec) {
  wall_clock watch;
  watch.start();
  by.locate(
      probes.size(), exec,
      [&](std::uint64_t begin, std::uint64_t count, void* to) {
        warpdex::copy(to, probes.data() + begin, count * sizeof(Key), exec);
      },
      [](std::uint64_t, std::uint64_t, std::uint32_t const*) {});
  return watch.stop();
}

}  // namespace

template <class Key>
void put_scene(record& line, warpdex::index const& built, std::span<Key const> sorted, placed<Key> const& probes,
               execution const& exec) {
  if (!view_of<Key>(built) || probes.size() == 0) return;
  auto const others = built.view<foreign_rays>();
  auto const& text = built.spec_text();
  auto const counted = warpdex::index::build(text.substr(0, text.find('/')) + "/layout=SoA/tracer=own", column(sorted),
                                             make_execution("cpu", 0));
  auto const view = *view_of<Key>(counted);
  auto const scene = view.scene_of(view.pairs);
  line["triangles"] = std::uint64_t{view.tracer.count};

  auto const some = probes.host().first(std::min(sample, probes.size()));
  std::vector<std::uint32_t> by_batch;
  if (others.locator != nullptr) by_batch = located(*others.locator, some, exec);
  std::uint64_t rays = 0;
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    Key const target = some[i];
    if (target <= view.lowest || view.highest < target) continue;
    std::uint64_t const right = scene.locate(target, [&](ray_axis axis, ray_point from) {
      ++rays;
      return view.tracer.closest(axis, from);
    });
    std::uint64_t found = right;
    if (others.caster.exists()) found = scene.locate(target, others.caster);
    wrong += found == right && (by_batch.empty() || by_batch[i] == static_cast<std::uint32_t>(right)) ? 0 : 1;
  }
  line["rays"] = static_cast<double>(rays) / static_cast<double>(some.size());
  line["wrong_hits"] = static_cast<double>(wrong) / static_cast<double>(some.size());
  if (others.locator != nullptr) line["rays_s"] = seconds_of_rays(*others.locator, probes, exec);
}

template <class Key> void put_phases(record& line, warpdex::index const& built) {
  if (!view_of<Key>(built)) return;
  if (auto const* const by = built.view<foreign_rays>().locator) {
    line["build_boxes_s"] = by->facts().build_seconds;
    line["build_compaction_s"] = by->facts().compaction_seconds;
  }
}

template void put_scene(record&, warpdex::index const&, std::span<std::uint32_t const>, placed<std::uint32_t> const&,
                        execution const&);
template void put_scene(record&, warpdex::index const&, std::span<std::uint64_t const>, placed<std::uint64_t> const&,
                        execution const&);
template void put_phases<std::uint32_t>(record&, warpdex::index const&);
template void put_phases<std::uint64_t>(record&, warpdex::index const&);

}  // namespace warpdex::bench
