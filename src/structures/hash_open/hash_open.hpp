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
  using view = hash_open<soa_slots<std::uint32_t, std::uint32_t>>;
  static constexpr compiled_forms forms{.aos = true, .wide_aos = true, .packed = true};
  using byte_view = hash_bytes<soa_slots<std::uint64_t, std::uint32_t>>;
  using choice = hash_choice;

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    using slot_key = std::conditional_t<is_bytes<Key>, std::uint64_t, Key>;
    return with_slots<hash_open_family, slot_key>(
        chosen.layout, made_by.shape.rows, [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
          using table = std::conditional_t<is_bytes<Key>, byte_table<Engine, hash_bytes<Pairs>>,
                                           hash_table<Engine, hash_open<Pairs>>>;
          return std::make_unique<table>(made_by, chosen, std::move(from), exec);
        });
  }
};

}  // namespace warpdex
