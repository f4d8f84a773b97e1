// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>

#include "backend/ray/vulkan_scene.hpp"

namespace warpdex {

struct vulkan_scene::state {
  ray_build facts;
};

bool vulkan_scene::exists() noexcept { return false; }
std::string vulkan_scene::missing() { return "this build has no Vulkan"; }
device_uuid vulkan_scene::host_device() { throw unsupported(missing()); }
vulkan_scene::vulkan_scene(backend_kind, solid_shape const&, int) { throw unsupported(missing()); }
vulkan_scene::vulkan_scene(sharing const&, solid_shape const&, int) { throw unsupported(missing()); }
vulkan_scene::~vulkan_scene() = default;
solid_arrays vulkan_scene::arrays() const noexcept { return {}; }
void vulkan_scene::build() {}
void vulkan_scene::locate(std::uint64_t, execution const&, write_targets const&, read_buckets const&) const {}
std::uint64_t vulkan_scene::bytes() const noexcept { return 0; }
ray_build const& vulkan_scene::facts() const noexcept { return state_->facts; }
std::vector<ray_hit> vulkan_scene::trace(std::span<single_ray const>) const { return {}; }

}  // namespace warpdex
