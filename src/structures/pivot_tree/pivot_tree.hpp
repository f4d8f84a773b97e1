// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pivot_tree.hpp>

#include "structures/fanouts.hpp"
#include "structures/pivot_tree/pivot_buffer.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// AO+PB+BS and AO+PB+KS(K).
struct pivot_tree_family {
  using view = pivot_tree<2, narrow_pairs>;
  static constexpr compiled_forms forms{.aos = true, .wide_positions = true};

  struct choice : common_options {
    int fanout = 2;
    int stored_levels = 0;  ///< number of levels in the pivot buffer
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<pivot_tree_family, Key>(chosen.layout, made_by.shape, [&]<class Pairs>(Pairs none) {
      return with_fanout(chosen.fanout, [&]<int K>(std::integral_constant<int, K>) -> std::unique_ptr<structure> {
        using View = pivot_tree<K, Pairs>;
        return std::make_unique<flat_structure<Engine, View, pivot_buffer>>(
            made_by, View(none, nullptr, made_by.shape.size, chosen.stored_levels), chosen.run, std::move(from), exec);
      });
    });
  }
};

}  // namespace warpdex
