// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/ray_tracer.hpp>

#include <limits>
#include <string>

#include "backend/backend.hpp"
#include "backend/ray/embree_tracer.hpp"
#include "backend/ray/vulkan_scene.hpp"
#include "structures/strings/different_words.hpp"

/// @file
/// How the arrays of warpdex's own tracer are made from a scene.
namespace warpdex {
namespace detail {

/// Takes the first and the last representative.
template <class Scene> struct take_representative {
  Scene scene;
  typename Scene::key_type* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = scene.representative(i == 0 ? 0 : scene.buckets() - 1); }
};

template <class Scene> struct count_primitives {
  Scene scene;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t bucket) const {
    to[bucket] = static_cast<std::uint64_t>(scene.primitives_of(bucket).count());
  }
};

/// Writes the primitives of a bucket in key order: markers before the representative, or after it.
template <class Scene, class Position> struct write_primitives {
  using Key = typename Scene::key_type;
  Scene scene;
  std::uint64_t const* before;
  Key* keys;
  Position* tags;

  WDX_HD void operator()(std::uint64_t bucket) const {
    auto const primitives = scene.primitives_of(bucket);
    std::uint64_t at = before[bucket];
    for (unsigned turn = 0; turn < 3; ++turn) {
      unsigned const kind = scene.kind == scene_kind::naive ? 2 - turn : turn;
      if (!primitives.has[kind]) continue;
      auto const which = static_cast<ray_primitive>(kind);
      keys[at] = ray_digits::key<Key>(scene.point_of(primitives, which));
      tags[at++] = ray_tag::of(static_cast<Position>(bucket), which, kind == 0 && primitives.flipped);
    }
  }
};

/// Fills the padding after the primitives.
template <class Key, class Position> struct pad_primitives {
  Key* keys;
  Position* tags;
  std::uint64_t count;
  WDX_HD void operator()(std::uint64_t i) const {
    keys[count + i] = static_cast<Key>(-1);
    tags[count + i] = 0;
  }
};

/// Writes node `i` of a level, or its padding.
template <class Key, class Position> struct write_ray_node {
  ray_tracer<Key, Position> tracer;
  int level;
  Key* last_keys;
  ray_box* boxes;

  WDX_HD ray_box box_of(std::uint64_t child) const {
    if (level > 1) return boxes[tracer.first_node[level - 1] + child];
    ray_point const p = tracer.point(child);
    return {p, p};
  }
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const position = tracer.first_node[level] + i;
    if (i >= tracer.nodes(level)) {
      last_keys[position] = static_cast<Key>(-1);
      boxes[position] = {{0, 0, 0}, {-1, -1, -1}};
      return;
    }
    std::uint64_t const children = tracer.nodes(level - 1);
    std::uint64_t const first = i << tracer.width_bits;
    std::uint64_t const end = first + tracer.width < children ? first + tracer.width : children;
    ray_box box = box_of(first);
    for (std::uint64_t child = first + 1; child < end; ++child) box = ray_box::around(box, box_of(child));
    boxes[position] = box;
    last_keys[position] = level > 1 ? last_keys[tracer.first_node[level - 1] + end - 1] : tracer.keys[end - 1];
  }
};

}  // namespace detail

/// Where the primitives of buckets go, one after the other.
struct placed_primitives {
  buffer before;  ///< per bucket, 64-bit counts of the primitives before it
  std::uint64_t count;
};

/// Synchronises.
template <class Engine, class Scene> placed_primitives place_primitives(Scene const& scene, execution const& exec) {
  std::uint64_t const buckets = scene.buckets();
  placed_primitives placed{buffer((buckets + 1) * sizeof(std::uint64_t), exec), 0};
  auto* const counts = placed.before.template as<std::uint64_t>();
  Engine::for_each(exec, buckets, detail::count_primitives<Scene>{scene, counts});
  placed.count = backend_of(Engine::kind).exclusive_scan(counts, buckets, exec);
  return placed;
}

/// @return the primitives of a scene on the host
/// @throws unsupported if Embree does not take as many
template <class Scene> std::vector<ray_solid> solids_of(Scene const& scene) {
  std::vector<ray_solid> all;
  for (std::uint64_t bucket = 0; bucket < scene.buckets(); ++bucket) {
    bucket_primitives const primitives = scene.primitives_of(bucket);
    for (unsigned kind = 0; kind < 3; ++kind)
      if (primitives.has[kind])
        all.push_back({scene.point_of(primitives, static_cast<ray_primitive>(kind)), kind * scene.buckets() + bucket,
                       kind == 0 && primitives.flipped});
  }
  scene_extent const extent{scene.kind, scene.buckets(), scene.bucket_bits, scene.many_rows, scene.many_planes};
  embree_scene::expect_few(all.size(), extent);
  return all;
}

namespace detail {

/// Writes the triangles of a bucket, and its representative.
template <class Scene> struct write_triangles {
  Scene scene;
  std::uint64_t const* before;
  bool scaled;
  solid_arrays to;

  WDX_HD void operator()(std::uint64_t bucket) const {
    auto const primitives = scene.primitives_of(bucket);
    to.representatives[bucket] = scene.representative(bucket);
    std::uint64_t at = before[bucket];
    for (unsigned kind = 0; kind < 3; ++kind) {
      if (!primitives.has[kind]) continue;
      auto const which = static_cast<ray_primitive>(kind);
      to.slots[at] = static_cast<std::uint32_t>(kind * scene.buckets() + bucket);
      to.triangles[at++] = triangle_at(scene.point_of(primitives, which), scaled, kind == 0 && primitives.flipped);
    }
  }
};

}  // namespace detail

/// Makes the scene in Vulkan of one that is not empty. Synchronises.
/// Cost: two passes over the representatives, and a build of Vulkan. Scratch: 8 bytes per bucket.
/// @param make makes a `vulkan_scene` of a shape
/// @throws as `vulkan_scene`
template <class Engine, class Scene, class Make>
std::unique_ptr<vulkan_scene> make_vulkan_scene(Scene const& scene, bool scaled, std::uint64_t lowest,
                                                std::uint64_t highest, execution const& exec, Make const& make) {
  std::uint64_t const buckets = scene.buckets();
  auto const [before, count] = place_primitives<Engine>(scene, exec);
  auto result = make(solid_shape{count, buckets, scene.kind, scene.many_rows, scene.many_planes, scaled,
                                 sizeof(typename Scene::key_type) == 8, lowest, highest});
  Engine::for_each(
      exec, buckets,
      detail::write_triangles<Scene>{scene, before.template as<std::uint64_t>(), scaled, result->arrays()});
  backend_of(Engine::kind).synchronize(exec);
  result->build();
  return result;
}

/// The arrays of a tracer.
template <class Key, class Position> struct made_tracer {
  buffer keys, tags, last_keys, boxes;
  ray_tracer<Key, Position> view;

  std::uint64_t bytes() const noexcept { return keys.bytes() + tags.bytes() + last_keys.bytes() + boxes.bytes(); }
  void outlive_stream() noexcept {
    for (buffer* array : {&keys, &tags, &last_keys, &boxes}) array->outlive_stream();
  }

  /// @return the number of words in which it differs from another
  template <class Engine> std::uint64_t different(made_tracer const& other, execution const& exec) const {
    return different_words<Engine>(keys, other.keys, exec) + different_words<Engine>(tags, other.tags, exec) +
           different_words<Engine>(last_keys, other.last_keys, exec) +
           different_words<Engine>(boxes, other.boxes, exec);
  }
};

/// @return the largest number of buckets that tags of a tracer can name
template <class Position> constexpr std::uint64_t most_ray_buckets() {
  return std::numeric_limits<Position>::max() >> 3;
}

/// Makes the tracer of a scene that is not empty. Synchronises.
/// Cost: two passes over the representatives, one over the primitives. Scratch: 8 bytes per bucket.
/// @throws unsupported if there are too many buckets; out_of_memory, device_error
template <class Engine, class Position, class Scene>
made_tracer<typename Scene::key_type, Position> make_tracer(Scene const& scene, execution const& exec) {
  using Key = typename Scene::key_type;
  std::uint64_t const buckets = scene.buckets();
  if (buckets > most_ray_buckets<Position>())
    throw unsupported(std::to_string(buckets) + " buckets are more than the " +
                      std::to_string(most_ray_buckets<Position>()) + " that rays can tell apart with row ids of " +
                      std::to_string(sizeof(Position)) + " bytes; rows=u64 fits");
  made_tracer<Key, Position> result;
  {
    auto const [before, count] = place_primitives<Engine>(scene, exec);
    result.view = ray_tracer<Key, Position>(count, buckets, scene.kind == scene_kind::naive);
    std::uint64_t const padded = result.view.padded(count);
    result.keys = buffer(padded * sizeof(Key), exec);
    result.tags = buffer(padded * sizeof(Position), exec);
    auto* const keys = result.keys.template as<Key>();
    auto* const tags = result.tags.template as<Position>();
    Engine::for_each(exec, buckets,
                     detail::write_primitives<Scene, Position>{scene, before.template as<std::uint64_t>(), keys, tags});
    Engine::for_each(exec, padded - count, detail::pad_primitives<Key, Position>{keys, tags, count});
    result.view.keys = keys;
    result.view.tags = tags;
    backend_of(Engine::kind).synchronize(exec);
  }
  result.last_keys = buffer(result.view.node_count() * sizeof(Key), exec);
  result.boxes = buffer(result.view.node_count() * sizeof(ray_box), exec);
  auto* const last_keys = result.last_keys.template as<Key>();
  auto* const boxes = result.boxes.template as<ray_box>();
  for (int level = 1; level <= result.view.levels; ++level)
    Engine::for_each(exec, result.view.padded(result.view.nodes(level)),
                     detail::write_ray_node<Key, Position>{result.view, level, last_keys, boxes});
  result.view.last_keys = last_keys;
  result.view.boxes = boxes;
  backend_of(Engine::kind).synchronize(exec);
  return result;
}

}  // namespace warpdex
