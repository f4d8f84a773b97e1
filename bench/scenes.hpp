// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/data.hpp"
#include "bench/placed.hpp"
#include "bench/report.hpp"

#include <warpdex/index.hpp>

namespace warpdex::bench {

/// Adds what an index of rays casts: `triangles`, counted on the host, and of a sample of the probes `rays`, the mean
/// per lookup, and `wrong_hits`, the part whose rays do not lead to the bucket, so that it was bisected among all
/// entries. A tracer by Vulkan adds `rays_s`, the time of the rays of all probes alone. Adds nothing for other indexes,
/// and for other layouts than SoA.
/// @param sorted the keys in order @param exec of the index
template <class Key>
void put_scene(record& line, warpdex::index const& built, std::span<Key const> sorted, placed<Key> const& probes,
               execution const& exec);

/// Adds what the build of triangles by Vulkan took: `build_boxes_s` and `build_compaction_s`.
template <class Key> void put_phases(record& line, warpdex::index const& built);

}  // namespace warpdex::bench
