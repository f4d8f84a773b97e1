// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_spline.hpp>

#include "structures/plan_of.hpp"
#include "structures/radix_spline/radix_table.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// RS(bits,eps).
struct radix_spline_family {
  using view = radix_spline<narrow_pairs>;
  static constexpr compiled_forms forms{.wide_positions = true};

  struct choice : common_options {
    std::uint64_t eps = 0;
    radix_table guide = {};
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<radix_spline_family, Key>(
        chosen.layout, made_by.shape, [&]<class Pairs>(Pairs none) -> std::unique_ptr<structure> {
          using View = radix_spline<Pairs>;
          return std::make_unique<flat_structure<Engine, View, radix_table>>(
              made_by, View(none, made_by.shape.size, chosen.eps), chosen.run, std::move(from), exec, chosen.guide);
        });
  }
};

}  // namespace warpdex
