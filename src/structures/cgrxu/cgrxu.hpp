// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/cgrxu.hpp>

#include "structures/cgrxu/chain_top.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// cgRXu(node).
struct cgrxu_family {
  using view = cgrxu<32, narrow_pairs>;
  static constexpr bool in_triangles = false;

  struct choice : bplus_choice {
    int node = 32;
    bool rebuilds = true;
    tracer_kind tracer = tracer_kind::own;
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<cgrxu_family, Key>(chosen.layout, made_by.shape, [&]<class Pairs>(Pairs) {
      auto const make_of = [&]<int Slots>(std::integral_constant<int, Slots>) -> std::unique_ptr<structure> {
        using Top = chain_top<Key, typename Pairs::position>;
        return std::make_unique<bplus_index<Engine, cgrxu<Slots, Pairs>, Top>>(made_by, chosen, std::move(from), exec,
                                                                               Top(chosen.tracer, chosen.rebuilds));
      };
      if (chosen.node == 16) return make_of(std::integral_constant<int, 16>{});
      if (chosen.node == 32) return make_of(std::integral_constant<int, 32>{});
      return make_of(std::integral_constant<int, 64>{});
    });
  }
};

}  // namespace warpdex
