// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/view.hpp>

#include "backend/update/slots.hpp"
#include "structures/any_pairs.hpp"
#include "structures/structure.hpp"

/// @file
/// The entries of a structure with ranks, as builds, checks and copies see them. The layout is known at run time. Code
/// is compiled once per key width and mapping of ranks to slots. There are three mappings: slots are ranks,
/// slots follow an Eytzinger order, or slots are in leaves (`general_leaves`).
namespace warpdex {

/// The entries of a flat structure.
/// @tparam Slots the mapping of ranks to slots: `slots_by_rank` or `slots_by_level`
template <class Key, class Slots, class Position> struct flat_entries {
  using key_type = Key;
  using position = Position;

  any_entries<Key, Position> pairs;
  position size;
  Slots slots;

  WDX_HD std::uint64_t slot_of(std::uint64_t rank) const { return slots(rank); }
};

namespace detail {

/// Writes entry number `i` in key order to its slot, with one load and one store (paper 000, section 3.5).
/// In the paper a thread computes its input from an output slot. Here it computes its output from an input, with the
/// inverse formula. Neighbouring threads then read adjacent entries, and their writes are adjacent level by level.
/// Reads at the stride of each level would instead fetch most sectors once per level.
template <class Key, class Slots> struct place_pair {
  Slots slot_of;
  Key const* keys;
  row_ids rows;
  pair_writer<Key> to;

  WDX_HD entry<Key> read(std::uint64_t i) const { return {keys[i], rows[i]}; }
  WDX_HD void operator()(std::uint64_t i, entry<Key> const& pair) const { to.put(slot_of(i), pair); }
};

/// Copies the entry of a rank to element `rank` of the output.
template <class Entries> struct take_pair {
  using Key = typename Entries::key_type;
  Entries entries;
  Key* keys;
  row_writer rows;

  WDX_HD entry<Key> read(std::uint64_t rank) const {
    return entries.pairs.at(entries.slot_of(static_cast<typename Entries::position>(rank)));
  }
  WDX_HD void operator()(std::uint64_t rank, entry<Key> const& pair) const {
    keys[rank] = pair.key;
    rows.put(rank, pair.row);
  }
};

/// Writes the key of rank ranks[i].
template <class Entries> struct take_key_at {
  Entries entries;
  key_codec codec;
  std::uint64_t const* ranks;
  void* keys;
  WDX_HD void operator()(std::uint64_t i) const {
    using position = typename Entries::position;
    auto const rank = static_cast<position>(load_element<std::uint64_t>(ranks, i));
    store_element(keys, i, decode(codec, entries.pairs.key(entries.slot_of(rank))));
  }
};

/// Whether entry `rank` is wrong: it is out of order with the next entry, its row id is `no_row`, or its key is no code
/// of the public type. Floats have such numbers, because all NaN share one code, and so do both zeros.
template <class Entries> struct out_of_order {
  Entries entries;
  key_codec codec;
  WDX_HD bool operator()(std::uint64_t rank) const {
    using position = typename Entries::position;
    auto const& pairs = entries.pairs;
    std::uint64_t const here = entries.slot_of(static_cast<position>(rank));
    auto const row = pairs.row(here);
    auto const key = pairs.key(here);
    if (row == no_row<std::uint64_t>) return true;
    if (codec == key_codec::real && !is_code(codec, key)) return true;
    if (rank + 1 == entries.size) return false;
    std::uint64_t const next = entries.slot_of(static_cast<position>(rank + 1));
    auto const next_key = pairs.key(next);
    return next_key < key || (next_key == key && pairs.row(next) < row);
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

namespace detail {

/// Whether key number `i` of a batch has no entry, or several. ranks[i] entries have smaller keys.
template <class Entries> struct not_one_entry {
  Entries entries;
  typename Entries::key_type const* keys;
  std::uint64_t const* ranks;

  WDX_HD bool has(std::uint64_t rank, typename Entries::key_type const& key) const {
    using position = typename Entries::position;
    return rank < entries.size && entries.pairs.key(entries.slot_of(static_cast<position>(rank))) == key;
  }
  WDX_HD bool operator()(std::uint64_t i) const { return !has(ranks[i], keys[i]) || has(ranks[i] + 1, keys[i]); }
};

/// Gives the entry at ranks[i] the row id number `i`.
template <class Entries, class Writer> struct assign_row {
  Entries entries;
  typename Entries::key_type const* keys;
  row_ids rows;
  std::uint64_t const* ranks;
  Writer to;
  WDX_HD void operator()(std::uint64_t i) const {
    to.put(entries.slot_of(static_cast<typename Entries::position>(ranks[i])), keys[i], rows[i]);
  }
};

}  // namespace detail

/// What `structure::assign` does for entries with ranks. Cost: one search and two accesses to an entry per key.
/// @param to writes an entry to a slot: to.put(slot, key, row)
template <class Engine, class Entries, class Writer>
bool assign_rows(structure const& s, Entries const& entries, Writer const& to, sorted_pairs const& batch,
                 execution const& exec) {
  using Key = typename Entries::key_type;
  buffer const at(batch.size * sizeof(std::uint64_t), exec);
  auto* const ranks = at.as<std::uint64_t>();
  auto const* const keys = batch.keys.template as<Key>();
  point_batch search{search_op::lower_bound, key_codec::identity, keys, batch.size, ranks, nullptr};
  search.sorted = probe_order::ascending;
  s.point(search, exec);
  if (Engine::count_if(exec, batch.size, detail::not_one_entry<Entries>{entries, keys, ranks}) != 0) return false;
  Engine::for_each(exec, batch.size,
                   detail::assign_row<Entries, Writer>{entries, keys, s.rows_in(batch.rows.data()), ranks, to});
  return true;
}

/// @return all entries in key order
/// @throws out_of_memory, device_error
template <class Engine, class Entries> sorted_pairs take_entries(Entries const& entries, execution const& exec) {
  using Key = typename Entries::key_type;
  std::uint64_t const size = entries.size;
  std::size_t const row_bytes = entries.pairs.row_bytes();
  sorted_pairs all{buffer(size * sizeof(Key), exec), buffer(size * row_bytes, exec), size};
  Engine::for_each(exec, size,
                   detail::take_pair<Entries>{entries, all.keys.template as<Key>(), {all.rows.data(), row_bytes == 8}});
  return all;
}

}  // namespace warpdex
