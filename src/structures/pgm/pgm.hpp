// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pgm.hpp>

#include "structures/pgm/pgm_levels.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// PGM(eps,eps_internal).
struct pgm_family {
  using view = pgm<narrow_pairs>;

  struct choice : common_options {
    std::uint64_t eps = 0;
    std::uint64_t eps_internal = 0;
    pgm_levels guide = {};
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<pgm_family, Key>(chosen.layout, made_by.shape,
                                        [&]<class Pairs>(Pairs none) -> std::unique_ptr<structure> {
                                          using View = pgm<Pairs>;
                                          return std::make_unique<flat_structure<Engine, View, pgm_levels>>(
                                              made_by, View(none, made_by.shape.size, chosen.eps, chosen.eps_internal),
                                              chosen.run, std::move(from), exec, chosen.guide);
                                        });
  }
};

}  // namespace warpdex
