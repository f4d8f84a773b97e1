// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/view.hpp>

#include "backend/slots.hpp"
#include "structures/any_pairs.hpp"

/// @file
/// The entries of a structure with ranks, as builds, checks and copies see them. The layout is known at run time. Code
/// is compiled once per key width, row width and mapping of ranks to slots. There are three mappings: slots are ranks,
/// slots follow an Eytzinger order, or slots lie in leaves (`general_leaves`).
namespace warpdex {

/// The entries of a flat structure.
/// @tparam Slots the mapping of ranks to slots: `slots_by_rank` or `slots_by_level`
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

/// Writes entry number `i` in key order to its slot, with one load and one store (paper 000, section 3.5).
/// In the paper a thread computes its input from an output slot. Here it computes its output from an input, with the
/// inverse formula. Neighbouring threads then read adjacent entries, and their writes are adjacent level by level.
/// Reads at the stride of each level would instead fetch most sectors once per level.
template <class Key, class Row, class Slots> struct place_pair {
  Slots slot_of;
  Key const* keys;
  Row const* rows;
  pair_writer<Key, Row> to;

  WDX_HD entry<Key, Row> read(std::uint64_t i) const { return {keys[i], rows[i]}; }
  WDX_HD void operator()(std::uint64_t i, entry<Key, Row> const& pair) const { to.put(slot_of(i), pair); }
};

/// Copies the entry of a rank to element `rank` of the output.
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

/// Whether entry `rank` is wrong: it is out of order with the next entry, its row id is `no_row`, or its key is no code
/// of the public type. Floats have such numbers, because all NaN share one code, and so do both zeros.
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

/// Writes number `i` of an array that follows from a rule, such as pivots.
/// @tparam Rule type of a function that computes it, such as the view's `pivot_rule`
template <class Rule, class Value> struct place_by_rule {
  Rule rule;
  Value* values;
  WDX_HD void operator()(std::uint64_t i) const { values[i] = rule(i); }
};

template <class Rule, class Value> struct breaks_rule {
  Rule rule;
  Value const* values;
  WDX_HD bool operator()(std::uint64_t i) const { return values[i] != rule(i); }
};

}  // namespace detail

/// @return all entries in key order
/// @throws out_of_memory, device_error
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
