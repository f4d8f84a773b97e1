// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/view.hpp>

#include "backend/slots.hpp"
#include "structures/any_pairs.hpp"

/// @file
/// What builds, checks and copies see of a structure whose entries have ranks: the entries, in whatever layout and
/// arrangement. One text for each width of keys and rows, and each of the three ways in which slots follow from ranks:
/// they are ranks, they are those of an Eytzinger order, or they lie in leaves (`general_leaves`).
namespace warpdex {

/// The entries of a flat structure. @tparam Slots `slots_by_rank` or `slots_by_level`
template <class Key, class Row, class Slots> struct flat_entries {
  using key_type = Key;
  using row_type = Row;
  using position = position_of<Row>;

  any_pairs<Key, Row> pairs;
  position size;
  Slots slots;

  WDX_HD std::uint64_t slot_of(std::uint64_t rank) const { return slots(rank); }
};

namespace detail {

/// Entry number `i` in key order goes to its slot: one load and one store each (paper 000, section 3.5).
/// The paper gives each thread an output slot. Here it has an input, with the inverse of the paper's
/// formula: neighbours read neighbouring entries, and what they write falls together level by level,
/// while reading at the stride of each level would fetch most sectors once per level.
template <class Key, class Row, class Slots> struct place_pair {
  Slots slot_of;
  Key const* keys;
  Row const* rows;
  pair_writer<Key, Row> to;

  WDX_HD entry<Key, Row> read(std::uint64_t i) const { return {keys[i], rows[i]}; }
  WDX_HD void operator()(std::uint64_t i, entry<Key, Row> const& pair) const { to.put(slot_of(i), pair); }
};

/// Writes the entry of a rank to its place among all in order.
template <class Entries> struct take_pair {
  using Key = typename Entries::key_type;
  using Row = typename Entries::row_type;
  Entries entries;
  Key* keys;
  Row* rows;

  WDX_HD entry<Key, Row> read(std::uint64_t rank) const {
    return entries.pairs.at(entries.slot_of(static_cast<typename Entries::position>(rank)));
  }
  WDX_HD void operator()(std::uint64_t rank, entry<Key, Row> const& pair) const {
    keys[rank] = pair.key;
    rows[rank] = pair.row;
  }
};

/// Whether entry `rank` and the next are out of order, or its row id is the one of no entry, or its key is none of the
/// public type: the codes of floats have gaps, as NaN and zero have one each.
template <class Entries> struct out_of_order {
  Entries entries;
  key_codec codec;
  WDX_HD bool operator()(std::uint64_t rank) const {
    using position = typename Entries::position;
    auto const here = entries.pairs.at(entries.slot_of(static_cast<position>(rank)));
    if (here.row == no_row<typename Entries::row_type>) return true;
    if (codec == key_codec::real && !is_code(codec, here.key)) return true;
    if (rank + 1 == entries.size) return false;
    auto const next = entries.pairs.at(entries.slot_of(static_cast<position>(rank + 1)));
    return next.key < here.key || (next.key == here.key && next.row < here.row);
  }
};

/// @tparam Rule a view's `pivot_rule`: what pivot number i must be
template <class Rule, class Key> struct place_pivot {
  Rule pivot;
  Key* pivots;
  WDX_HD void operator()(std::uint64_t i) const { pivots[i] = pivot(i); }
};

template <class Rule, class Key> struct wrong_pivot {
  Rule pivot;
  Key const* pivots;
  WDX_HD bool operator()(std::uint64_t i) const { return pivots[i] != pivot(i); }
};

}  // namespace detail

/// All entries by rank. @throws out_of_memory, device_error
template <class Engine, class Entries> sorted_pairs take_entries(Entries const& entries, execution const& exec) {
  using Key = typename Entries::key_type;
  using Row = typename Entries::row_type;
  std::uint64_t const size = entries.size;
  sorted_pairs all{buffer(size * sizeof(Key), exec), buffer(size * sizeof(Row), exec), size};
  Engine::for_each(exec, size,
                   detail::take_pair<Entries>{entries, all.keys.template as<Key>(), all.rows.template as<Row>()});
  return all;
}

}  // namespace warpdex
