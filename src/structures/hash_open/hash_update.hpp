// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/hash/hash_structure.hpp"

/// @file
/// How a batch changes HT(open) in place, without tombstones. The positions of entries follow from the entries alone
/// (hash_table.hpp). So a change moves the entries after it, up to the next bucket whose entries are all at home. Such
/// a bucket is a *border*. The buckets from one border to another are a *segment*, and one thread rewrites it.
///
///     bucket    7             8             9             10
///             | 70 71 -- -- | 80 80 81 83 | 84 90 -- -- | -- -- -- -- |     insert 82, whose home is 8:
///             | 70 71 -- -- | 80 80 81 82 | 83 84 90 -- | -- -- -- -- |     segment: buckets 8 and 9
///               border        border        (84 is from 8)  border
///
/// 1. Each change finds its segment: the border before it, and the border that follows it once all inserts from the
///    first border on are made. Erased entries count as if they stayed, so no segment is too short. A segment that
///    begins within another is a part of it. A change *leads* its segment if no earlier segment reaches the beginning.
/// 2. Leaders write their segments to scratch.
/// 3. The segments are copied back. The table changes only in this step.
namespace warpdex {

namespace detail {

/// A table, a batch of changes, and the largest permitted distance from home.
template <class View> struct table_changes : hash_changes<View> {
  using Key = typename View::key_type;
  using hash_changes<View>::view;
  using hash_changes<View>::inserts;
  using hash_changes<View>::insert_keys;
  std::uint64_t farthest;  ///< most slots from the first slot of the home bucket to the entry

  WDX_HD std::uint64_t home_slot(Key hash) const { return view.home_of(hash) * view.slots; }
  WDX_HD std::uint64_t slots() const { return view.end_slot(); }
  WDX_HD bool is_empty(std::uint64_t slot) const { return view.pairs.row(slot) == View::none; }

  /// @param slot the first slot of a bucket
  /// @return whether no entry from an earlier home bucket is in this bucket or after it
  WDX_HD bool is_border(std::uint64_t slot) const {
    return slot == 0 || slot >= slots() || is_empty(slot) || home_slot(view.pairs.key(slot)) == slot;
  }

  /// @param hashes in ascending order
  /// @param later upper limit of the result
  /// @return the index of the first hash whose home is not before `slot`
  WDX_HD std::uint64_t first_at_home(Key const* hashes, std::uint64_t later, std::uint64_t slot) const {
    std::uint64_t low = later;  // goes back in doubling steps: the result is near unless keys were chosen to collide
    for (std::uint64_t step = 1; low != 0 && home_slot(hashes[low - 1]) >= slot; step *= 2)
      low = low > step ? low - step : 0;
    return end_of_prefix(low, later, [&](std::uint64_t i) { return home_slot(hashes[i]) < slot; });
  }
};

/// Slots [begin, end) from border to border, and the indexes of the first insert and the first erase with a home there.
struct segment {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t insert;
  std::uint64_t erase;
};

/// The most slots that one thread reads. Longer segments occur only if the table is too full, or keys were chosen to
/// collide.
inline constexpr std::uint64_t longest_segment = 4096;

/// Step 1: writes the segment of each change. Returns true if there is none, because a key would repeat, an entry would
/// are too far from home, or the segment is too long or does not end within the table.
template <class View> struct find_segment {
  table_changes<View> changes;
  segment* segments;

  WDX_HD bool operator()(std::uint64_t i) const {
    using Key = typename View::key_type;
    bool const is_insert = i < changes.inserts;
    Key const hash = is_insert ? changes.insert_keys[i] : changes.erase_keys[i - changes.inserts];
    // Inserts and erases share one list of segments in hash order. These are the counts before this change.
    std::uint64_t const inserts =
        is_insert ? i : end_of_prefix<std::uint64_t>(0, changes.inserts, [&](std::uint64_t j) {
          return !(hash < changes.insert_keys[j]);
        });
    std::uint64_t const erases =
        is_insert ? end_of_prefix<std::uint64_t>(0, changes.erases,
                                                 [&](std::uint64_t j) { return changes.erase_keys[j] < hash; })
                  : i - changes.inserts;
    std::uint64_t begin = changes.home_slot(hash);
    std::uint64_t const lowest = begin > longest_segment ? begin - longest_segment : 0;
    while (!changes.is_border(begin)) {
      if (begin <= lowest) return true;
      begin -= changes.view.slots;
    }
    std::uint64_t const first_insert = changes.first_at_home(changes.insert_keys, inserts, begin);
    std::uint64_t const end = end_of(begin, first_insert, changes.home_slot(hash) + changes.view.slots);
    segments[inserts + erases] = {begin, end, first_insert, changes.first_at_home(changes.erase_keys, erases, begin)};
    return end == 0;
  }

  /// @param begin the first slot of the segment
  /// @param insert the first insert with a home in the segment
  /// @param at_least lower limit of the result
  /// @return the end of the segment; 0 if there is no valid one
  WDX_HD std::uint64_t end_of(std::uint64_t begin, std::uint64_t insert, std::uint64_t at_least) const {
    auto const& view = changes.view;
    std::uint64_t const limit = begin + longest_segment < changes.slots() ? begin + longest_segment : changes.slots();
    std::uint64_t old = begin;     // next slot of the old table
    std::uint64_t next = begin;    // next free slot of the new table
    std::uint64_t end = at_least;  // end of the bucket with the last entry
    for (;;) {
      while (old < end && changes.is_empty(old)) ++old;
      bool const old_left = old < end || (old == end && !changes.is_border(old));
      bool const insert_left = insert < changes.inserts && changes.home_slot(changes.insert_keys[insert]) < end;
      if (!old_left && !insert_left) return end <= changes.slots() ? end : 0;
      bool const takes_insert = insert_left && (!old_left || !(view.pairs.key(old) < changes.insert_keys[insert]));
      auto const hash = takes_insert ? changes.insert_keys[insert] : view.pairs.key(old);
      if (takes_insert) {
        if (insert + 1 < changes.inserts && changes.insert_keys[insert + 1] == hash) return 0;
        if (old_left && view.pairs.key(old) == hash) {
          if (!changes.erased(hash)) return 0;
          ++old;  // the new row replaces the erased one
        }
        ++insert;
      } else {
        ++old;
      }
      std::uint64_t const home = changes.home_slot(hash);
      std::uint64_t const slot = next < home ? home : next;
      if (slot >= limit || slot - home > changes.farthest) return 0;
      next = slot + 1;
      std::uint64_t const bucket_end = (slot / view.slots + 1) * view.slots;
      end = end < bucket_end ? bucket_end : end;
    }
  }
};

struct write_segment_end {
  segment const* segments;
  std::uint64_t* ends;
  WDX_HD void operator()(std::uint64_t i) const { ends[i] = segments[i].end; }
};

/// Sets `lengths[i]` to the length of the segment that change i leads, or to 0 if it leads none.
struct find_leaders {
  segment const* segments;
  std::uint64_t const* reached;  ///< running maximum of the ends of the segments
  std::uint64_t* lengths;
  WDX_HD void operator()(std::uint64_t i) const {
    bool const leads = i == 0 || segments[i].begin >= reached[i - 1];
    lengths[i] = leads ? segments[i].end - segments[i].begin : 0;
  }
};

/// Step 2: each leader merges the old entries of its segment with its inserts, and writes the result to scratch.
template <class View> struct write_segment {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  table_changes<View> changes;
  segment const* segments;
  std::uint64_t const* offsets;  ///< of each segment in scratch
  Key* keys;
  Row* rows;

  WDX_HD void operator()(std::uint64_t i) const {
    if (offsets[i] == offsets[i + 1]) return;
    auto const& view = changes.view;
    std::uint64_t const begin = segments[i].begin;
    std::uint64_t const end = begin + (offsets[i + 1] - offsets[i]);
    std::uint64_t insert = segments[i].insert;
    std::uint64_t erase = segments[i].erase;
    std::uint64_t old = begin;
    std::uint64_t next = begin;
    auto const put = [&](std::uint64_t slot, Key key, Row row) {
      keys[offsets[i] + (slot - begin)] = key;
      rows[offsets[i] + (slot - begin)] = row;
    };
    auto const is_erased = [&](Key hash) {
      while (erase < changes.erases && changes.erase_keys[erase] < hash) ++erase;
      return erase < changes.erases && changes.erase_keys[erase] == hash;
    };
    for (;;) {
      while (old < end && (changes.is_empty(old) || is_erased(view.pairs.key(old)))) ++old;
      bool const insert_left = insert < changes.inserts && changes.home_slot(changes.insert_keys[insert]) < end;
      if (old == end && !insert_left) break;
      bool const takes_insert = insert_left && (old == end || changes.insert_keys[insert] < view.pairs.key(old));
      Key const hash = takes_insert ? changes.insert_keys[insert] : view.pairs.key(old);
      Row const row = takes_insert ? changes.insert_rows[insert] : view.pairs.row(old);
      takes_insert ? ++insert : ++old;
      std::uint64_t const home = changes.home_slot(hash);
      while (next < home) put(next++, View::empty_key, View::none);
      put(next++, hash, row);
    }
    while (next < end) put(next++, View::empty_key, View::none);
  }
};

/// Step 3: each leader copies its segment from scratch to the table.
template <class View> struct copy_segment {
  segment const* segments;
  std::uint64_t const* offsets;
  typename View::key_type const* keys;
  typename View::row_type const* rows;
  pair_writer<typename View::key_type> to;
  WDX_HD void operator()(std::uint64_t i) const {
    for (std::uint64_t at = offsets[i]; at < offsets[i + 1]; ++at)
      to.put(segments[i].begin + (at - offsets[i]), keys[at], rows[at]);
  }
};

}  // namespace detail

/// Changes a table of distinct keys in place. Synchronises. Takes 56 bytes of scratch per change, and the bytes of the
/// segments.
/// @param changes the batch, with a view of the table
/// @param to writes the pairs of the same table
/// @return false if a key would repeat, or an entry has no room near its home; the table is then unchanged
template <class Engine, class View>
bool change_table(detail::table_changes<View> const& changes, pair_writer<typename View::key_type> const& to,
                  execution const& exec) {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  auto const& backend = backend_of(Engine::kind);
  std::uint64_t const count = changes.inserts + changes.erases;
  buffer segment_memory(count * sizeof(detail::segment), exec);
  buffer offset_memory((count + 1) * sizeof(std::uint64_t), exec);
  auto* const segments = segment_memory.as<detail::segment>();
  auto* const offsets = offset_memory.as<std::uint64_t>();
  if (Engine::count_if(exec, count, detail::find_segment<View>{changes, segments}) != 0) return false;
  {
    buffer reach_memory(count * sizeof(std::uint64_t), exec);
    auto* const reached = reach_memory.as<std::uint64_t>();
    Engine::for_each(exec, count, detail::write_segment_end{segments, reached});
    backend.running_maximum(reached, count, exec);
    Engine::for_each(exec, count, detail::find_leaders{segments, reached, offsets});
  }
  std::uint64_t const total = backend.exclusive_scan(offsets, count, exec);
  buffer keys(total * sizeof(Key), exec);
  buffer rows(total * sizeof(Row), exec);
  Engine::for_each(exec, count,
                   detail::write_segment<View>{changes, segments, offsets, keys.as<Key>(), rows.as<Row>()});
  Engine::for_each(exec, count, detail::copy_segment<View>{segments, offsets, keys.as<Key>(), rows.as<Row>(), to});
  return true;
}

}  // namespace warpdex
