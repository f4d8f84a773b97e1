// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

/// @file
/// Keys as triangles, and searches as rays (paper 003). Keys are cut into buckets; the last key of a bucket is its
/// representative. A key is a point, whose coordinates are digits of the key:
///
///     bits   63 .. 46   45 .. 23   22 .. 0        keys of equal y and z are a row, keys of equal z a plane
///            z          y          x
///
/// Representatives, and markers that lead from row to row and from plane to plane, are primitives. A ray runs from a
/// point along an axis in the direction of rising coordinates and hits the closest primitive there. Primitives are
/// named by slots: the representative of bucket b has slot b, its row marker slot b + n and its plane marker slot
/// b + 2n, where n is the number of buckets. Slots without a primitive are empty.
///
/// Shaders of Vulkan have a twin of the searches (backend/ray/shaders/scene.glsl).
namespace warpdex {

/// The axes of a scene.
enum class ray_axis : std::uint8_t { x, y, z };

/// A point, or the origin of a ray, in digits. Markers may be at -1.
struct ray_point {
  std::int32_t x;  ///< the lowest digits of the key
  std::int32_t y;  ///< those in the middle
  std::int32_t z;  ///< the highest digits

  /// @return the coordinate of an axis
  WDX_HD std::int32_t along(ray_axis axis) const { return axis == ray_axis::x ? x : axis == ray_axis::y ? y : z; }
};

/// How keys are cut into digits. 23 bits are what floats of 24 bits leave to numbers that are added to 1/2.
struct ray_digits {
  /// Bits of a coordinate; the rest of the key is z.
  /// @{
  static constexpr int x_bits = 23;
  static constexpr int y_bits = 23;
  /// @}
  /// The largest value of a coordinate.
  /// @{
  static constexpr std::int32_t x_max = (1 << 23) - 1;
  static constexpr std::int32_t y_max = (1 << 23) - 1;
  static constexpr std::int32_t z_max = (1 << 18) - 1;
  /// @}

  /// @return where a key is
  template <class Key> WDX_HD static ray_point point(Key key) {
    std::uint64_t const k = key;
    return {static_cast<std::int32_t>(k & x_max), static_cast<std::int32_t>(k >> x_bits & y_max),
            static_cast<std::int32_t>(k >> (x_bits + y_bits))};
  }

  /// @return the key at a point whose coordinates are digits; where one is -1, that of the same point with 0 there
  template <class Key> WDX_HD static Key key(ray_point p) {
    std::uint64_t const x = p.x < 0 ? 0u : static_cast<unsigned>(p.x);
    std::uint64_t const y = p.y < 0 ? 0u : static_cast<unsigned>(p.y);
    return static_cast<Key>(static_cast<std::uint64_t>(p.z) << (x_bits + y_bits) | y << x_bits | x);
  }

  /// @return the number of a key's row: all digits but x
  template <class Key> WDX_HD static std::uint64_t row(Key key) { return std::uint64_t{key} >> x_bits; }
  /// @return the number of its plane: the digits of z
  template <class Key> WDX_HD static std::uint64_t plane(Key key) { return std::uint64_t{key} >> (x_bits + y_bits); }
};

/// What a ray has hit.
struct ray_hit {
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};  ///< the slot of no primitive

  std::uint64_t slot = nothing;  ///< of the primitive
  bool back = false;             ///< whether the ray came from the back side

  WDX_HD bool exists() const { return slot != nothing; }  ///< whether it has hit anything
};

/// Three corners of a triangle.
struct ray_triangle {
  float corners[3][3];  ///< by corner, then by axis
};

/// The triangle around a point: it is parallel to no axis, and rays of all axes through the point hit it in its centre.
/// All numbers are exact. Half a step is a half, or 2^14 and 2^24 along y and z if the axes are scaled (paper 003,
/// section 5.2): that keeps boxes of hardware long along rows.
/// @param flipped whether rays come from the back side
WDX_HD inline ray_triangle triangle_at(ray_point p, bool scaled, bool flipped) {
  float const step[3] = {1.0f, scaled ? 32768.0f : 1.0f, scaled ? 33554432.0f : 1.0f};
  float const centre[3] = {static_cast<float>(p.x) * step[0], static_cast<float>(p.y) * step[1],
                           static_cast<float>(p.z) * step[2]};
  float const offset[3][3] = {{0.5f, -0.5f, 0.0f}, {0.0f, 0.5f, -0.5f}, {-0.5f, 0.0f, 0.5f}};
  ray_triangle result{};
  for (int corner = 0; corner < 3; ++corner)
    for (int axis = 0; axis < 3; ++axis)
      result.corners[flipped ? 2 - corner : corner][axis] = centre[axis] + offset[corner][axis] * step[axis];
  return result;
}

/// Which primitives a scene has.
enum class scene_kind : std::uint8_t {
  plain,      ///< RX: representatives alone. A search whose row has no key that is not less goes by the pairs
  naive,      ///< Algorithms 1 and 2: a marker at x = -1 before each row, one at x = y = -1 before each plane
  optimized,  ///< Algorithm 3: each row ends with a primitive at its largest x, each plane with one at its last point
};

/// What a primitive stands for: the last key of a bucket, or a mark that leads to the next row or plane.
enum class ray_primitive : std::uint8_t { representative, row_marker, plane_marker };

/// The primitives of one bucket.
struct bucket_primitives {
  ray_point representative;  ///< where it is, if there is one
  bool has[3];               ///< by `ray_primitive`
  bool flipped;              ///< whether rays hit the back side of the representative: no other primitive is in its row

  /// @return how many there are
  WDX_HD int count() const { return has[0] + has[1] + has[2]; }
};

/// Keys in ascending order, cut into buckets, as a scene.
/// @tparam Keys has key(rank) and key_type
template <class Keys> struct ray_scene {
  /// Type of the keys.
  using key_type = typename Keys::key_type;
  static constexpr std::uint64_t no_bucket = ray_hit::nothing;  ///< what `locate` returns if rays find none

  Keys keys;           ///< the keys, by rank
  std::uint64_t size;  ///< number of keys
  int bucket_bits;     ///< log2 of the entries of a bucket; the last one may have fewer
  scene_kind kind;     ///< which primitives there are
  bool many_rows;      ///< whether representatives are in several rows; without, there are no markers of rows
  bool many_planes;    ///< the same of planes

  /// @return the number of buckets
  WDX_HD std::uint64_t buckets() const { return (size + (std::uint64_t{1} << bucket_bits) - 1) >> bucket_bits; }
  /// @return the rank after the last key of a bucket
  WDX_HD std::uint64_t end_of(std::uint64_t bucket) const {
    std::uint64_t const end = (bucket + 1) << bucket_bits;
    return end < size ? end : size;
  }
  /// @return the last key of a bucket
  WDX_HD key_type representative(std::uint64_t bucket) const { return keys.key(end_of(bucket) - 1); }

  /// @return the primitives of a bucket (Algorithms 1 and 3). Outside of the keys all rows and planes are others.
  WDX_HD bucket_primitives primitives_of(std::uint64_t bucket) const {
    key_type const here = representative(bucket);
    bool const first = bucket == 0;
    key_type const before = first ? 0 : representative(bucket - 1);
    bucket_primitives result{ray_digits::point(here), {first || here != before, false, false}, false};
    if (kind == scene_kind::naive) {
      result.has[1] = many_rows && (first || ray_digits::row(before) != ray_digits::row(here));
      result.has[2] = many_planes && (first || ray_digits::plane(before) != ray_digits::plane(here));
    } else if (kind == scene_kind::optimized) {
      optimize(result, bucket, here, first || ray_digits::row(before) != ray_digits::row(here));
    }
    return result;
  }

  /// @return where a primitive of a bucket is
  WDX_HD ray_point point_of(bucket_primitives const& primitives, ray_primitive which) const {
    ray_point p = primitives.representative;
    bool const at_end = kind == scene_kind::optimized;
    if (which != ray_primitive::representative) p.x = at_end ? ray_digits::x_max : -1;
    if (which == ray_primitive::plane_marker) p.y = at_end ? ray_digits::y_max : -1;
    return p;
  }

  /// @return the bucket to which a primitive leads. Optimized markers come after a bucket and lead to the next one;
  /// after the last bucket there is none.
  WDX_HD std::uint64_t bucket_of(std::uint64_t slot) const {
    std::uint64_t const n = buckets();
    std::uint64_t const behind = kind == scene_kind::optimized ? 1 : 0;
    return slot >= 2 * n ? slot - 2 * n + behind : slot >= n ? slot - n + behind : slot;
  }

  /// @return the bucket with the first key that is not less than the target, which is not above the last key;
  /// `no_bucket` if rays find none, as in plain scenes
  ///
  /// Cost: 1 to 5 rays.
  /// @param closest closest(axis, origin) returns the hit of a ray
  template <class Closest> WDX_HD std::uint64_t locate(key_type target, Closest const& closest) const {
    ray_hit const hit = closest(ray_axis::x, ray_digits::point(target));
    return hit.exists() ? bucket_of(hit.slot) : locate_behind_row(target, closest);
  }

  /// @return the same if the row of the target has no primitive at or after it
  template <class Closest> WDX_HD std::uint64_t locate_behind_row(key_type target, Closest const& closest) const {
    if (kind == scene_kind::plain || !many_rows) return no_bucket;
    ray_point const from = ray_digits::point(target);
    bool const at_end = kind == scene_kind::optimized;
    std::int32_t const x = at_end ? ray_digits::x_max : -1;
    ray_hit hit = closest(ray_axis::y, ray_point{x, from.y + 1, from.z});
    if (!hit.exists() && many_planes) {
      hit = closest(ray_axis::z, ray_point{x, at_end ? ray_digits::y_max : -1, from.z + 1});
      if (!hit.exists()) return no_bucket;
      hit = closest(ray_axis::y, ray_point{x, 0, point_of_slot(hit.slot).z});
    }
    if (!hit.exists()) return no_bucket;
    if (!hit.back) {
      ray_point const row = point_of_slot(hit.slot);
      hit = closest(ray_axis::x, ray_point{0, row.y, row.z});
    }
    return hit.exists() ? bucket_of(hit.slot) : no_bucket;
  }

 private:
  /// Two conditions are added to those of the paper: no row marker where the representative itself ends the row, and no
  /// key after the last one.
  WDX_HD void optimize(bucket_primitives& primitives, std::uint64_t bucket, key_type here, bool first_in_row) const {
    std::uint64_t const end = end_of(bucket);
    bool const last = end == size;
    bool const movable = last || ray_digits::row(keys.key(end)) != ray_digits::row(here);
    key_type const next = last ? here : representative(bucket + 1);
    bool const ends_row = primitives.representative.x == ray_digits::x_max;
    primitives.has[0] = primitives.has[0] || (movable && !ends_row);
    primitives.has[1] = many_rows && !movable && !ends_row && ray_digits::row(here) != ray_digits::row(next);
    primitives.has[2] = many_planes && primitives.representative.y != ray_digits::y_max &&
                        (last || ray_digits::plane(here) != ray_digits::plane(next));
    if (movable) primitives.representative.x = ray_digits::x_max;
    primitives.flipped = movable && first_in_row;
  }

  /// @return the row and the plane of a primitive. They follow from its key, never from the place of a hit.
  WDX_HD ray_point point_of_slot(std::uint64_t slot) const {
    std::uint64_t const n = buckets();
    std::uint64_t const bucket = slot >= 2 * n ? slot - 2 * n : slot >= n ? slot - n : slot;
    bucket_primitives const primitives{
        ray_digits::point(representative(bucket < n ? bucket : n - 1)), {true, true, true}, false};
    return point_of(primitives, slot >= 2 * n ? ray_primitive::plane_marker
                                : slot >= n   ? ray_primitive::row_marker
                                              : ray_primitive::representative);
  }
};

}  // namespace warpdex
