// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/tree_leaves.hpp>

#include "structures/entries.hpp"

namespace warpdex {

/// Leaves whose number of slots and layout are known at run time.
template <class Key, class Position> using general_leaves = tree_leaves<0, any_entries<Key, Position>>;

/// @return the same leaves, with slots and layout known at run time
template <int Slots, class Pairs>
general_leaves<typename Pairs::key_type, typename Pairs::position> generalise(tree_leaves<Slots, Pairs> const& leaves) {
  general_leaves<typename Pairs::key_type, typename Pairs::position> general;
  general.pairs.slot_bits = leaves.pairs.slot_bits;
  general.pairs.pool = leaves.pairs.pool;
  general.pairs.leaf_at = leaves.pairs.leaf_at;
  general.bases = leaves.bases;
  general.leaf_of = leaves.leaf_of;
  general.size = leaves.size;
  general.leaves = leaves.leaves;
  general.per_leaf = leaves.per_leaf;
  return general;
}

}  // namespace warpdex
