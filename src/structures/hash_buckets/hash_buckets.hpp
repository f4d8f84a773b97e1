// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_buckets.hpp>

#include "structures/hash_buckets/chained_table.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// HT(buckets).
struct hash_buckets_family {
  using view = hash_buckets<soa_slots<std::uint32_t, std::uint32_t>>;
  static constexpr compiled_forms forms{.aos = true, .wide_aos = true, .packed = true};
  using choice = hash_choice;

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_slots<hash_buckets_family, Key>(
        chosen.layout, made_by.shape.rows, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
          return std::make_unique<chained_table<Engine, hash_buckets<Pairs>>>(made_by, chosen, std::move(from), exec);
        });
  }
};

}  // namespace warpdex
