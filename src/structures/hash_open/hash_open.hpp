// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_open.hpp>

#include "structures/hash_open/hash_table.hpp"
#include "structures/make_flat.hpp"

namespace warpdex {

/// HT(open).
struct hash_open_family {
  static constexpr std::size_t widest_key = 16;

  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, contents from, execution const& exec) {
    auto const& table = static_cast<hash_plan const&>(made_by);
    return with_layout<Key, Row>(table.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      return std::make_unique<hash_table<Engine, hash_open<Pairs>>>(table, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
