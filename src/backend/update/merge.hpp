// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"
#include "backend/update/pair_arrays.hpp"
#include "base/prefix.hpp"

/// @file
/// Merging a batch into sorted pairs, for both backends (merge path: Green, McColl and Bader, "GPU Merge Path", 2012).
/// The merged order of both inputs, with the erased entries still among them, is cut into tiles of equal length.
/// Searches in the inputs tell where a tile begins in each of them, and how many entries are erased before it. So tiles
/// are independent, and each pair is read once and written once.
///
///     from      1  3  3  5  7  9          erase  3  5      first  1  3      before  0  2  3
///     insert    2  4  6
///     order     1  2  3  3 | 4  5  6  7 | 9             tiles of 4
///     result    1  2         4     6  7   9
namespace warpdex {

/// @return the number of entries of `a` among the first `diagonal` entries of the merged order. Of equal entries, those
/// of `a` come first
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

  /// @return the number of ranges that begin at `entry` or before it
  /// @param begin, end bounds of this number that are known
  WDX_HD std::uint64_t begun(std::uint64_t entry, std::uint64_t begin, std::uint64_t end) const {
    return end_of_prefix(begin, end, [&](std::uint64_t i) { return first[i] <= entry; });
  }

  WDX_HD std::uint64_t length(std::uint64_t i) const { return before[i + 1] - before[i]; }

  /// @return the number of erased entries before `entry`
  /// @param ranges the number of ranges that begin at `entry` or before it
  WDX_HD std::uint64_t before_entry(std::uint64_t entry, std::uint64_t ranges) const {
    if (ranges == 0) return 0;
    std::uint64_t const inside = entry - first[ranges - 1];
    std::uint64_t const all = length(ranges - 1);
    return before[ranges - 1] + (inside < all ? inside : all);
  }
};

/// Where a tile begins.
struct tile_start {
  std::uint64_t from;    ///< entries of `from` before the tile
  std::uint64_t ranges;  ///< erased ranges that begin at entry number `from` or before it
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

}  // namespace detail

/// The output of a merge.
template <class Key, class Row, class Slots> struct merged_arrays {
  Key* keys;  ///< points to the first slot, as do `rows`
  Row* rows;
  Slots slots;

  template <class Pairs> WDX_HD void put(std::uint64_t rank, Pairs const& from, std::uint64_t i) const {
    std::uint64_t const slot = slots(rank);
    keys[slot] = from.key(i);
    rows[slot] = from.row(i);
  }
};

/// Implements `backend::merge`: finds the tiles and lets the backend write them.
/// @param tile entries per tile
/// @param write_tiles called as write_tiles(from, erase, insert, starts, tiles, to), where `starts` has tiles + 1
/// elements
template <class Loops, class Key, class Row, class WriteTiles>
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
    Loops::for_each(exec, tiles + 1,
                    detail::find_tile<decltype(old), decltype(added)>{old, added, erased, tile, starts});
    write_tiles(
        old, erased, added, starts, tiles,
        merged_arrays<Key, Row, Slots>{merged.keys.as<Key>() + lead, merged.rows.as<Row>() + lead, Slots(order, size)});
  });
  return merged;
}

}  // namespace warpdex
