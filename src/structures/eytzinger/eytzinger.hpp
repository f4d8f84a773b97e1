// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/eytzinger.hpp>

#include "structures/make_flat.hpp"

namespace warpdex {

/// EO+BS and EO+KS(K).
struct eytzinger_family {
  static slot_order order(flat_choice const& choice) { return {choice.layout == layout::soa ? choice.fanout : 0}; }

  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, contents from, execution const& exec) {
    auto const& flat = static_cast<flat_plan<eytzinger_family> const&>(made_by);
    return with_layout<Key, Row>(flat.choice.layout, [&]<class Pairs>(Pairs none) {
      return with_fanout(flat.choice.fanout, [&]<int K>(std::integral_constant<int, K>) -> std::unique_ptr<structure> {
        using View = eytzinger<K, Pairs>;
        return std::make_unique<flat_structure<Engine, View>>(flat, View(none, flat.shape.size), flat.choice.run,
                                                              std::move(from), exec);
      });
    });
  }
};

}  // namespace warpdex
