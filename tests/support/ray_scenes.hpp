// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/cgrx.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "backend/cpu/cpu_engine.hpp"
#include "structures/rays/ray_build.hpp"

/// @file
/// Small scenes, and probes of them.
namespace warpdex::test {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u64 row_step = u64{1} << 23;
inline constexpr u64 plane_step = u64{1} << 46;

template <class Key> struct traced_scene {
  using pairs_type = soa_pairs<Key, u32>;

  std::vector<Key> keys;
  cgrx<pairs_type> view;
  made_tracer<Key, u32> tracer;

  traced_scene(std::vector<Key> sorted, int bucket_bits, scene_kind kind)
      : keys(std::move(sorted)), view(pairs_type{keys.data(), nullptr}, keys.size(), bucket_bits, kind, false) {
    auto const ends = view.scene_of(view.pairs);
    view.lowest = ends.representative(0);
    view.highest = keys.back();
    view.many_rows = ray_digits::row(view.lowest) != ray_digits::row(view.highest);
    view.many_planes = ray_digits::plane(view.lowest) != ray_digits::plane(view.highest);
    tracer = make_tracer<cpu_engine, u32>(scene(), execution(host_memory(), {}, 1));
    view.tracer = tracer.view;
  }

  auto scene() const { return view.scene_of(view.pairs); }

  u64 bound(Key target) const { return run(view, view.start(target), single_lane{}).slot; }
  u64 bound(Key target, ray_caster const& by) const {
    return run(view, casting_view(view, by).start(target), single_lane{}).slot;
  }
  u64 expected(Key target) const {
    return static_cast<u64>(std::lower_bound(keys.begin(), keys.end(), target) - keys.begin());
  }
};

/// Numbers around those at which digits carry.
template <class Key> std::vector<Key> corner_keys() {
  std::vector<Key> keys;
  constexpr u64 corners[] = {0,
                             row_step,
                             2 * row_step,
                             plane_step - row_step,
                             plane_step,
                             3 * plane_step,
                             (u64{1} << 32) - 1,
                             u64{1} << 63,
                             ~u64{0} - row_step,
                             ~u64{0}};
  for (u64 const corner : corners)
    for (int d = -2; d <= 2; ++d) keys.push_back(static_cast<Key>(corner + static_cast<u64>(d)));
  return keys;
}

/// Small key sets: dense, sparse, at corners, with duplicates, of one row or plane.
template <class Key> std::vector<std::vector<Key>> small_sets() {
  std::mt19937_64 random(7);
  std::vector<std::vector<Key>> sets = {corner_keys<Key>(), std::vector<Key>(40, static_cast<Key>(row_step - 1)),
                                        std::vector<Key>(1, static_cast<Key>(-1))};
  for (u64 const mask : {u64{0x3f}, row_step - 1 + 3 * row_step, 3 + 3 * row_step + 3 * plane_step,
                         (row_step - 1) * row_step + 1, ~u64{0}})
    for (std::size_t const n : {3u, 17u, 60u, 400u}) {
      std::vector<Key> keys(n);
      for (Key& key : keys) key = static_cast<Key>(random() & mask);
      sets.push_back(keys);
      for (std::size_t i = 0; i < n; ++i) keys[i] = keys[i / 5];  // duplicates over buckets
      sets.push_back(std::move(keys));
    }
  for (auto& set : sets) std::sort(set.begin(), set.end());
  return sets;
}

template <class Key> std::vector<Key> probes_of(std::vector<Key> const& keys) {
  std::vector<Key> probes = corner_keys<Key>();
  for (Key const key : keys)
    for (u64 const step : {u64{0}, u64{1}, row_step, plane_step}) {
      probes.push_back(static_cast<Key>(key + step));
      probes.push_back(static_cast<Key>(key - step));
    }
  return probes;
}

/// @return rays along all axes from a point, from both ends of its row, and from ends of planes
inline std::vector<single_ray> rays_near(ray_point p) {
  std::vector<single_ray> rays;
  for (ray_point const from :
       {p, ray_point{ray_digits::x_max, p.y + 1, p.z}, ray_point{-1, p.y, p.z}, ray_point{-1, -1, p.z + 1},
        ray_point{ray_digits::x_max, ray_digits::y_max, p.z}, ray_point{0, p.y, p.z}})
    for (ray_axis const axis : {ray_axis::x, ray_axis::y, ray_axis::z}) rays.push_back({from, axis});
  return rays;
}

inline constexpr scene_kind all_kinds[] = {scene_kind::plain, scene_kind::naive, scene_kind::optimized};

}  // namespace warpdex::test
