// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <algorithm>
#include <optional>

#include "backend/backend.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/search/route.hpp"
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_stages.hpp"
#include "base/profiled.hpp"
#include "batch/answer.hpp"
#include "batch/batch.hpp"

/// @file
/// Windows: a batch of probes is partitioned by key and searched, and the answers return to the order of the probes.
/// Adjacent searches then share the cache lines of their paths, or a whole bucket in shared memory.
///
///     probes --partition--> keys, bucket by bucket --search--> answers --restore--> answers of the probes
///
/// Partition, bucket search and restore are compiled once per width (window_stages.hpp). Where the entries are not in
/// plain sorted arrays, the structure's own search takes the place of the bucket search; it answers points only.
namespace warpdex::cuda {

/// Runs a batch in windows of equal size, which get smaller if memory is short.
/// @param run called as run(first probe, scratch) for each window
/// @return false, with nothing done, if there is no memory for the smallest window
template <class Key, class Run>
bool for_each_window(bucket_geometry const& geometry, std::uint64_t size, answer_widths answers, execution const& exec,
                     Run const& run) {
  // Windows are whole tiles, so all windows of an aligned column begin aligned.
  auto const share_of = [&](std::uint64_t windows) {
    constexpr std::uint64_t tile = tuning::tile_size;
    return std::min(size, ((size + windows - 1) / windows + tile - 1) / tile * tile);
  };
  auto const address_of = [&](std::uint64_t share, void* base) {
    return place_window(geometry, share, sizeof(Key), answers, base);
  };
  std::uint64_t windows = (size + tuning::window_probes - 1) / tuning::window_probes;
  buffer memory;
  while (memory.bytes() == 0) {
    try {
      memory = buffer(address_of(share_of(windows), nullptr).bytes, exec);
    } catch (out_of_memory const&) {
      windows *= 2;
      if (share_of(windows) < tuning::window_least_probes) return false;
    }
  }
  std::uint64_t const share = share_of(windows);
  for (std::uint64_t first = 0; first < size; first += share) {
    profiled const range("window");
    run(first, address_of(std::min(share, size - first), memory.data()));
  }
  return true;
}

/// @return a part of a batch of points
template <class Key>
point_batch part_of(point_batch const& batch, std::uint64_t first, std::uint64_t size, std::size_t answer_bytes) {
  point_batch part = batch;
  part.probes = static_cast<Key const*>(batch.probes) + first;
  part.size = size;
  part.out = static_cast<unsigned char*>(batch.out) + first * answer_bytes;
  if (batch.keys != nullptr) part.keys = static_cast<Key*>(batch.keys) + first;
  if (batch.positions != nullptr) {
    part.positions = batch.positions + first;
    part.first_position = batch.first_position + static_cast<std::uint32_t>(first);
  }
  return part;
}

/// Lets a window leave the answers of its last level in the order of the partition, with positions.
inline void keep_order_of_partition(window_scratch& scratch, point_batch const& batch) {
  window_level& last = scratch.level[scratch.levels - 1];
  last.answers = batch.out;
  last.positions = batch.positions;
  scratch.first_position = batch.first_position;
}

/// Writes the keys of floors and ceils to the batch; a miss writes none.
template <class Key, class Row> struct place_found_key {
  key_codec codec;
  Row const* rows;
  Key const* found;
  void* keys;
  std::uint32_t const* in_tiles;  ///< as in `window_scratch`
  __device__ void operator()(std::uint64_t i) const {
    if (answered_in_tiles(in_tiles)) return;
    if (rows[i] != no_row<Row>) store_element<Key>(keys, i, decode(codec, found[i]));
  }
};

/// Brings the keys of floors and ceils from the order of the partition to those probes of a part that have found one.
template <class Key, class Row>
void restore_keys(window_scratch const& scratch, point_batch const& part, execution const& exec) {
  auto* const found = static_cast<Key*>(scratch.level[0].keys);  // nobody needs the partitioned probes now
  restore_window<Key, Key>(scratch, scratch.more, nullptr, found, exec);
  for_each(
      exec, part.size,
      place_found_key<Key, Row>{part.codec, static_cast<Row const*>(part.out), found, part.keys, scratch.in_tiles});
}

/// Runs a batch of points by a structure's own search over partitioned probes.
/// @param search searches a batch, without windows
/// @return as `for_each_window`
template <class View, class Search>
bool point_in_windows(View const& view, window_buckets<typename View::key_type> const& buckets,
                      point_batch const& batch, execution const& exec, Search const& search) {
  using Key = typename View::key_type;
  std::size_t const width = answer_bytes(view, batch.op);
  bool const restores = batch.positions == nullptr;
  bool const with_keys = batch.keys != nullptr;
  auto const run = [&](std::uint64_t first, window_scratch scratch) {
    point_batch const part = part_of<Key>(batch, first, scratch.size, width);
    if (!restores) keep_order_of_partition(scratch, part);
    probe_encoding encoding{batch.codec};
    if constexpr (!View::traits.ranked) encoding = {batch.codec, !batch.hashed, view.seed};
    partition_window<Key>(buckets, scratch, encoding, part.probes, exec);
    fill_free_places<Key>(scratch, exec);
    window_level const& last = scratch.last();
    {
      profiled const range("search");
      point_batch moved{batch.op, key_codec::identity, last.keys, part.size, last.answers, scratch.more};
      moved.hashed = !View::traits.ranked;
      moved.rule = batch.rule;
      search(moved);
    }
    if (!restores) return;
    auto const restore = [&]<class Answer>(Answer* out) {
      restore_window<Answer, Answer>(scratch, last.answers, nullptr, out, exec);
    };
    switch (width) {
      case 1: restore(static_cast<std::uint8_t*>(part.out)); break;
      case 4: restore(static_cast<std::uint32_t*>(part.out)); break;
      default: restore(static_cast<std::uint64_t*>(part.out));
    }
    if constexpr (View::traits.ranked)
      if (with_keys)
        with_row(view.pairs.row_bytes() == 8 ? row_type::u64 : row_type::u32,
                 [&]<class Row>() { restore_keys<Key, Row>(scratch, part, exec); });
  };
  return for_each_window<Key>(buckets.geometry, batch.size, {restores ? width : 0, with_keys ? sizeof(Key) : 0}, exec,
                              run);
}

/// Turns the ranks of upper bounds into the numbers of entries from the lower ones on.
struct count_between {
  std::uint64_t const* first;
  std::uint64_t* counts;
  __device__ void operator()(std::uint64_t i) const { counts[i] = ranks_between(first[i], counts[i]); }
};

/// Clears the sums of ranges whose lower bound is above their upper one.
template <class Key> struct clear_empty {
  key_codec codec;
  void const* lower;
  void const* upper;
  std::uint64_t* sums;
  __device__ void operator()(std::uint64_t i) const {
    if (encode(codec, load_element<Key>(lower, i)) > encode(codec, load_element<Key>(upper, i))) sums[i] = 0;
  }
};

/// Another search stage of windows: that of several shards.
class search_stage {
 public:
  virtual bool can(search_op op) const = 0;

  /// Answers the partitioned probes, as `search_buckets` does.
  virtual void operator()(search_op op, window_scratch const& scratch, execution const& exec) const = 0;

 protected:
  ~search_stage() = default;
};

/// Runs batches in windows whose buckets are searched in shared memory.
template <class Key, class Row> class windows_of_buckets {
 public:
  /// @param buckets of all shards, which `search` searches
  windows_of_buckets(window_buckets<Key> const& buckets, search_stage const& search, execution const& exec)
      : buckets_(buckets), stage_(&search), index_(), tiles_(tile_choice::never), exec_(exec) {}

  /// @param index two arrays, in any order of slots
  /// @param tiles whether batches run in tiles instead, if these are narrow or always
  windows_of_buckets(window_buckets<Key> const& buckets, sorted_view const& index, tile_choice tiles,
                     execution const& exec)
      : buckets_(buckets), index_(index), tiles_(tiles), exec_(exec) {}

  /// @return as `for_each_window`; also false if buckets do not fit into shared memory
  bool point(point_batch const& batch) const {
    if (tiles_ == tile_choice::always) {
      search_in_tiles(batch.op, batch.codec, batch.probes, batch.size, places_of(batch), nullptr);
      return true;
    }
    if (!can_search(batch.op)) return false;
    bool const restores = batch.positions == nullptr;
    std::size_t const width = batch.op == search_op::contains ? 1 : sizeof(Row);
    bool const is_bound = batch.op == search_op::lower_bound || batch.op == search_op::upper_bound;
    return for_each_window<Key>(
        buckets_.geometry, batch.size,
        {restores ? width : 0, batch.keys != nullptr ? sizeof(Key) : 0, false, looks_for_order()}, exec_,
        [&](std::uint64_t first, window_scratch scratch) {
          point_batch const part = part_of<Key>(batch, first, scratch.size, is_bound ? sizeof(std::uint64_t) : width);
          if (!restores) keep_order_of_partition(scratch, part);
          scratch.rule = batch.rule;
          ask(batch.op, batch.codec, part.probes, places_of(part), scratch);
          if (!restores) return;
          if (batch.op == search_op::contains) return restore<std::uint8_t>(scratch, part.out);
          if (is_bound) return restore_numbers(scratch, scratch.last().answers, nullptr, part.out);
          restore<Row>(scratch, part.out);
          if (batch.keys != nullptr) restore_keys<Key, Row>(scratch, part, exec_);
        });
  }

  /// The same for ranges. Each bound is a separate probe: counts are differences of ranks, sums are differences of sums
  /// over all entries before a bound. So the cost does not depend on the length of the ranges.
  bool range(range_batch const& batch) const {
    bool const sums = batch.sums != nullptr;
    bool const points = batch.lower == batch.upper && !sums;
    if (tiles_ == tile_choice::always && !sums) {
      find_ranges(batch, nullptr);
      return true;
    }
    search_op const op = sums ? search_op::sum_before : points ? search_op::count : search_op::lower_bound;
    if (!can_search(op)) return false;
    buffer const before(sums ? buckets_.borders.bytes() : 0, exec_);
    answer_widths const widths{sums ? sizeof(std::uint64_t) : sizeof(Row),
                               points && batch.first != nullptr ? sizeof(Row) : 0, false, looks_for_order() && !sums};
    bool summed = false;
    return for_each_window<Key>(
        buckets_.geometry, batch.size, widths, exec_, [&](std::uint64_t first, window_scratch const& scratch) {
          auto const at = [&](std::uint64_t* answers) { return answers == nullptr ? nullptr : answers + first; };
          range_batch part = batch;
          part.lower = static_cast<Key const*>(batch.lower) + first;
          part.upper = static_cast<Key const*>(batch.upper) + first;
          part.size = scratch.size;
          part.counts = at(batch.counts);
          part.first = at(batch.first);
          part.sums = at(batch.sums);
          find_ranges(part, &scratch);
          if (!sums) return;
          if (!summed) sum_rows_before_buckets<Row>(buckets_.borders, index_, before.as<std::uint64_t>(), exec_);
          summed = true;
          auto const sum = [&](search_op which, void const* bounds, u64 const* less) {
            search(which, batch.codec, bounds, scratch, before.as<std::uint64_t>());
            restore_window<u64, u64>(scratch, scratch.last().answers, less, part.sums, exec_, difference::of_sums);
          };
          sum(search_op::sum_before, part.lower, nullptr);
          sum(search_op::sum_up_to, part.upper, part.sums);
          for_each(exec_, part.size, clear_empty<Key>{batch.codec, part.lower, part.upper, part.sums});
        });
  }

 private:
  using u64 = std::uint64_t;

  bool can_search(search_op op) const {
    return stage_ != nullptr ? stage_->can(op) : can_search_buckets<Key, Row>(buckets_, op);
  }

  bool looks_for_order() const { return tiles_ == tile_choice::if_narrow; }

  static placed_answers places_of(point_batch const& batch) {
    return {batch.out, batch.keys, nullptr, batch.positions, batch.first_position, batch.rule};
  }

  void search_in_tiles(search_op op, key_codec codec, void const* probes, u64 size, placed_answers const& answers,
                       std::uint32_t const* narrow) const {
    search_tiles<Key, Row>(buckets_, index_, op, codec, probes, size, answers, narrow, exec_);
  }

  /// Partitions the probes and searches the buckets for them.
  void search(search_op op, key_codec codec, void const* probes, window_scratch const& scratch,
              u64 const* sums = nullptr) const {
    partition_window<Key>(buckets_, scratch, {codec}, probes, exec_);
    if (stage_ != nullptr) (*stage_)(op, scratch, exec_);
    else search_buckets<Key, Row>(buckets_, index_, op, sums, scratch, exec_);
  }

  /// The same, or searches the probes in tiles if they come in order. Then the answers are in their places.
  void ask(search_op op, key_codec codec, void const* probes, placed_answers const& places,
           window_scratch const& scratch) const {
    if (scratch.in_tiles != nullptr) {
      sample_tiles<Key, Row>(index_, codec, probes, scratch.size, scratch.in_tiles, exec_);
      search_in_tiles(op, codec, probes, scratch.size, places, scratch.in_tiles);
    }
    search(op, codec, probes, scratch);
  }

  /// Finds the ranks and counts that a batch of ranges asks for.
  /// @param scratch null to search in tiles alone
  void find_ranges(range_batch const& batch, window_scratch const* scratch) const {
    auto const find = [&](search_op op, void const* probes, placed_answers const& places) {
      if (scratch == nullptr) return search_in_tiles(op, batch.codec, probes, batch.size, places, nullptr);
      ask(op, batch.codec, probes, places, *scratch);
      if (places.answers != nullptr) restore_numbers(*scratch, scratch->last().answers, places.less, places.answers);
      if (places.more != nullptr) restore_numbers(*scratch, scratch->more, nullptr, places.more);
    };
    if (batch.counts == nullptr && batch.first == nullptr) return;
    if (batch.lower == batch.upper && batch.sums == nullptr)
      return find(search_op::count, batch.lower, {batch.counts, batch.first});
    auto* const ranks = batch.first != nullptr ? batch.first : batch.counts;
    find(search_op::lower_bound, batch.lower, {ranks});
    if (batch.counts != nullptr) find(search_op::upper_bound, batch.upper, {batch.counts, nullptr, ranks});
  }

  template <class Answer> void restore(window_scratch const& scratch, void* out) const {
    restore_window<Answer, Answer>(scratch, scratch.last().answers, nullptr, static_cast<Answer*>(out), exec_);
  }
  void restore_numbers(window_scratch const& scratch, void const* answers, u64 const* less, void* out) const {
    restore_window<Row, u64>(scratch, answers, less, static_cast<u64*>(out), exec_);
  }

  window_buckets<Key> const& buckets_;
  search_stage const* const stage_ = nullptr;
  sorted_view const index_;
  tile_choice const tiles_;
  execution const& exec_;
};

}  // namespace warpdex::cuda
