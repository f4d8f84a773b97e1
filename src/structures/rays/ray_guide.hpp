// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/flat_structure.hpp"
#include "structures/rays/ray_build.hpp"

namespace warpdex {

/// What traces the rays of an index.
enum class tracer_kind : std::uint8_t {
  own,     ///< `ray_tracer`
  none,    ///< nothing: searches bisect the representatives
  embree,  ///< `embree_scene`, on the CPU
  vulkan,  ///< `vulkan_scene`
};

/// Sets what a view knows of its scene, which is not empty: the first and the last representative, and whether they are
/// in several rows and planes. Synchronises.
template <class Engine, class View, class Scene>
void describe_scene(View& view, Scene const& scene, execution const& exec) {
  using Key = typename Scene::key_type;
  buffer const found(2 * sizeof(Key), exec);
  Engine::for_each(exec, 2, detail::take_representative<Scene>{scene, found.as<Key>()});
  Key ends[2];
  backend_of(Engine::kind).copy(ends, found.data(), sizeof(ends), exec);
  backend_of(Engine::kind).synchronize(exec);
  view.lowest = ends[0];
  view.highest = ends[1];
  view.many_rows = ray_digits::row(ends[0]) != ray_digits::row(ends[1]);
  view.many_planes = ray_digits::plane(ends[0]) != ray_digits::plane(ends[1]);
}

/// @return the scene of a view. Scenes are compiled for all layouts together
template <class View> auto scene_for_builds(View const& view) {
  return view.scene_of(any_entries<typename View::key_type, typename View::position>(view.pairs));
}

/// The guide of cgRX and RX: the scene, and warpdex's own tracer if that traces its rays.
template <class Key, class Position> class ray_guide {
 public:
  explicit ray_guide(bool traces) : traces_(traces) {}

  template <class Engine, class View> void build(View& view, execution const& exec) {
    if (view.size == 0) return;
    describe_scene<Engine>(view, scene_for_builds(view), exec);
    if (!traces_) return;
    tracer_ = make_tracer<Engine, Position>(scene_for_builds(view), exec);
    view.tracer = tracer_.view;
  }

  /// Makes the tracer again.
  template <class Engine, class View> void verify(View const& view, execution const& exec) const {
    if (!tracer_.view.exists()) return;
    expect_none(tracer_.template different<Engine>(make_tracer<Engine, Position>(scene_for_builds(view), exec), exec),
                "words of the tracer that differ from those that the entries need");
  }

  std::uint64_t bytes() const noexcept { return tracer_.bytes(); }
  void outlive_stream() noexcept { tracer_.outlive_stream(); }

 private:
  bool traces_;
  made_tracer<Key, Position> tracer_;
};

}  // namespace warpdex
