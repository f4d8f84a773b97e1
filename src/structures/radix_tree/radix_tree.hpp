// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_tree.hpp>

#include "structures/plan_of.hpp"
#include "structures/radix_tree/radix_guide.hpp"
#include "structures/strings/byte_structure.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// GRT(leaf).
struct radix_tree_family {
  using view = radix_tree<narrow_pairs>;
  static constexpr compiled_forms forms{.aos = true};
  using byte_view = radix_tree<byte_pairs<>>;

  struct choice : common_options {
    std::uint32_t leaf = 0;
  };

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    if constexpr (is_bytes<Key>) {
      using View = radix_tree<byte_pairs<>>;
      return std::make_unique<byte_structure<Engine, View, radix_guide>>(
          made_by, View({}, made_by.shape.size, chosen.leaf), chosen.run, std::move(from), exec);
    } else {
      return with_layout<radix_tree_family, Key>(
          chosen.layout, made_by.shape, [&]<class Pairs>(Pairs none) -> std::unique_ptr<structure> {
            using View = radix_tree<Pairs>;
            return std::make_unique<flat_structure<Engine, View, radix_guide>>(
                made_by, View(none, made_by.shape.size, chosen.leaf), chosen.run, std::move(from), exec);
          });
    }
  }
};

}  // namespace warpdex
