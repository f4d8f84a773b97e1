// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"
#include "backend/rounding.hpp"
#include "backend/select.hpp"
#include "backend/slots.hpp"
#include "base/prefix.hpp"

/// @file
/// Merging a batch into sorted pairs, for both backends. The order of the merged pairs, the erased ones still among
/// them, is cut into tiles of equal length; where a tile begins in each input, and how many entries are erased
/// before it, follows from searches in the inputs. So tiles are independent, and each pair is read and written once.
///
///     from      1  3  3  5  7  9          erase  3  5      first  1  3      before  0  2  3
///     insert    2  4  6
///     order     1  2  3  3 | 4  5  6  7 | 9             tiles of 4
///     result    1  2         4     6  7   9
namespace warpdex {

/// Sorted pairs with types.
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

  /// @return the rank of the first entry whose key is not less
  WDX_HD std::uint64_t lower_bound(Key key) const {
    return slots.end_of_prefix(size, [&](std::uint64_t slot) { return keys[slot] < key; });
  }

  /// Whether entry i comes before entry j of `other`.
  template <class Other> WDX_HD bool precedes(std::uint64_t i, Other const& other, std::uint64_t j) const {
    Key const key = this->key(i);
    Key const other_key = other.key(j);
    return key < other_key || (key == other_key && row(i) < other.row(j));
  }
};

/// @return how many of the first `diagonal` entries of the merged order are of `a`; of equal ones, those of `a`
/// come first
template <class Integer, class From, class Insert>
WDX_HD Integer merge_path(From const& a, Insert const& b, Integer diagonal) {
  auto const a_size = static_cast<Integer>(a.size);
  auto const b_size = static_cast<Integer>(b.size);
  return end_of_prefix<Integer>(diagonal > b_size ? diagonal - b_size : 0, diagonal < a_size ? diagonal : a_size,
                                [&](Integer i) { return !b.precedes(diagonal - 1 - i, a, i); });
}

/// `found_ranges` with types. Ranges do not overlap; those of absent keys are empty.
struct erased_entries {
  std::uint64_t const* first;
  std::uint64_t const* before;
  std::uint64_t keys;

  explicit erased_entries(found_ranges const& from)
      : first(from.first.as<std::uint64_t>()), before(from.before.as<std::uint64_t>()),
        keys(from.entries == 0 ? 0 : from.keys) {}

  /// @return how many ranges, of those up to number `end`, begin at `entry` or before; at least `begin`
  WDX_HD std::uint64_t begun(std::uint64_t entry, std::uint64_t begin, std::uint64_t end) const {
    return end_of_prefix(begin, end, [&](std::uint64_t i) { return first[i] <= entry; });
  }

  WDX_HD std::uint64_t length(std::uint64_t i) const { return before[i + 1] - before[i]; }

  /// @return how many entries before this one are erased
  WDX_HD std::uint64_t before_entry(std::uint64_t entry, std::uint64_t ranges) const {
    if (ranges == 0) return 0;
    std::uint64_t const inside = entry - first[ranges - 1];
    std::uint64_t const all = length(ranges - 1);
    return before[ranges - 1] + (inside < all ? inside : all);
  }
};

/// Where a tile begins.
struct tile_start {
  std::uint64_t from;    ///< entries of `from` before it
  std::uint64_t ranges;  ///< erased ones that begin at that entry or before
};

namespace detail {

template <class From, class Insert> struct find_tile {
  From from;
  Insert insert;
  erased_entries erase;
  std::uint64_t tile;
  tile_start* starts;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const end = from.size + insert.size;
    std::uint64_t const at = merge_path(from, insert, i * tile < end ? i * tile : end);
    starts[i] = {at, erase.begun(at, 0, erase.keys)};
  }
};

/// Finds the ranges of a group of keys, each from where the one before it ends.
template <class From, class Key> struct find_range_group {
  From from;
  Key const* wanted;
  std::uint64_t count;
  std::uint64_t group_size;
  std::uint64_t* first;
  std::uint64_t* lengths;
  WDX_HD void operator()(std::uint64_t group) const {
    std::uint64_t const begin = group * group_size;
    std::uint64_t const end = begin + group_size < count ? begin + group_size : count;
    std::uint64_t const size = from.size;
    std::uint64_t at = from.lower_bound(wanted[begin]);
    for (std::uint64_t i = begin; i < end; ++i) {
      Key const key = wanted[i];
      first[i] = end_of_prefix_near(at, size, [&](std::uint64_t j) { return from.key(j) < key; });
      at = end_of_prefix_near(first[i], size, [&](std::uint64_t j) { return from.key(j) == key; });
      lengths[i] = at - first[i];
    }
  }
};

template <class Key> struct is_first_of_key {
  Key const* keys;
  WDX_HD bool operator()(std::uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};

template <class Key> struct is_absent {
  Key const* keys;
  Key const* others;
  std::uint64_t size;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const at =
        end_of_prefix<std::uint64_t>(0, size, [&](std::uint64_t j) { return others[j] < keys[i]; });
    return at == size || others[at] != keys[i];
  }
};

template <class Key> struct keep_key {
  Key const* keys;
  std::uint64_t const* places;
  Key* kept;
  WDX_HD void operator()(std::uint64_t i) const {
    if (places[i + 1] != places[i]) kept[places[i]] = keys[i];
  }
};

/// The keys for whose number a predicate holds. Scratch: 8 bytes a key.
template <class Engine, class Key, class Predicate>
sorted_keys keep_if(Key const* keys, std::uint64_t size, Predicate const& holds, execution const& exec) {
  selection const selected = select_if<Engine>(exec, size, holds);
  sorted_keys kept{buffer(selected.size * sizeof(Key), exec), selected.size};
  Engine::for_each(exec, size, keep_key<Key>{keys, selected.before.as<std::uint64_t>(), kept.keys.as<Key>()});
  return kept;
}

}  // namespace detail

/// What both backends make of loops and scans in the same way.
template <class Engine> class engine_backend : public backend {
 public:
  void for_each(round_probe const& step, std::uint64_t size, execution const& exec) const final {
    Engine::for_each(exec, size, step);
  }
  void for_each(answer_miss const& step, std::uint64_t size, execution const& exec) const final {
    Engine::for_each(exec, size, step);
  }
  void for_each(take_floor_key const& step, std::uint64_t size, execution const& exec) const final {
    Engine::for_each(exec, size, step);
  }

  sorted_keys distinct(void const* keys, std::uint64_t size, std::size_t width, execution const& exec) const final {
    return with_width(width, [&]<class Key>() {
      auto const* const typed = static_cast<Key const*>(keys);
      return detail::keep_if<Engine>(typed, size, detail::is_first_of_key<Key>{typed}, exec);
    });
  }

  sorted_keys without(sorted_keys const& from, void const* others, std::uint64_t size, std::size_t width,
                      execution const& exec) const final {
    return with_width(width, [&]<class Key>() {
      auto const* const keys = from.keys.as<Key>();
      return detail::keep_if<Engine, Key>(keys, from.size,
                                          detail::is_absent<Key>{keys, static_cast<Key const*>(others), size}, exec);
    });
  }

  found_ranges find_ranges(sorted_view from, sorted_keys const& keys, pair_widths widths,
                           execution const& exec) const final {
    found_ranges found;
    if (keys.size == 0 || from.size == 0) return found;
    found.keys = keys.size;
    found.first = buffer(keys.size * sizeof(std::uint64_t), exec);
    found.before = buffer((keys.size + 1) * sizeof(std::uint64_t), exec);
    auto* const lengths = found.before.as<std::uint64_t>();
    // On a GPU neighbours search side by side, and share the cache lines of their paths anyway.
    std::uint64_t const group_size = Engine::kind == backend_kind::cuda ? 1 : 16;
    with_widths(widths, [&]<class Key, class Row>() {
      with_slots<Row>(from.order, {}, [&]<class Slots>() {
        using From = pair_arrays<Key, Row, Slots>;
        detail::find_range_group<From, Key> const find{
            From(from), keys.keys.as<Key>(), keys.size, group_size, found.first.as<std::uint64_t>(), lengths};
        Engine::for_each(exec, (keys.size + group_size - 1) / group_size, find);
      });
    });
    found.entries = this->exclusive_scan(lengths, keys.size, exec);
    return found;
  }
};

/// Where merged pairs go.
template <class Key, class Row, class Slots> struct merged_arrays {
  Key* keys;  ///< the first slot
  Row* rows;
  Slots slots;

  template <class Pairs> WDX_HD void put(std::uint64_t rank, Pairs const& from, std::uint64_t i) const {
    std::uint64_t const slot = slots(rank);
    keys[slot] = from.key(i);
    rows[slot] = from.row(i);
  }
};

/// `backend::merge`, whose tiles a backend writes in its own way.
/// @param write_tiles called as write_tiles(from, erase, insert, starts, tiles, to), where `starts` has one more than
/// there are tiles
template <class Engine, class Key, class Row, class WriteTiles>
sorted_pairs merge_by_tiles(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                            std::uint64_t tile, execution const& exec, WriteTiles const& write_tiles) {
  std::uint64_t const size = from.size - erase.entries + insert.size;
  std::uint64_t const lead = eytzinger_lead(order.fanout);
  std::uint64_t const slots = lead + (order.fanout == 0 ? size : eytzinger_slots(order.fanout, size));
  sorted_pairs merged{buffer(slots * sizeof(Key), exec), buffer(slots * sizeof(Row), exec), size, {}, order};
  if (size == 0) return merged;
  with_slots<Row>(from.order, order, [&]<class Slots>() {
    pair_arrays<Key, Row, Slots> const old(from);
    pair_arrays<Key, Row> const added(insert);
    erased_entries const erased(erase);
    std::uint64_t const tiles = (from.size + insert.size + tile - 1) / tile;
    buffer scratch((tiles + 1) * sizeof(tile_start), exec);
    auto* const starts = scratch.as<tile_start>();
    Engine::for_each(exec, tiles + 1,
                     detail::find_tile<decltype(old), decltype(added)>{old, added, erased, tile, starts});
    write_tiles(
        old, erased, added, starts, tiles,
        merged_arrays<Key, Row, Slots>{merged.keys.as<Key>() + lead, merged.rows.as<Row>() + lead, Slots(order, size)});
  });
  return merged;
}

}  // namespace warpdex
