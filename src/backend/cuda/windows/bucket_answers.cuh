// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>

#include "backend/cuda/windows/window_stages.hpp"
#include "backend/update/slots.hpp"
#include "base/prefix.hpp"
#include "batch/answer.hpp"
#include "batch/batch.hpp"

/// @file
/// From a place among the sorted entries of an index to the answer of a probe. Searches of buckets and of tiles share
/// it.
namespace warpdex::cuda {

/// The sorted entries of an index or of a shard. Without an array of rows, the row id of an entry is its rank.
/// @tparam Slots where they are: `slots_by_rank`, `slots_by_level` or `slots_in_leaves`
template <class Key, class Row, class Slots> struct bucket_entries {
  Key const* keys;
  Row const* rows;
  std::uint64_t size;
  Slots slots;
  shard_surroundings<Key, Row> around = {};

  __device__ Key key(std::uint64_t rank) const { return keys[slots(rank)]; }
  __device__ Row row(std::uint64_t rank) const { return rows == nullptr ? static_cast<Row>(rank) : rows[slots(rank)]; }
};

/// What a kernel answers (`search_op`), and from where.
enum class bucket_task : std::uint8_t {
  find,         ///< `find`; the block loads the bucket's rows
  sparse_find,  ///< `find`; each probe reads its row from the index
  nearest,      ///< `floor`, `ceil` and `nearest`; the block loads the bucket's rows
  sparse_nearest,
  rank,   ///< `contains`, bounds and `count`, which need no rows
  lower,  ///< `contains` and `lower_bound` alone, for which runs of equal keys do not matter
  sum     ///< sums; the block loads the rows
};

template <bucket_task Task>
inline constexpr bool loads_rows =
    Task == bucket_task::find || Task == bucket_task::nearest || Task == bucket_task::sum;

/// What a bucket cannot know by its own entries. One thread finds it out while the entries arrive.
template <class Key, class Row> struct bucket_edges {
  std::uint64_t run_after;  ///< entries after the loaded ones that have the last loaded key
  bool any_before;          ///< whether there is an entry before the bucket; for ceils after all entries
  Key key_before;           ///< its key
  Row row_before;           ///< the first row of this key, or the last one if a rule wants that

  /// @param rule of `nearest`
  template <bucket_task Task, class Entries>
  __device__ void find(Entries const& index, search_op op, nearest_rule const& rule, std::uint64_t first,
                       std::uint64_t last) {
    run_after = 0;
    any_before = false;
    constexpr bool finds_rows = Task == bucket_task::nearest || Task == bucket_task::sparse_nearest;
    bool const runs = finds_rows ? op == search_op::nearest && (rule.last_below || rule.last_above)
                                 : op == search_op::upper_bound || op == search_op::count;
    if (runs && first < last && last < index.size) {
      Key const key = index.key(last - 1);
      run_after = end_of_prefix_near<std::uint64_t>(last, index.size,
                                                    [&](std::uint64_t rank) { return index.key(rank) == key; }) -
                  last;
    }
    if constexpr (finds_rows) {
      if (op == search_op::ceil) {
        if (last == index.size) take(index.around.above);
        return;
      }
      if (first == 0) return take(index.around.below);
      any_before = true;
      key_before = index.key(first - 1);
      std::uint64_t run = first - 1;
      bool const wants_first = op == search_op::floor || !rule.last_below;
      if (wants_first && run != 0 && index.key(run - 1) == key_before)
        run = end_of_prefix<std::uint64_t>(0, run, [&](std::uint64_t rank) { return index.key(rank) < key_before; });
      row_before = index.row(run);
    }
  }

 private:
  __device__ void take(some_entry<Key, Row> const& outside) {
    any_before = outside.exists;
    key_before = outside.key;
    row_before = outside.row;
  }
};

/// Where the answers of a bucket's probes go: to the order of the partition. Ranks have the width of row ids.
template <class Key, class Row> struct partitioned_answers {
  void* answers;
  void* more;  ///< keys of floors and ceils, ranks of counts; may be null
  nearest_rule rule;

  using position = position_of<Row>;
  __device__ void put_flag(std::uint64_t slot, bool flag) const { static_cast<std::uint8_t*>(answers)[slot] = flag; }
  __device__ void put_row(std::uint64_t slot, Row row) const { static_cast<Row*>(answers)[slot] = row; }
  __device__ void put_key(std::uint64_t slot, Key key, bool) const {
    if (more != nullptr) static_cast<Key*>(more)[slot] = key;
  }
  __device__ void put_number(std::uint64_t slot, std::uint64_t number) const {
    static_cast<position*>(answers)[slot] = static_cast<position>(number);
  }
  __device__ void put_rank(std::uint64_t slot, std::uint64_t rank) const {
    if (more != nullptr) static_cast<position*>(more)[slot] = static_cast<position>(rank);
  }
};

/// The answer to a probe from entries that include all those that can be its answer, but for what the edges tell.
/// @tparam Entries some consecutive entries of an index: `size`, key(i), row(i), rank(i)
/// @param at the index of the first of these entries whose key is not less than the probe
/// @param answers as `partitioned_answers`
template <bucket_task Task, class Key, class Row, class Entries, class At, class Answers>
__device__ __forceinline__ void put_answer(Entries const& entries, search_op op, bucket_edges<Key, Row> const& edges,
                                           std::uint64_t position, Key probe, At at, Answers const& answers) {
  At const size = entries.size;
  bool const equal = at < size && entries.key(at) == probe;
  if constexpr (Task == bucket_task::find || Task == bucket_task::sparse_find) {
    answers.put_row(position, equal ? entries.row(at) : no_row<Row>);
  } else if constexpr (Task == bucket_task::nearest || Task == bucket_task::sparse_nearest) {
    if (op == search_op::nearest)
      return answers.put_row(position, nearest_row<Row>(answers.rule, entries, probe, at, edges));
    Key key = probe;
    At run = at;  // index of the first entry of the answer's key
    bool before = false;
    if (op == search_op::ceil) {  // the entry after the bucket is loaded too
      before = at == size;
      if (!before) key = entries.key(at);
    } else if (!equal) {
      before = at == 0;
      if (!before) {
        key = entries.key(at - 1);
        run = at - 1;
        if (run != 0 && entries.key(run - 1) == key)
          run = end_of_prefix(At{0}, run, [&](At i) { return entries.key(i) < key; });
        before = run == 0 && edges.any_before && edges.key_before == key;
      }
    }
    Row row = no_row<Row>;
    if (!before) row = entries.row(run);
    else if (edges.any_before) {
      row = edges.row_before;
      key = edges.key_before;
    }
    answers.put_row(position, row);
    answers.put_key(position, key, row != no_row<Row>);
  } else if constexpr (Task == bucket_task::lower) {
    if (op == search_op::contains) answers.put_flag(position, equal);
    else answers.put_number(position, entries.rank(at));
  } else {
    std::uint64_t run = 0;
    if (equal && (op == search_op::upper_bound || op == search_op::count)) {
      run = end_of_prefix_near(static_cast<At>(at + 1), size, [&](At i) { return entries.key(i) == probe; }) - at;
      if (at + run == size) run += edges.run_after;
    }
    std::uint64_t const rank = entries.rank(at);
    if (op == search_op::contains) answers.put_flag(position, equal);
    else if (op == search_op::count) answers.put_number(position, run);
    else answers.put_number(position, rank + run);
    answers.put_rank(position, rank);
  }
}

}  // namespace warpdex::cuda
