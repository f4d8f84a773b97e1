// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "backend/update/slots.hpp"

namespace warpdex {

/// A `sorted_view` with types.
template <class Key, class Row, class Slots = slots_by_rank<Row>> struct pair_arrays {
  Key const* keys;
  Row const* rows;
  std::uint64_t size;
  Slots slots;

  explicit pair_arrays(sorted_view from)
      : keys(static_cast<Key const*>(from.keys)), rows(static_cast<Row const*>(from.rows)), size(from.size),
        slots(from.order, from.size) {}
  WDX_HD pair_arrays(Key const* keys, Row const* rows, std::uint64_t size) : keys(keys), rows(rows), size(size) {}

  WDX_HD Key key(std::uint64_t rank) const { return keys[slots(rank)]; }
  WDX_HD Row row(std::uint64_t rank) const { return rows[slots(rank)]; }

  /// @return the rank of the first entry whose key is not less than `key`
  WDX_HD std::uint64_t lower_bound(Key key) const {
    return slots.end_of_prefix(size, [&](std::uint64_t slot) { return keys[slot] < key; });
  }

  /// @return whether entry i comes before entry j of `other`: by key, then by row id
  template <class Other> WDX_HD bool precedes(std::uint64_t i, Other const& other, std::uint64_t j) const {
    Key const key = this->key(i);
    Key const other_key = other.key(j);
    return key < other_key || (key == other_key && row(i) < other.row(j));
  }
};

}  // namespace warpdex
