// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/bplus_tree.hpp>

#include <bit>

#include "structures/leaves/bplus_index.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// B+(16) and B+(page=4096).
struct bplus_tree_family {
  using view = bplus_tree<16, 16, narrow_pairs>;

  struct choice : bplus_choice {
    bool pages = false;  ///< nodes take a page instead of 16 slots
  };

  /// Bytes per page. The pivots of an inner node fill a page; the pairs of a leaf take at most a page.
  static constexpr unsigned page_bytes = 4096;

  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<Key, Row>(chosen.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      constexpr int fanout = page_bytes / sizeof(Key);
      constexpr int slots = std::bit_floor(page_bytes / static_cast<unsigned>(Pairs::bytes_per_pair));
      if (chosen.pages)
        return std::make_unique<bplus_index<Engine, bplus_tree<fanout, slots, Pairs>>>(made_by, chosen, std::move(from),
                                                                                       exec);
      return std::make_unique<bplus_index<Engine, bplus_tree<16, 16, Pairs>>>(made_by, chosen, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
