// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/bplus_tree.hpp>

#include <bit>

#include "structures/bplus_tree/bplus_index.hpp"
#include "structures/make_flat.hpp"

namespace warpdex {

/// B+(16) and B+(page=4096).
struct bplus_tree_family {
  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, contents from, execution const& exec) {
    auto const& tree = static_cast<bplus_plan const&>(made_by);
    return with_layout<Key, Row>(tree.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      constexpr int fanout = bplus_plan::page_bytes / sizeof(Key);
      constexpr int slots = std::bit_floor(bplus_plan::page_bytes / static_cast<unsigned>(Pairs::bytes_per_pair));
      if (tree.pages)
        return std::make_unique<bplus_index<Engine, bplus_tree<fanout, slots, Pairs>>>(tree, std::move(from), exec);
      return std::make_unique<bplus_index<Engine, bplus_tree<16, 16, Pairs>>>(tree, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
