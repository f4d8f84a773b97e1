// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/harmonia.hpp>

#include "structures/make_flat.hpp"

namespace warpdex {

/// Keys a node of a compiled Harmonia.
inline constexpr int harmonia_keys = 32;

/// Harmonia(32).
struct harmonia_family {
  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, contents from, execution const& exec) {
    auto const& flat = static_cast<flat_plan<harmonia_family> const&>(made_by);
    return with_layout<Key, Row>(flat.choice.layout, [&]<class Pairs>(Pairs none) -> std::unique_ptr<structure> {
      using View = harmonia<harmonia_keys, Pairs>;
      return std::make_unique<flat_structure<Engine, View>>(flat, View(none, flat.shape.size), flat.choice.run,
                                                            std::move(from), exec);
    });
  }
};

}  // namespace warpdex
