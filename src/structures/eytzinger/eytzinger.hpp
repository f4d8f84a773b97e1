// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/eytzinger.hpp>

#include "structures/fanouts.hpp"
#include "structures/flat_structure.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// EO+BS and EO+KS(K).
struct eytzinger_family {
  using view = eytzinger<2, narrow_pairs>;

  struct choice : common_options {
    int fanout = 2;

    slot_order order() const { return {layout == layout::soa ? fanout : 0}; }
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<eytzinger_family, Key>(chosen.layout, made_by.shape, [&]<class Pairs>(Pairs none) {
      return with_fanout(chosen.fanout, [&]<int K>(std::integral_constant<int, K>) -> std::unique_ptr<structure> {
        using View = eytzinger<K, Pairs>;
        return std::make_unique<flat_structure<Engine, View>>(made_by, View(none, made_by.shape.size), chosen.run,
                                                              std::move(from), exec);
      });
    });
  }
};

}  // namespace warpdex
