// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "backend/ray/embree_tracer.hpp"
#include "backend/ray/ray_engine.hpp"
#include "structures/rays/ray_guide.hpp"

namespace warpdex {

/// cgRX and RX: a flat structure with a scene of rays, which another library may trace.
template <class Engine, class View>
class ray_structure final
    : public flat_structure<ray_engine<Engine>, View, ray_guide<typename View::key_type, typename View::position>> {
  using guide = ray_guide<typename View::key_type, typename View::position>;
  using base = flat_structure<ray_engine<Engine>, View, guide>;
  using base::view_;

 public:
  /// @param empty the view with its geometry set and its pointers null
  /// @param scaled whether the axes are scaled, for tracers of triangles
  /// @param collects_ranges whether rays of RX's own tracer collect the entries of ranges
  ray_structure(plan const& made_by, View const& empty, policy const& run, contents from, execution const& exec,
                tracer_kind tracer, bool scaled, bool collects_ranges)
      : base(made_by, empty, policy_of(run, tracer), std::move(from), exec, guide(tracer == tracer_kind::own)) {
    this->state_.collects_ranges = collects_ranges;
    if (view_.size == 0) return;
    auto& rays = this->state_.rays;
    if constexpr (Engine::kind == backend_kind::cpu)
      if (tracer == tracer_kind::embree)
        rays.caster = singles_.emplace(solids_of(scene_for_builds(view_)), scaled).caster();
    if (tracer == tracer_kind::vulkan) {
      batches_ = make_vulkan_scene<Engine>(
          scene_for_builds(view_), scaled, view_.lowest, view_.highest, exec, [&](solid_shape const& shape) {
            return std::make_unique<vulkan_scene>(Engine::kind, shape, view_.bucket_bits);
          });
      rays.locator = batches_.get();
    }
  }

  memory_usage memory() const noexcept override {
    memory_usage usage = base::memory();
    usage.auxiliary += (singles_ ? singles_->bytes() : 0) + (batches_ ? batches_->bytes() : 0);
    return usage;
  }

  /// @return the view, or `foreign_rays`
  void const* view(std::type_info const& type) const noexcept override {
    return type == typeid(foreign_rays) ? &this->state_.rays : base::view(type);
  }

 private:
  /// On a CPU a tracer by batches takes the place of windows.
  static policy policy_of(policy run, tracer_kind tracer) {
    if (Engine::kind == backend_kind::cpu && tracer == tracer_kind::vulkan) run.reorder = policy::reordering::none;
    return run;
  }

  std::optional<embree_scene> singles_;
  std::unique_ptr<ray_locator> batches_;
};

}  // namespace warpdex
