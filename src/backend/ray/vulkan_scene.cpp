// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/ray/vulkan_scene.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/ray/scene_extent.hpp"
#include "backend/ray/vulkan_device.hpp"
#include "base/stopwatch.hpp"

namespace warpdex {
namespace vulkan {
namespace {

/// As in shaders/scene.glsl.
struct parameters {
  VkDeviceAddress scene, targets, results, slots, representatives;
  std::uint64_t lowest, highest;
  std::uint32_t count, buckets, flags, unused;
};
static_assert(sizeof(parameters) == device::parameter_bytes);

constexpr std::uint32_t miss = ~std::uint32_t{0};
constexpr std::uint32_t is_back = 0x80000000;

std::uint32_t flags_of(solid_shape const& shape) {
  return (shape.kind == scene_kind::naive ? 1u : 0u) | (shape.kind == scene_kind::optimized ? 2u : 0u) |
         (shape.many_rows ? 4u : 0u) | (shape.many_planes ? 8u : 0u) | (shape.scaled ? 16u : 0u) |
         (shape.wide ? 32u : 0u);
}

/// An acceleration structure, and the buffer that holds it.
struct structure {
  memory room;
  owned<VkAccelerationStructureKHR> handle;

  structure() = default;
  structure(device const& on, std::uint64_t bytes, VkAccelerationStructureTypeKHR type)
      : room(on, bytes, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR, reach::none) {
    VkAccelerationStructureCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR;
    info.buffer = room.handle();
    info.size = bytes;
    info.type = type;
    handle = make<VkAccelerationStructureKHR>(on.handle(), on.calls().CreateAccelerationStructureKHR,
                                              on.calls().DestroyAccelerationStructureKHR, info,
                                              "vkCreateAccelerationStructureKHR");
  }

  VkDeviceAddress address(device const& on) const {
    VkAccelerationStructureDeviceAddressInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR;
    info.accelerationStructure = handle.get();
    return on.calls().GetAccelerationStructureDeviceAddressKHR(on.handle(), &info);
  }
};

/// Builds a structure from one geometry.
structure build_structure(device const& on, lane& by, VkAccelerationStructureGeometryKHR const& geometry,
                          std::uint64_t primitives, VkAccelerationStructureTypeKHR type,
                          VkBuildAccelerationStructureFlagsKHR flags) {
  auto const& calls = on.calls();
  VkAccelerationStructureBuildGeometryInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
  info.type = type;
  info.flags = flags;
  info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
  info.geometryCount = 1;
  info.pGeometries = &geometry;
  auto const count = static_cast<std::uint32_t>(primitives);
  VkAccelerationStructureBuildSizesInfoKHR sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR;
  calls.GetAccelerationStructureBuildSizesKHR(on.handle(), VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info,
                                              &count, &sizes);
  structure result(on, sizes.accelerationStructureSize, type);
  std::uint64_t const alignment = std::max<std::uint64_t>(1, on.most().scratch_alignment);
  memory const scratch(on, sizes.buildScratchSize + alignment, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, reach::none);
  info.dstAccelerationStructure = result.handle.get();
  info.scratchData.deviceAddress = (scratch.address() + alignment - 1) / alignment * alignment;
  VkAccelerationStructureBuildRangeInfoKHR const range{count, 0, 0, 0};
  auto const* const ranges = &range;
  by.run([&](VkCommandBuffer commands) { calls.CmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges); });
  return result;
}

/// @return a copy of a structure that takes no more memory than it needs
structure compacted(device const& on, lane& by, structure const& from) {
  auto const& calls = on.calls();
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR;
  info.queryCount = 1;
  auto const query =
      make<VkQueryPool>(on.handle(), calls.CreateQueryPool, calls.DestroyQueryPool, info, "vkCreateQueryPool");
  VkAccelerationStructureKHR const handle = from.handle.get();
  by.run([&](VkCommandBuffer commands) {
    calls.CmdResetQueryPool(commands, query.get(), 0, 1);
    calls.CmdWriteAccelerationStructuresPropertiesKHR(commands, 1, &handle, info.queryType, query.get(), 0);
  });
  std::uint64_t bytes = 0;
  expect_success(calls.GetQueryPoolResults(on.handle(), query.get(), 0, 1, sizeof(bytes), &bytes, sizeof(bytes),
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults");
  structure result(on, bytes, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR);
  VkCopyAccelerationStructureInfoKHR copy{};
  copy.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR;
  copy.src = handle;
  copy.dst = result.handle.get();
  copy.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR;
  by.run([&](VkCommandBuffer commands) { calls.CmdCopyAccelerationStructureKHR(commands, &copy); });
  return result;
}

VkAccelerationStructureGeometryKHR triangles_at(VkDeviceAddress corners, std::uint64_t count) {
  VkAccelerationStructureGeometryKHR result{};
  result.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
  result.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
  result.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
  auto& triangles = result.geometry.triangles;
  triangles.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
  triangles.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
  triangles.vertexData.deviceAddress = corners;
  triangles.vertexStride = 3 * sizeof(float);
  triangles.maxVertex = static_cast<std::uint32_t>(3 * count - 1);
  triangles.indexType = VK_INDEX_TYPE_NONE_KHR;
  return result;
}

VkAccelerationStructureGeometryKHR instances_at(VkDeviceAddress instances) {
  VkAccelerationStructureGeometryKHR result{};
  result.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
  result.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
  result.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
  result.geometry.instances.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR;
  result.geometry.instances.data.deviceAddress = instances;
  return result;
}

}  // namespace
}  // namespace vulkan

struct vulkan_scene::state {
  std::unique_ptr<vulkan::device> own;  ///< if it is not the engine's
  vulkan::device& on;
  solid_shape shape;
  vulkan::reach who;
  vulkan::memory triangles, slots, representatives;
  vulkan::structure bottom, top;
  VkDeviceAddress top_address = 0;
  ray_build facts;

  state(std::unique_ptr<vulkan::device> mine, vulkan::device& device, solid_shape const& shape, vulkan::reach reached)
      : own(std::move(mine)), on(device), shape(shape), who(reached),
        triangles(on, shape.triangles * sizeof(ray_triangle), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | build_input, who),
        slots(on, shape.triangles * sizeof(std::uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, who),
        representatives(on, shape.buckets * sizeof(std::uint64_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, who) {}

  static constexpr VkBufferUsageFlags build_input =
      VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;

  void build() {
    on.with_lane([&](vulkan::lane& by) {
      stopwatch watch;
      constexpr auto flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
      auto const large = vulkan::build_structure(on, by, vulkan::triangles_at(triangles.address(), shape.triangles),
                                                 shape.triangles, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
                                                 flags | VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR);
      facts.built_bytes = large.room.bytes();
      facts.build_seconds = watch.lap();
      triangles = {};
      bottom = vulkan::compacted(on, by, large);
      facts.compacted_bytes = bottom.room.bytes();
      facts.compaction_seconds = watch.lap();

      VkAccelerationStructureInstanceKHR instance{};
      for (int i = 0; i < 3; ++i) instance.transform.matrix[i][i] = 1;
      instance.mask = 0xff;
      instance.flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FRONT_COUNTERCLOCKWISE_BIT_KHR;  // as `triangle_at` winds
      instance.accelerationStructureReference = bottom.address(on);
      vulkan::memory const instances(on, sizeof(instance), build_input, vulkan::reach::host);
      std::memcpy(instances.as<void>(), &instance, sizeof(instance));
      top = vulkan::build_structure(on, by, vulkan::instances_at(instances.address()), 1,
                                    VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, flags);
      top_address = top.address(on);
    });
  }

  vulkan::parameters parameters_of(vulkan::lane const& by, std::uint64_t count) const {
    return {top_address,
            by.targets.address(),
            by.results.address(),
            slots.address(),
            representatives.address(),
            shape.lowest,
            shape.highest,
            static_cast<std::uint32_t>(count),
            static_cast<std::uint32_t>(shape.buckets),
            vulkan::flags_of(shape),
            0};
  }

  std::uint64_t piece() const { return std::min<std::uint64_t>(most_targets, on.most().rays); }

  std::vector<ray_hit> trace(std::span<single_ray const> rays) const {
    std::vector<ray_hit> hits(rays.size());
    on.with_lane([&](vulkan::lane& by) {
      by.reserve(rays.size() * 4 * sizeof(std::int32_t), rays.size() * sizeof(std::uint32_t), vulkan::reach::host);
      auto* const words = by.targets.as<std::int32_t>();
      for (std::size_t i = 0; i < rays.size(); ++i) {
        ray_point const p = rays[i].from;
        std::int32_t const packed[4] = {p.x, p.y, p.z, static_cast<std::int32_t>(rays[i].axis)};
        std::memcpy(words + 4 * i, packed, sizeof(packed));
      }
      auto const with = parameters_of(by, rays.size());
      by.run([&](VkCommandBuffer commands) { on.record_rays(commands, true, &with, rays.size()); });
      auto const* const found = by.results.as<std::uint32_t>();
      for (std::size_t i = 0; i < rays.size(); ++i)
        if (found[i] != vulkan::miss) hits[i] = {found[i] & ~vulkan::is_back, (found[i] & vulkan::is_back) != 0};
    });
    return hits;
  }

  /// Traces known triangles at the corners of the scene, along all axes. Every other one shows its back.
  /// @param odd which ones do
  /// @return the first ray that does not hit its triangle; empty if all do
  static std::string wrong_hit(vulkan::device& on, bool scaled, bool odd) {
    std::vector<ray_point> corners;
    for (std::int32_t const x : {-1, 0, ray_digits::x_max})
      for (std::int32_t const y : {-1, 0, ray_digits::y_max})
        for (std::int32_t const z : {0, ray_digits::z_max}) corners.push_back({x, y, z});
    state known(nullptr, on, {corners.size(), corners.size(), scene_kind::plain, false, false, scaled, true, 0, 0},
                vulkan::reach::host);
    auto const is_flipped = [odd](std::size_t i) { return (i % 2 != 0) == odd; };
    for (std::size_t i = 0; i < corners.size(); ++i) {
      known.triangles.as<ray_triangle>()[i] = triangle_at(corners[i], scaled, is_flipped(i));
      known.slots.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(i);
    }
    known.build();
    std::vector<single_ray> rays;
    for (ray_point const corner : corners)
      for (ray_axis const axis : {ray_axis::x, ray_axis::y, ray_axis::z}) rays.push_back({corner, axis});
    auto const hits = known.trace(rays);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].slot == i / 3 && hits[i].back == is_flipped(i / 3)) continue;
      ray_point const p = rays[i].from;
      std::string const hit = hits[i].exists()
                                  ? (hits[i].back ? "the back of " : "the front of ") + std::to_string(hits[i].slot)
                                  : "nothing";
      return "along axis " + std::to_string(i % 3) + " from " + std::to_string(p.x) + ", " + std::to_string(p.y) +
             ", " + std::to_string(p.z) + " a ray at triangle " + std::to_string(i / 3) + " hits " + hit;
    }
    return {};
  }

  static std::unique_ptr<state> make(std::unique_ptr<vulkan::device> own, vulkan::device& on, solid_shape const& shape,
                                     int bucket_bits) {
    // A result has 31 bits for the slot of a primitive, and all of them set for none.
    std::uint64_t const most_slots = vulkan::is_back - 1;
    std::uint64_t const most = std::min(on.most().primitives, most_slots);
    scene_extent const extent{shape.kind, shape.buckets, bucket_bits, shape.many_rows, shape.many_planes};
    if (shape.triangles > most || extent.slots() > most_slots)
      vulkan::refuse(std::to_string(shape.triangles) + " triangles of " + std::to_string(shape.buckets) +
                     " buckets are more than the " + std::to_string(most) + " that the device numbers; " +
                     extent.fitting(most));
    on.try_once([&on] {
      for (bool const scaled : {false, true})
        for (bool const odd : {false, true})
          if (auto const wrong = wrong_hit(on, scaled, odd); !wrong.empty())
            vulkan::refuse("the device does not hit known triangles: " + wrong);
    });
    return std::make_unique<state>(std::move(own), on, shape, vulkan::reach::client);
  }
};

bool vulkan_scene::exists() noexcept { return true; }

std::string vulkan_scene::missing() try {
  vulkan::device::of(backend_kind::cpu);
  return {};
} catch (error const& e) {
  return e.what();
}

device_uuid vulkan_scene::host_device() { return vulkan::device::of(backend_kind::cpu).number(); }

vulkan_scene::vulkan_scene(backend_kind kind, solid_shape const& shape, int bucket_bits)
    : state_(state::make(nullptr, vulkan::device::of(kind), shape, bucket_bits)) {}

vulkan_scene::vulkan_scene(sharing const& client, solid_shape const& shape, int bucket_bits) {
  auto own = std::make_unique<vulkan::device>(&client);
  auto& on = *own;
  state_ = state::make(std::move(own), on, shape, bucket_bits);
}

vulkan_scene::~vulkan_scene() = default;

solid_arrays vulkan_scene::arrays() const noexcept {
  return {state_->triangles.as<ray_triangle>(), state_->slots.as<std::uint32_t>(),
          state_->representatives.as<std::uint64_t>()};
}
void vulkan_scene::build() { state_->build(); }

void vulkan_scene::locate(std::uint64_t size, execution const& exec, write_targets const& write,
                          read_buckets const& read) const {
  if (size == 0) return;
  std::uint64_t const piece = std::min(state_->piece(), std::bit_ceil(size));
  state_->on.with_lane([&](vulkan::lane& by) {
    by.reserve(piece * (state_->shape.wide ? 8 : 4), piece * sizeof(std::uint32_t), state_->who);
    auto const& backend = backend_of(exec);
    try {
      for (std::uint64_t begin = 0; begin < size; begin += piece) {
        std::uint64_t const count = std::min(piece, size - begin);
        write(begin, count, by.targets.as<void>());
        auto const with = state_->parameters_of(by, count);
        by.run_in_order([&](VkCommandBuffer commands) { state_->on.record_rays(commands, false, &with, count); }, exec);
        read(begin, count, by.results.as<std::uint32_t>());
      }
      backend.synchronize(exec);
    } catch (...) {
      backend.synchronize(exec);  // nothing may use the lane any more
      throw;
    }
  });
}

std::uint64_t vulkan_scene::bytes() const noexcept {
  return state_->bottom.room.bytes() + state_->top.room.bytes() + state_->slots.bytes() +
         state_->representatives.bytes();
}

ray_build const& vulkan_scene::facts() const noexcept { return state_->facts; }

std::vector<ray_hit> vulkan_scene::trace(std::span<single_ray const> rays) const { return state_->trace(rays); }

}  // namespace warpdex
