// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_open.hpp>

#include "structures/hash_open/byte_table.hpp"
#include "structures/hash_open/hash_table.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// HT(open).
struct hash_open_family {
  using view = hash_open<narrow_pairs>;
  using byte_view = hash_bytes<soa_pairs<std::uint64_t, std::uint32_t>>;
  using choice = hash_choice;

  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    using slot_key = std::conditional_t<is_bytes<Key>, std::uint64_t, Key>;
    return with_layout<slot_key, Row>(chosen.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      using table = std::conditional_t<is_bytes<Key>, byte_table<Engine, hash_bytes<Pairs>>,
                                       hash_table<Engine, hash_open<Pairs>>>;
      return std::make_unique<table>(made_by, chosen, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
