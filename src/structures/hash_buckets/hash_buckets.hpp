// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_buckets.hpp>

#include "structures/hash_buckets/chained_table.hpp"
#include "structures/make_flat.hpp"

namespace warpdex {

/// HT(buckets).
struct hash_buckets_family {
  template <class Engine, class Key, class Row>
  static std::unique_ptr<structure> make(plan const& made_by, contents from, execution const& exec) {
    auto const& table = static_cast<hash_plan const&>(made_by);
    return with_layout<Key, Row>(table.layout, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
      return std::make_unique<chained_table<Engine, hash_buckets<Pairs>>>(table, std::move(from), exec);
    });
  }
};

}  // namespace warpdex
