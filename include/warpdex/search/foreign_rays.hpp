// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/ray_scene.hpp>

#include <cstdint>
#include <functional>

/// @file
/// Rays that another library traces, Embree or Vulkan. `index::view<foreign_rays>` returns those of cgRX and RX.
namespace warpdex {

/// A tracer of another library, for searches on the host.
struct ray_caster {
  /// Traces one ray; null without a tracer.
  ray_hit (*closest)(void const* scene, ray_axis axis, ray_point from) = nullptr;
  void const* scene = nullptr;  ///< what `closest` takes

  bool exists() const noexcept { return closest != nullptr; }  ///< whether there is a tracer
  /// @return what a ray hits
  ray_hit operator()(ray_axis axis, ray_point from) const { return closest(scene, axis, from); }
};

/// What the build of a scene took.
struct ray_build {
  std::uint64_t built_bytes = 0;      ///< of the structure over the primitives, before it was compacted
  std::uint64_t compacted_bytes = 0;  ///< and after
  double build_seconds = 0;           ///< time of the build
  double compaction_seconds = 0;      ///< time of the compaction
};

/// A tracer that is no function of C++, but takes many targets at a time.
class ray_locator {
 public:
  /// Writes encoded keys, those of numbers from `begin` on, in the order of the call's stream.
  using write_targets = std::function<void(std::uint64_t begin, std::uint64_t count, void* targets)>;
  /// Reads the buckets of these keys, in the same order. A bucket of all bits says that rays have found none.
  using read_buckets = std::function<void(std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets)>;

  virtual ~ray_locator() = default;

  /// Locates `size` targets, piece by piece. Synchronises.
  /// @throws out_of_memory, device_error
  virtual void locate(std::uint64_t size, execution const& exec, write_targets const& write,
                      read_buckets const& read) const = 0;
  /// @return bytes of the tracer
  virtual std::uint64_t bytes() const noexcept = 0;
  /// @return what the build took
  virtual ray_build const& facts() const noexcept = 0;
};

/// The rays of an index that another library traces: one at a time, by batches, or not at all.
struct foreign_rays {
  ray_caster caster;                     ///< traces single rays on the host; not there with a locator
  ray_locator const* locator = nullptr;  ///< traces batches; null without one. The index owns it
};

}  // namespace warpdex
