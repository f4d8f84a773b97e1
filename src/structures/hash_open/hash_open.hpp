// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_open.hpp>

#include "structures/hash_open/hash_table.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// HT(open).
struct hash_open_family {
  using view = hash_open<narrow_pairs>;
  using choice = hash_choice;

  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<Key, Row>(chosen.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      return std::make_unique<hash_table<Engine, hash_open<Pairs>>>(made_by, chosen, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
