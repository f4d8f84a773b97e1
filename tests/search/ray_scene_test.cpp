// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/expect.hpp"
#include "support/ray_scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>

/// @file
/// Scenes and warpdex's own tracer: each ray of small scenes against a loop over all triangles.
namespace warpdex::test {
namespace {

/// Intersects a ray with a triangle, in double precision. Distances are in steps of the axis.
/// @return the distance; negative without a hit
double distance_to(ray_triangle const& t, int axis, double const from[3], double const step[3], bool& back) {
  int const u = (axis + 1) % 3;
  int const v = (axis + 2) % 3;
  double edge[3];
  for (int i = 0; i < 3; ++i) {
    auto const* const a = t.corners[i];
    auto const* const b = t.corners[(i + 1) % 3];
    edge[i] = (a[u] - from[u]) * (b[v] - from[v]) - (b[u] - from[u]) * (a[v] - from[v]);
  }
  bool const right = edge[0] > 0 && edge[1] > 0 && edge[2] > 0;
  bool const left = edge[0] < 0 && edge[1] < 0 && edge[2] < 0;
  if (!right && !left) return -1;
  back = left;
  double const area = edge[0] + edge[1] + edge[2];
  double at = 0;
  for (int i = 0; i < 3; ++i) at += edge[i] / area * t.corners[(i + 2) % 3][axis];
  return (at - from[axis]) / step[axis];
}

/// The plain loop: the nearest of all triangles that a ray hits, starting half a step before its origin.
ray_hit closest_of(std::vector<ray_solid> const& all, ray_axis axis, ray_point from, bool scaled) {
  int const a = static_cast<int>(axis);
  double const step[3] = {1, scaled ? 32768.0 : 1, scaled ? 33554432.0 : 1};
  double origin[3] = {from.x * step[0], from.y * step[1], from.z * step[2]};
  origin[a] -= step[a] / 2;
  ray_hit nearest;
  double least = HUGE_VAL;
  for (auto const& s : all) {
    bool back = false;
    double const distance = distance_to(triangle_at(s.at, scaled, s.flipped), a, origin, step, back);
    if (distance < 0 || distance >= least) continue;
    least = distance;
    nearest = {s.slot, back};
  }
  return nearest;
}

template <class Key> void expect_rays_of_loop() {
  for (auto const& keys : small_sets<Key>())
    for (scene_kind const kind : all_kinds)
      for (int const bits : {0, 1, 3}) {
        if (kind == scene_kind::plain && bits != 0) continue;
        traced_scene<Key> const s(keys, bits, kind);
        for (bool const scaled : {false, true}) {
          auto const solids = solids_of(s.scene());
          ASSERT_EQ(solids.size(), s.view.tracer.count);
          u64 skip = 0;
          for (Key const probe : probes_of(keys)) {
            if (keys.size() > 60 && ++skip % 7 != 0) continue;
            for (auto const& [from, axis] : rays_near(ray_digits::point(probe))) {
              auto const hit = s.view.tracer.closest(axis, from);
              auto const wanted = closest_of(solids, axis, from, scaled);
              ASSERT_EQ(hit.slot, wanted.slot)
                  << keys.size() << " keys, kind " << static_cast<int>(kind) << ", axis " << static_cast<int>(axis)
                  << ", from " << from.x << " " << from.y << " " << from.z;
              ASSERT_EQ(hit.back, wanted.back);
            }
          }
        }
      }
}

TEST(ray_scene, slow_each_ray_hits_what_a_loop_finds_u32) { expect_rays_of_loop<u32>(); }
TEST(ray_scene, slow_each_ray_hits_what_a_loop_finds_u64) { expect_rays_of_loop<u64>(); }

/// Rays lead to the bucket of the answer, whatever traces them, and so no search has to bisect all pairs.
template <class Key> void expect_buckets() {
  for (auto const& keys : small_sets<Key>())
    for (scene_kind const kind : {scene_kind::naive, scene_kind::optimized})
      for (int const bits : {0, 1, 2, 4}) {
        traced_scene<Key> const s(keys, bits, kind);
        auto const scene = s.scene();
        for (Key const probe : probes_of(keys)) {
          if (probe > keys.back() || probe <= s.view.lowest) continue;
          int rays = 0;
          u64 const bucket = scene.locate(probe, [&](ray_axis axis, ray_point from) {
            ++rays;
            return s.view.tracer.closest(axis, from);
          });
          u64 const answer = s.expected(probe);
          ASSERT_LT(bucket, scene.buckets()) << probe;
          EXPECT_LE(bucket << bits, answer) << probe;
          EXPECT_GE(scene.end_of(bucket), answer) << probe;
          EXPECT_LE(rays, s.view.many_planes ? 5 : s.view.many_rows ? 3 : 1);
          EXPECT_TRUE(bucket == 0 || scene.representative(bucket - 1) < probe) << probe;
        }
      }
}

TEST(ray_scene, rays_lead_to_the_bucket_u32) { expect_buckets<u32>(); }
TEST(ray_scene, rays_lead_to_the_bucket_u64) { expect_buckets<u64>(); }

template <class Key> void expect_bounds() {
  for (auto const& keys : small_sets<Key>())
    for (scene_kind const kind : all_kinds)
      for (int const bits : {0, 2, 6}) {
        if (kind == scene_kind::plain && bits != 0) continue;
        traced_scene<Key> s(keys, bits, kind);
        for (Key const probe : probes_of(keys)) ASSERT_EQ(s.bound(probe), s.expected(probe)) << probe;
        s.view.tracer = {};  // bisects the representatives
        for (Key const probe : probes_of(keys)) ASSERT_EQ(s.bound(probe), s.expected(probe)) << probe;
        s.view.linear = true;
        for (Key const probe : probes_of(keys)) ASSERT_EQ(s.bound(probe), s.expected(probe)) << probe;
      }
}

TEST(ray_scene, bounds_u32) { expect_bounds<u32>(); }
TEST(ray_scene, bounds_u64) { expect_bounds<u64>(); }

/// Rays collect the entries of a range, each once and in order, whatever rows and planes it spans. From keys in no
/// order, as in a file that nobody has checked, they collect no more entries than there are.
template <class Key> void expect_collected() {
  for (auto const& keys : small_sets<Key>()) {
    traced_scene<Key> const s(keys, 0, scene_kind::plain);
    auto const probes = probes_of(keys);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      Key const lower = probes[i];
      for (Key const upper : {lower, static_cast<Key>(lower + 20), static_cast<Key>(lower + 3 * row_step),
                              probes[(i * 7 + 3) % probes.size()], static_cast<Key>(-1)}) {
        u64 next = s.expected(lower);
        ASSERT_EQ(s.view.collect(lower, upper,
                                 [&](u64 begin, u64 end) {
                                   EXPECT_EQ(begin, next);
                                   next = end;
                                 }),
                  s.expected(lower));
        u64 const behind = upper == static_cast<Key>(-1) ? keys.size() : s.expected(upper + 1);
        ASSERT_EQ(next, std::max(behind, s.expected(lower))) << lower << " " << upper;
      }
    }
    auto disordered = keys;
    std::shuffle(disordered.begin(), disordered.end(), std::mt19937_64(3));
    traced_scene<Key> const d(disordered, 0, scene_kind::plain);
    for (Key const lower : probes) {
      u64 collected = 0;
      u64 const first =
          d.view.collect(lower, static_cast<Key>(-1), [&](u64 begin, u64 end) { collected += end - begin; });
      ASSERT_LE(first + collected, keys.size());
    }
  }
}

TEST(ray_scene, rays_collect_ranges_u32) { expect_collected<u32>(); }
TEST(ray_scene, rays_collect_ranges_u64) { expect_collected<u64>(); }

/// Larger scenes, so that boxes have several levels.
TEST(ray_scene, levels_of_boxes) {
  std::mt19937_64 random(11);
  for (u64 const mask : {~u64{0}, u64{0xffffffff}, 7 * plane_step + 15 * row_step + row_step - 1,
                         ((u64{1} << 18) - 1) * plane_step + 1}) {
    std::vector<u64> keys(20000);
    for (u64& key : keys) key = random() & mask;
    std::sort(keys.begin(), keys.end());
    for (scene_kind const kind : all_kinds) {
      traced_scene<u64> const s(keys, kind == scene_kind::plain ? 0 : 1, kind);
      EXPECT_GE(s.view.tracer.levels, kind == scene_kind::plain ? 1 : 2);
      for (std::size_t i = 0; i < keys.size(); i += 3)
        for (u64 const step : {u64{0}, u64{1}, row_step, plane_step})
          for (u64 const probe : {keys[i] + step, keys[i] - step}) ASSERT_EQ(s.bound(probe), s.expected(probe));
    }
  }
}

/// Whatever a tracer says, the answer is right.
TEST(ray_scene, wrong_hits_cost_time_alone) {
  std::mt19937_64 random(3);
  for (auto const& keys : small_sets<u64>()) {
    traced_scene<u64> s(keys, 1, scene_kind::optimized);
    for (u32 i = 0; i < s.view.tracer.count; ++i) s.tracer.tags.template as<u32>()[i] = static_cast<u32>(random());
    for (u64 const probe : probes_of(keys)) ASSERT_EQ(s.bound(probe), s.expected(probe));
    for (u64 const wrong : {u64{0}, u64{1}, s.scene().buckets() - 1, s.scene().buckets(), ~u64{0}}) {
      s.view.tracer = {};
      u64 const slot = wrong;
      ray_caster const caster{
          [](void const* hit, ray_axis, ray_point) { return ray_hit{*static_cast<u64 const*>(hit)}; }, &slot};
      for (u64 const probe : probes_of(keys)) ASSERT_EQ(s.bound(probe, caster), s.expected(probe)) << wrong;
    }
  }
}

/// Each ray by Embree hits what warpdex's own tracer hits. Answers are right in any case: search/cgrx.hpp checks hits.
template <class Key> void expect_embree_agrees() {
  if (!embree_scene::exists()) GTEST_SKIP() << "this build has no Embree";
  for (auto const& keys : small_sets<Key>())
    for (scene_kind const kind : all_kinds)
      for (bool const scaled : {false, true}) {
        traced_scene<Key> s(keys, kind == scene_kind::plain ? 0 : 1, kind);
        embree_scene const other(solids_of(s.scene()), scaled);
        auto const caster = other.caster();
        u64 wrong = 0;
        for (Key const probe : probes_of(keys))
          for (auto const& [from, axis] : rays_near(ray_digits::point(probe))) {
            auto const own = s.view.tracer.closest(axis, from);
            auto const hit = caster(axis, from);
            wrong += own.slot == hit.slot && own.back == hit.back ? 0 : 1;
          }
        EXPECT_EQ(wrong, 0u) << keys.size() << " keys, kind " << static_cast<int>(kind) << ", scaled " << scaled;
        for (Key const probe : probes_of(keys)) ASSERT_EQ(s.bound(probe, caster), s.expected(probe)) << probe;
      }
}

TEST(ray_scene, embree_agrees_u32) { expect_embree_agrees<u32>(); }
TEST(ray_scene, embree_agrees_u64) { expect_embree_agrees<u64>(); }

/// Limits name an index that stays below them: one for whose buckets even all markers would fit.
TEST(ray_scene, limits_name_a_bucket_that_fits) {
  std::uint64_t const most = embree_scene::most_triangles;
  EXPECT_EQ(most, 477218588u);
  if (embree_scene::exists()) {
    EXPECT_NO_THROW(embree_scene::expect_few(most, {scene_kind::optimized, most, 4, true, true}));
    EXPECT_TRUE(throws<unsupported>(
        [&] {
          embree_scene::expect_few(most + 1, {scene_kind::optimized, most + 1, 4, true, true});
        },
        "477218589", "bucket=64 fits"));
    EXPECT_TRUE(throws<unsupported>(
        [&] {
          embree_scene::expect_few(most + 1, {scene_kind::plain, most + 1, 0, true, false});
        },
        "cgRX(bucket=4) fits"));
  }
  scene_extent const one_row{scene_kind::naive, 1000, 0, false, false};
  EXPECT_EQ(one_row.slots(), 1000u);
  EXPECT_EQ(one_row.fitting(999), "bucket=2 fits");
  EXPECT_EQ(one_row.fitting(499), "bucket=4 fits");
  EXPECT_EQ((scene_extent{scene_kind::optimized, 1000, 0, true, true}).slots(), 3000u);
  EXPECT_EQ((scene_extent{scene_kind::plain, 1000, 0, true, true}).slots(), 1000u);
}

/// Of equal representatives the first bucket has the primitive. Rows and planes end with one in optimized scenes.
TEST(ray_scene, primitives) {
  traced_scene<u64> const equal(std::vector<u64>(64, 5), 2, scene_kind::optimized);
  EXPECT_EQ(equal.view.tracer.count, 2u);  // one at the key, one at the end of the row
  traced_scene<u64> const naive(std::vector<u64>(64, 5), 2, scene_kind::naive);
  EXPECT_EQ(naive.view.tracer.count, 1u);
  std::vector<u64> sparse;
  for (u64 i = 0; i < 100; ++i) sparse.push_back(i * 3 * row_step + i);
  traced_scene<u64> const flipped(sparse, 0, scene_kind::optimized);
  EXPECT_EQ(flipped.view.tracer.count, sparse.size());
  EXPECT_TRUE(flipped.view.tracer.closest(ray_axis::y, {ray_digits::x_max, 1, 0}).back);
  EXPECT_EQ(traced_scene<u64>(sparse, 0, scene_kind::naive).view.tracer.count, 2 * sparse.size());
}

TEST(ray_scene, bytes_per_primitive) {
  std::vector<u32> keys(1 << 20);
  for (u32 i = 0; i < keys.size(); ++i) keys[i] = i * 4000;
  traced_scene<u32> const s(keys, 2, scene_kind::optimized);
  auto const bytes =
      s.tracer.keys.bytes() + s.tracer.tags.bytes() + s.tracer.last_keys.bytes() + s.tracer.boxes.bytes();
  EXPECT_LE(static_cast<double>(bytes), 2.5 * static_cast<double>(keys.size()));
}

}  // namespace
}  // namespace warpdex::test
