// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/ray/caster.hpp"
#include "backend/ray/scene_extent.hpp"

/// @file
/// Rays on the CPU by Embree, a library of raytracing kernels. A build without it has `no_embree.cpp` instead.
namespace warpdex {

/// A primitive for tracers of triangles.
struct ray_solid {
  ray_point at;
  std::uint64_t slot;
  bool flipped;
};

/// A scene in Embree. Its memory is Embree's own, not that of the call.
class embree_scene {
 public:
  /// @return whether this build has Embree
  static bool exists() noexcept;

  /// The vertices of a geometry must not take more than 16 GiB.
  static constexpr std::uint64_t most_triangles = (std::uint64_t{16} << 30) / sizeof(ray_triangle);
  /// @throws unsupported for more triangles, naming buckets that fit
  static void expect_few(std::uint64_t triangles, scene_extent const& extent);

  /// Cost: a build of Embree, by Embree's threads.
  /// @param scaled whether the axes are scaled (`triangle_at`)
  /// @param solids at most `most_triangles`
  /// @throws unsupported without Embree, or if it does not hit known triangles at the corners of the scene;
  /// out_of_memory
  embree_scene(std::vector<ray_solid> const& solids, bool scaled);
  ~embree_scene();
  embree_scene(embree_scene&&) noexcept;
  embree_scene& operator=(embree_scene&&) noexcept;

  /// @return what traces its rays, while this object lives. Far from the origin of a ray, hits may be wrong by a few
  /// primitives, because distances are floats.
  ray_caster caster() const noexcept;

  std::uint64_t bytes() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace warpdex
