// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The twin of search/ray_scene.hpp in GLSL: how a search becomes rays. Tests compare both ray by ray.
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer words { uint at[]; };

// As `parameters` in vulkan_scene.cpp.
layout(push_constant) uniform parameters {
  uvec2 scene;            // addresses: of the acceleration structure
  uvec2 targets;          // keys of one or two words; or rays of four
  uvec2 results;          // a word per target
  uvec2 slots;            // a word per triangle
  uvec2 representatives;  // two words per bucket
  uvec2 lowest;           // the first and the last representative
  uvec2 highest;
  uint count;
  uint buckets;
  uint flags;
} with;

const uint is_naive = 1, is_optimized = 2, many_rows = 4, many_planes = 8, is_scaled = 16, is_wide = 32;
const uint nothing = 0xffffffffu, is_back = 0x80000000u;
const int axis_x = 0, axis_y = 1, axis_z = 2, x_max = 0x7fffff, y_max = 0x7fffff;

layout(location = 0) rayPayloadEXT uint payload;

bool has(uint flag) { return (with.flags & flag) != 0; }

bool less(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

ivec3 point(uvec2 key) {
  return ivec3(key.x & x_max, (key.x >> 23) | (key.y & 0x3fff) << 9, key.y >> 14);
}

// Returns the slot of the closest primitive, with `is_back` if the ray came from the back side.
uint closest(int axis, ivec3 from) {
  vec3 unit = has(is_scaled) ? vec3(1, 32768, 33554432) : vec3(1);
  vec3 start = vec3(from);
  vec3 direction = vec3(0);
  start[axis] -= 0.5;
  direction[axis] = 1;
  payload = nothing;
  traceRayEXT(accelerationStructureEXT(with.scene), gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, start * unit, 0.0, direction,
              1e30, 0);
  return payload == nothing ? nothing : words(with.slots).at[payload & ~is_back] | (payload & is_back);
}

uint bucket_of(uint hit) {
  uint slot = hit & ~is_back;
  uint behind = has(is_optimized) ? 1 : 0;
  return slot >= 2 * with.buckets ? slot - 2 * with.buckets + behind : slot >= with.buckets ? slot - with.buckets + behind : slot;
}

// Returns the row and the plane of a primitive.
ivec3 point_of_slot(uint hit) {
  uint slot = hit & ~is_back;
  uint bucket = slot >= 2 * with.buckets ? slot - 2 * with.buckets : slot >= with.buckets ? slot - with.buckets : slot;
  words keys = words(with.representatives);
  ivec3 at = point(uvec2(keys.at[2 * bucket], keys.at[2 * bucket + 1]));
  if (slot >= 2 * with.buckets) at.y = has(is_optimized) ? y_max : -1;
  return at;
}

uint locate_behind_row(ivec3 from) {
  if (!has(is_naive | is_optimized) || !has(many_rows)) return nothing;
  bool at_end = has(is_optimized);
  int x = at_end ? x_max : -1;
  uint hit = closest(axis_y, ivec3(x, from.y + 1, from.z));
  if (hit == nothing && has(many_planes)) {
    hit = closest(axis_z, ivec3(x, at_end ? y_max : -1, from.z + 1));
    if (hit == nothing) return nothing;
    hit = closest(axis_y, ivec3(x, 0, point_of_slot(hit).z));
  }
  if (hit == nothing) return nothing;
  if ((hit & is_back) == 0) {
    ivec3 row = point_of_slot(hit);
    hit = closest(axis_x, ivec3(0, row.y, row.z));
  }
  return hit == nothing ? nothing : bucket_of(hit);
}

// Returns the bucket of the first key that is not less than the target. Above the last key that is the last bucket.
uint locate(uvec2 target) {
  if (less(with.highest, target)) return with.buckets - 1;
  if (!less(with.lowest, target)) return 0;
  ivec3 from = point(target);
  uint hit = closest(axis_x, from);
  return hit == nothing ? locate_behind_row(from) : bucket_of(hit);
}
