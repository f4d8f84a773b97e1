// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/cgrx.hpp>

#include "structures/plan_of.hpp"
#include "structures/rays/ray_structure.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// cgRX and RX.
struct cgrx_family {
  using view = cgrx<narrow_pairs>;
  static constexpr bool in_triangles = true;

  struct choice : common_options {
    int bucket_bits = 0;
    scene_kind scene = scene_kind::plain;
    bool linear = false;
    bool scaled = true;
    tracer_kind tracer = tracer_kind::own;
    bool collects_ranges = false;
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<cgrx_family, Key>(
        chosen.layout, made_by.shape, [&]<class Pairs>(Pairs none) -> std::unique_ptr<structure> {
          using View = cgrx<Pairs>;
          return std::make_unique<ray_structure<Engine, View>>(
              made_by, View(none, made_by.shape.size, chosen.bucket_bits, chosen.scene, chosen.linear), chosen.run,
              std::move(from), exec, chosen.tracer, chosen.scaled, chosen.collects_ranges);
        });
  }
};

}  // namespace warpdex
