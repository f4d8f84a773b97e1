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
  static constexpr compiled_forms forms{.wide_positions = true};

  struct choice : bplus_choice {
    bool pages = false;  ///< nodes take a page instead of 16 slots
  };

  /// Bytes per page. The pivots of an inner node fill a page; the pairs of a leaf take at most a page.
  static constexpr unsigned page_bytes = 4096;

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<bplus_tree_family, Key>(chosen.layout, chosen.of_slots(made_by.shape), [&]<class Pairs>(Pairs) {
      auto const make_of = [&]<class View>(View const&) -> std::unique_ptr<structure> {
        return std::make_unique<bplus_index<Engine, View>>(made_by, chosen, std::move(from), exec);
      };
      constexpr int fanout = page_bytes / sizeof(Key);
      constexpr int slots = slots_per_page<Pairs>(4), fewer = slots_per_page<Pairs>(8);
      if (!chosen.pages) return make_of(bplus_tree<16, 16, Pairs>());
      if constexpr (slots != fewer)
        if (made_by.shape.rows == row_type::u64) return make_of(bplus_tree<fanout, fewer, Pairs>());
      return make_of(bplus_tree<fanout, slots, Pairs>());
    });
  }

 private:
  /// @return the slots of a leaf that fills a page with pairs
  template <class Pairs> static constexpr int slots_per_page(unsigned row_bytes) {
    if constexpr (Pairs::kind == layout::soa)
      return static_cast<int>(std::bit_floor(page_bytes / (unsigned{sizeof(typename Pairs::key_type)} + row_bytes)));
    else return static_cast<int>(std::bit_floor(page_bytes / unsigned{Pairs::key_stride}));
  }
};

}  // namespace warpdex
