// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ray_scene.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/ray/locator.hpp"
#include "backend/ray/sharing.hpp"

/// @file
/// Rays by a ray tracing pipeline of Vulkan, on the device of an index on CUDA, or on any device for one on a CPU. A
/// build without Vulkan has `no_vulkan.cpp` instead.
namespace warpdex {

/// What a scene of triangles is, free of types.
struct solid_shape {
  std::uint64_t triangles;
  std::uint64_t buckets;
  scene_kind kind;
  bool many_rows;
  bool many_planes;
  bool scaled;           ///< whether the axes are scaled (`triangle_at`)
  bool wide;             ///< whether keys have 8 bytes, not 4
  std::uint64_t lowest;  ///< the first and the last representative
  std::uint64_t highest;
};

/// The arrays of a scene of triangles, where an engine can write them.
struct solid_arrays {
  ray_triangle* triangles;
  std::uint32_t* slots;            ///< of the triangles
  std::uint64_t* representatives;  ///< one per bucket
};

/// A ray alone.
struct single_ray {
  ray_point from;
  ray_axis axis;
};

/// A scene in Vulkan. Its memory is Vulkan's, not that of the call.
class vulkan_scene final : public ray_locator {
 public:
  /// @return whether this build has Vulkan
  static bool exists() noexcept;
  /// @return why the host has no tracer by Vulkan; empty if it has one
  static std::string missing();
  /// @return the device that the host uses
  /// @throws unsupported, device_error
  static device_uuid host_device();

  /// Makes room for the triangles.
  /// @param bucket_bits log2 of the entries of a bucket, for messages
  /// @throws unsupported if there is no loader, driver, device, extension or feature, if known triangles at the corners
  /// of the scene are not hit, or if there are more triangles than the device numbers; out_of_memory, device_error
  vulkan_scene(backend_kind kind, solid_shape const& shape, int bucket_bits);
  /// The same on a separate device, for another engine.
  vulkan_scene(sharing const& client, solid_shape const& shape, int bucket_bits);
  ~vulkan_scene() override;

  /// @return the arrays, for the engine to write
  solid_arrays arrays() const noexcept;

  /// Builds the scene once they are written. Synchronises.
  /// @throws out_of_memory, device_error
  void build();

  void locate(std::uint64_t size, execution const& exec, write_targets const& write,
              read_buckets const& read) const override;
  std::uint64_t bytes() const noexcept override;
  ray_build const& facts() const noexcept override;

  /// Traces single rays, of which a lane must hold all.
  std::vector<ray_hit> trace(std::span<single_ray const> rays) const;

  /// The largest number of targets of a dispatch.
  static constexpr std::uint64_t most_targets = 1 << 22;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace warpdex
