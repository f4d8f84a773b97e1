// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/flat_structure.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// The family of a flat structure that takes no arguments.
/// @tparam View over pairs, made from them and the number of entries
/// @tparam Family what derives from it
template <class Family, template <class> class View> struct flat_family {
  using view = View<narrow_pairs>;
  using choice = common_options;

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<Family, Key>(
        chosen.layout, made_by.shape, [&]<class Pairs>(Pairs none) -> std::unique_ptr<structure> {
          return std::make_unique<flat_structure<Engine, View<Pairs>>>(made_by, View<Pairs>(none, made_by.shape.size),
                                                                       chosen.run, std::move(from), exec);
        });
  }
};

}  // namespace warpdex
