// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ray_tracer.hpp>

#include <cstdint>

namespace warpdex::bench {

/// RX's triangles in any order, under boxes of 16 that are fitted around them. Where triangles have moved since they
/// were in key order, boxes overlap, and a ray has to look into all that it meets.
struct moved_triangles {
  using boxes_of = ray_tracer<std::uint32_t, std::uint32_t>;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  boxes_of levels;            ///< where nodes are; its arrays are null
  std::uint32_t const* keys;  ///< per triangle
  ray_box* boxes;             ///< per node of levels 1 and above, as those of `ray_tracer`

  /// Fits the box of a node around its children.
  WDX_HD void fit(int level, std::uint64_t node) const {
    auto const box_of = [&](std::uint64_t child) {
      if (level > 1) return boxes[levels.first_node[level - 1] + child];
      ray_point const p = ray_digits::point(keys[child]);
      return ray_box{p, p};
    };
    std::uint64_t const first = node << boxes_of::width_bits;
    std::uint64_t const all = levels.nodes(level - 1);
    std::uint64_t const end = first + boxes_of::width < all ? first + boxes_of::width : all;
    ray_box box = box_of(first);
    for (std::uint64_t child = first + 1; child < end; ++child) box = ray_box::around(box, box_of(child));
    boxes[levels.first_node[level] + node] = box;
  }

  /// Traces a ray that is no longer than a triangle is wide.
  /// @param tested counts the boxes and the triangles that it is compared with
  /// @return the triangle of a key
  WDX_HD std::uint32_t trace(std::uint32_t key, std::uint64_t& tested) const {
    ray_point const p = ray_digits::point(key);
    int level = levels.levels;
    for (std::uint64_t i = 0; i < levels.nodes(level);) {
      ++tested;
      if (level == 0 && keys[i] == key) return static_cast<std::uint32_t>(i);
      if (level > 0 && holds(boxes[levels.first_node[level] + i], p)) {
        i <<= boxes_of::width_bits;
        --level;
        continue;
      }
      ++i;
      while (level < levels.levels && i % boxes_of::width == 0) {
        i >>= boxes_of::width_bits;
        ++level;
      }
    }
    return nothing;
  }

 private:
  WDX_HD static bool holds(ray_box const& box, ray_point p) { return box.low.x <= p.x && box.meets(ray_axis::x, p); }
};

}  // namespace warpdex::bench
