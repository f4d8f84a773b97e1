// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/ray/embree_tracer.hpp"

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#include <warpdex/error.hpp>

#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace warpdex {
namespace {

struct release {
  void operator()(RTCDevice device) const noexcept { rtcReleaseDevice(device); }
  void operator()(RTCScene scene) const noexcept { rtcReleaseScene(scene); }
  void operator()(RTCGeometry geometry) const noexcept { rtcReleaseGeometry(geometry); }
};
template <class Handle> using owned = std::unique_ptr<std::remove_pointer_t<Handle>, release>;

void intersect(RTCScene scene, RTCRayHit& query) {
#if RTC_VERSION_MAJOR < 4
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene, &context, &query);
#else
  rtcIntersect1(scene, &query);
#endif
}

bool count_bytes(void* total, ssize_t bytes, bool) {
  *static_cast<std::atomic<std::int64_t>*>(total) += bytes;
  return true;
}

}  // namespace

struct embree_scene::state {
  std::atomic<std::int64_t> bytes{0};  // outlives the device, which counts here
  owned<RTCDevice> device;
  owned<RTCScene> scene;
  std::vector<std::uint64_t> slots;  ///< of the triangles
  bool scaled;

  state(std::vector<ray_solid> const& solids, bool scaled) : device(rtcNewDevice(nullptr)), scaled(scaled) {
    if (!device) throw unsupported("Embree makes no device: error " + std::to_string(rtcGetDeviceError(nullptr)));
    rtcSetDeviceMemoryMonitorFunction(device.get(), count_bytes, &bytes);
    slots.reserve(solids.size());
    for (auto const& solid : solids) slots.push_back(solid.slot);
    scene.reset(rtcNewScene(device.get()));
    // Boxes in Morton order halve and third the time of rays along y, because the cost by areas, by which other
    // qualities split, sees no difference between y and z where all points have one x.
    rtcSetSceneBuildQuality(scene.get(), RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(scene.get(), RTC_SCENE_FLAG_ROBUST);  // compact scenes are smaller by a third, at half the speed
    add_triangles(solids);
    rtcCommitScene(scene.get());
    expect_no_error();
  }

  static constexpr char const* no_memory = "Embree: no memory for a scene";

  void add_triangles(std::vector<ray_solid> const& solids) {
    owned<RTCGeometry> const geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    auto* const corners = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), 3 * solids.size()));
    auto* const numbers = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), solids.size()));
    if (corners == nullptr || numbers == nullptr) {
      expect_no_error();
      throw out_of_memory(no_memory);
    }
    for (std::size_t i = 0; i < solids.size(); ++i) {
      ray_triangle const triangle = triangle_at(solids[i].at, scaled, solids[i].flipped);
      std::memcpy(corners + 9 * i, triangle.corners, sizeof(triangle.corners));
      for (std::size_t corner = 0; corner < 3; ++corner)
        numbers[3 * i + corner] = static_cast<std::uint32_t>(3 * i + corner);
    }
    rtcCommitGeometry(geometry.get());
    rtcAttachGeometry(scene.get(), geometry.get());
  }

  void expect_no_error() const {
    RTCError const error = rtcGetDeviceError(device.get());
    if (error == RTC_ERROR_OUT_OF_MEMORY) throw out_of_memory(no_memory);
    if (error != RTC_ERROR_NONE) throw unsupported("Embree: error " + std::to_string(error));
  }

  /// A ray starts half a step before its origin.
  ray_hit closest(ray_axis axis, ray_point from) const {
    float const step[3] = {1.0f, scaled ? 32768.0f : 1.0f, scaled ? 33554432.0f : 1.0f};
    float start[3] = {static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(from.z)};
    int const a = static_cast<int>(axis);
    start[a] -= 0.5f;
    RTCRayHit query{};
    query.ray.org_x = start[0] * step[0];
    query.ray.org_y = start[1] * step[1];
    query.ray.org_z = start[2] * step[2];
    query.ray.dir_x = a == 0 ? 1.0f : 0.0f;
    query.ray.dir_y = a == 1 ? 1.0f : 0.0f;
    query.ray.dir_z = a == 2 ? 1.0f : 0.0f;
    query.ray.tfar = std::numeric_limits<float>::infinity();
    query.ray.mask = ~0u;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    intersect(scene.get(), query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
    float const normal[3] = {query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z};
    return {slots[query.hit.primID], normal[a] < 0};
  }

  /// Traces known triangles at the corners of the scene, along all axes. Every other one shows its back.
  /// @param odd which ones do
  static bool hits_known_triangles(bool scaled, bool odd) {
    std::vector<ray_solid> solids;
    for (std::int32_t const x : {-1, 0, ray_digits::x_max})
      for (std::int32_t const y : {-1, 0, ray_digits::y_max})
        for (std::int32_t const z : {0, ray_digits::z_max})
          solids.push_back({{x, y, z}, solids.size(), (solids.size() % 2 != 0) == odd});
    state const known(solids, scaled);
    for (auto const& solid : solids)
      for (ray_axis const axis : {ray_axis::x, ray_axis::y, ray_axis::z}) {
        ray_hit const hit = known.closest(axis, solid.at);
        if (hit.slot != solid.slot || hit.back != solid.flipped) return false;
      }
    return true;
  }
};

bool embree_scene::exists() noexcept { return true; }

void embree_scene::expect_few(std::uint64_t triangles, scene_extent const& extent) {
  if (triangles > most_triangles)
    throw unsupported(std::to_string(triangles) + " triangles are more than the " + std::to_string(most_triangles) +
                      " that Embree takes; " + extent.fitting(most_triangles));
}

embree_scene::embree_scene(std::vector<ray_solid> const& solids, bool scaled)
    : state_(std::make_unique<state>(solids, scaled)) {
  auto const is_right = [](bool known_scale) {
    return state::hits_known_triangles(known_scale, false) && state::hits_known_triangles(known_scale, true);
  };
  static bool const right[2] = {is_right(false), is_right(true)};
  if (!right[scaled ? 1 : 0]) throw unsupported("Embree does not hit known triangles; tracers are own and none");
}

embree_scene::~embree_scene() = default;
embree_scene::embree_scene(embree_scene&&) noexcept = default;
embree_scene& embree_scene::operator=(embree_scene&&) noexcept = default;

ray_caster embree_scene::caster() const noexcept {
  return {[](void const* scene, ray_axis axis, ray_point from) {
            return static_cast<state const*>(scene)->closest(axis, from);
          },
          state_.get()};
}

std::uint64_t embree_scene::bytes() const noexcept {
  return static_cast<std::uint64_t>(state_->bytes.load()) + state_->slots.size() * sizeof(std::uint64_t);
}

}  // namespace warpdex
