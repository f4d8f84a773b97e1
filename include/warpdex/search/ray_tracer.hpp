// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/node_search.hpp>
#include <warpdex/search/ray_scene.hpp>

namespace warpdex {

/// A box around the points of some primitives. Bounds belong to it.
struct ray_box {
  ray_point low;   ///< its smallest coordinates
  ray_point high;  ///< its largest coordinates

  /// @return whether a ray may hit something in the box
  WDX_HD bool meets(ray_axis axis, ray_point from) const {
    bool const x = axis == ray_axis::x || (low.x <= from.x && from.x <= high.x);
    bool const y = axis == ray_axis::y || (low.y <= from.y && from.y <= high.y);
    bool const z = axis == ray_axis::z || (low.z <= from.z && from.z <= high.z);
    return x && y && z && from.along(axis) <= high.along(axis);
  }

  /// @return the smallest box around two
  WDX_HD static ray_box around(ray_box const& a, ray_box const& b) {
    auto const least = [](std::int32_t i, std::int32_t j) { return i < j ? i : j; };
    auto const most = [](std::int32_t i, std::int32_t j) { return i < j ? j : i; };
    return {{least(a.low.x, b.low.x), least(a.low.y, b.low.y), least(a.low.z, b.low.z)},
            {most(a.high.x, b.high.x), most(a.high.y, b.high.y), most(a.high.z, b.high.z)}};
  }
};

/// The name of a primitive in a tracer: its bucket, its kind, and which side rays see.
///
///     bucket | kind (2 bits) | back (1 bit)
struct ray_tag {
  /// @return the name of a primitive
  template <class Number> WDX_HD static Number of(Number bucket, ray_primitive kind, bool back) {
    return bucket << 3 | static_cast<Number>(static_cast<unsigned>(kind) << 1 | (back ? 1u : 0u));
  }
  /// @return its kind
  template <class Number> WDX_HD static ray_primitive kind(Number tag) {
    return static_cast<ray_primitive>(tag >> 1 & 3u);
  }
};

/// warpdex's own tracer: the primitives of a scene in key order under a wide implicit hierarchy of boxes.
///
///     boxes    [ 0..255 | 256..511 | ...]         level 2: the box and the last key of 16 nodes of level 1
///     boxes    [0..15 | 16..31 | 32..47 | ...]    level 1: the same of 16 primitives
///     keys     k0 k1 k2 ...                       level 0: primitives, by the digits of their points
///     tags     t0 t1 t2 ...
///
/// Coordinates are digits of keys, so those primitives that a ray may hit ascend along it, and the first in key order
/// is the closest. There are no distances to compare. A ray starts where the key of its origin would be, which takes
/// one visit per level. From there it goes on in key order: past a node whose box it does not meet, into the others,
/// until something is hit or all that follows is beyond the ray. Parents and children follow from numbers, so there is
/// no stack. All arithmetic is of integers: each answer is exact.
///
/// The arrays are padded to nodes of 16; keys of the padding are the largest of the type.
/// Bytes: a key and a tag per primitive, and a fifteenth of a box of 24 bytes and a key.
template <class Key, class Position> struct ray_tracer {
  static constexpr int width_bits = 4;           ///< log2 of `width`
  static constexpr int width = 1 << width_bits;  ///< children of a node
  static constexpr int max_levels = 12;          ///< enough for 2^52 primitives

  Key const* keys = nullptr;             ///< aligned to 16 bytes; null if there is no tracer
  Position const* tags = nullptr;        ///< see `ray_tag`
  Key const* last_keys = nullptr;        ///< per node of levels 1 and above, level by level; aligned to 16 bytes
  ray_box const* boxes = nullptr;        ///< the same
  Position count = 0;                    ///< primitives
  Position buckets = 0;                  ///< of the scene
  int levels = 0;                        ///< above the primitives; the highest has at most 16 nodes
  bool below = false;                    ///< whether markers are at -1
  Position first_node[max_levels] = {};  ///< by level, from 1 on: place of its first node in `last_keys` and `boxes`

  ray_tracer() = default;

  /// Sets the geometry and leaves the arrays null.
  ray_tracer(std::uint64_t primitives, std::uint64_t all_buckets, bool is_below)
      : count(static_cast<Position>(primitives)), buckets(static_cast<Position>(all_buckets)), below(is_below) {
    for (std::uint64_t position = 0; nodes(levels) > width;) {
      first_node[++levels] = static_cast<Position>(position);
      position += padded(nodes(levels));
    }
  }

  /// @return the number of nodes of a level; level 0 are the primitives
  WDX_HD std::uint64_t nodes(int level) const {
    std::uint64_t const below_it = (std::uint64_t{1} << (width_bits * level)) - 1;
    return (std::uint64_t{count} + below_it) >> (width_bits * level);
  }
  /// @return the places that so many nodes take
  WDX_HD static std::uint64_t padded(std::uint64_t nodes) {
    return (nodes + width - 1) & ~static_cast<std::uint64_t>(width - 1);
  }
  /// @return nodes of all levels above the primitives, padding included
  WDX_HD std::uint64_t node_count() const {
    return levels == 0 ? 0 : std::uint64_t{first_node[levels]} + padded(nodes(levels));
  }
  WDX_HD bool exists() const { return keys != nullptr; }  ///< whether there is a tracer: its arrays are set

  /// Makes one step towards the first primitive whose key is not less than `target`: reads the 16 children that begin
  /// with number `node` of a level, and sets it to the child where the search goes on, or on the next level to that
  /// child's first one. The last key must not be less than the target.
  /// @param level of the children; 0 ends the search
  template <class Group> WDX_HD void step(Group group, Key target, Position& node, int level) const {
    Key const* const from = level == 0 ? keys : last_keys + first_node[level];
    node += static_cast<Position>(
        count_less<width>(group, soa_pairs<Key, Position>{from, {}}, std::uint64_t{node}, target));
    if (level > 0) node <<= width_bits;
  }
  /// Asks for what `step` reads with the same arguments.
  WDX_HD WDX_INLINE void prefetch_step(Position node, int level) const {
    Key const* const from = level == 0 ? keys : last_keys + first_node[level];
    prefetch<width * sizeof(Key)>(from + node);
  }

  /// @return the point of primitive number `i` in key order
  WDX_HD ray_point point(std::uint64_t i) const {
    ray_point p = ray_digits::point(keys[i]);
    if (below) {
      ray_primitive const kind = ray_tag::kind(tags[i]);
      if (kind != ray_primitive::representative) p.x = -1;
      if (kind == ray_primitive::plane_marker) p.y = -1;
    }
    return p;
  }
  /// @return primitive number i, as a ray hits it
  WDX_HD ray_hit hit(std::uint64_t i) const {
    Position const tag = tags[i];
    std::uint64_t const kind = static_cast<unsigned>(ray_tag::kind(tag));
    return {kind * buckets + (tag >> 3), (tag & 1u) != 0};
  }

  /// @return the closest primitive that a ray hits
  ///
  /// Cost: one visit per level; few more unless many rows or planes are in between
  WDX_HD ray_hit closest(ray_axis axis, ray_point from) const {
    if (from.x > ray_digits::x_max || from.y > ray_digits::y_max || from.z > highest_z()) return {};
    return closest_from(axis, from, first_from(ray_digits::key<Key>(from)));
  }

  /// @return the first primitive whose key is not less than a target; `count` if there is none
  ///
  /// Cost: one visit per level
  WDX_HD std::uint64_t first_from(Key target) const {
    if (count == 0 || keys[count - 1] < target) return count;
    Position node = 0;
    for (int level = levels; level >= 0; --level) step(single_lane{}, target, node, level);
    return node;
  }

  /// @return what `closest` does if the first primitive is known whose key is not less than that of the origin
  WDX_HD ray_hit closest_from(ray_axis axis, ray_point from, std::uint64_t first) const {
    ray_hit found;
    follow(axis, from, first, [&](std::uint64_t i) {
      found = hit(i);
      return true;
    });
    return found;
  }

  /// Follows a ray along its hits, in the order in which it hits them.
  /// @param first the first primitive whose key is not less than that of the origin
  /// @param ends ends(i) takes a primitive that the ray hits, and returns whether it ends the ray
  template <class Ends> WDX_HD void follow(ray_axis axis, ray_point from, std::uint64_t first, Ends const& ends) const {
    int level = 0;
    for (std::uint64_t i = first; i < nodes(level);) {
      if (level > 0 && boxes[first_node[level] + i].meets(axis, from)) {
        i <<= width_bits;
        --level;
        continue;
      }
      if (level == 0) {
        if (hits(axis, from, i)) {
          if (ends(i)) return;
        } else if (is_beyond(axis, from, keys[i])) {
          return;
        }
      }
      ++i;
      while (level < levels && (i & (width - 1)) == 0) {
        i >>= width_bits;
        ++level;
      }
    }
  }

 private:
  WDX_HD static constexpr std::int32_t highest_z() { return sizeof(Key) < 8 ? 0 : ray_digits::z_max; }

  WDX_HD bool hits(ray_axis axis, ray_point from, std::uint64_t i) const {
    ray_point const p = point(i);
    return ray_box{p, p}.meets(axis, from);
  }

  /// @return whether a ray hits neither a primitive with this key nor one after it
  WDX_HD static bool is_beyond(ray_axis axis, ray_point from, Key key) {
    if (axis == ray_axis::x) return ray_digits::row(key) != ray_digits::row(ray_digits::key<Key>(from));
    if (axis == ray_axis::y) return ray_digits::plane(key) != static_cast<std::uint64_t>(from.z);
    return false;
  }
};

}  // namespace warpdex
