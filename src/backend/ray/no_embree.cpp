// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>

#include "backend/ray/embree_tracer.hpp"

namespace warpdex {

struct embree_scene::state {};

bool embree_scene::exists() noexcept { return false; }
void embree_scene::expect_few(std::uint64_t, scene_extent const&) {}
embree_scene::embree_scene(std::vector<ray_solid> const&, bool) { throw unsupported("this build has no Embree"); }
embree_scene::~embree_scene() = default;
embree_scene::embree_scene(embree_scene&&) noexcept = default;
embree_scene& embree_scene::operator=(embree_scene&&) noexcept = default;
ray_caster embree_scene::caster() const noexcept { return {}; }
std::uint64_t embree_scene::bytes() const noexcept { return 0; }

}  // namespace warpdex
