// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/harmonia.hpp>

#include "structures/bplus_tree/bplus_index.hpp"
#include "structures/make_flat.hpp"

namespace warpdex {

/// Keys a node of a compiled Harmonia, and slots a leaf.
inline constexpr int harmonia_keys = 32;

/// What a B+tree decides, for another one.
class harmonia_plan final : public bplus_plan {
 public:
  using bplus_plan::bplus_plan;
  std::unique_ptr<structure> make(contents from, execution const& exec) const override;
};

/// Harmonia(32).
struct harmonia_family {
  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, contents from, execution const& exec) {
    auto const& tree = static_cast<harmonia_plan const&>(made_by);
    return with_layout<Key, Row>(tree.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      return std::make_unique<bplus_index<Engine, harmonia<harmonia_keys, Pairs>>>(tree, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
