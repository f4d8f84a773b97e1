// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/cpu/cpu_engine.hpp"
#include "backend/merge.hpp"

namespace warpdex {

/// Pairs of a tile that one thread merges: enough to forget the searches for its borders.
inline constexpr std::uint64_t cpu_merge_tile = 1 << 16;

/// Tells which of ascending entries are erased, mostly without a look at memory.
class erased_walk {
 public:
  /// @param ranges that begin at the first entry or before @param end that begin at the last or before
  erased_walk(erased_entries const& of, std::uint64_t ranges, std::uint64_t end) : of_(of), ranges_(ranges), end_(end) {
    look();
  }

  /// Whether an entry is erased. @param entry not less than in the call before
  bool holds(std::uint64_t entry) {
    if (entry >= next_) {
      ranges_ = of_.begun(entry, ranges_ + 1, end_);
      look();
    }
    return entry < until_;
  }

  /// @return the first entry from which on the answer may differ from that of the last call
  std::uint64_t change(bool erased) const { return erased ? until_ : next_; }

 private:
  void look() {
    until_ = ranges_ == 0 ? 0 : of_.first[ranges_ - 1] + of_.length(ranges_ - 1);
    next_ = ranges_ < end_ ? of_.first[ranges_] : ~std::uint64_t{0};
  }

  erased_entries of_;
  std::uint64_t ranges_;
  std::uint64_t end_;
  std::uint64_t until_;  ///< behind the last erased entry of the range that began last
  std::uint64_t next_;   ///< where the next range begins
};

/// Writes the merged pairs of one tile, one after the other.
template <class Key, class Row> class tile_writer {
 public:
  tile_writer(pair_arrays<Key, Row> const& from, erased_walk const& erased, Key* keys, Row* rows)
      : from_(from), erased_(erased), keys_(keys), rows_(rows) {}

  /// Entries [begin, end) of `from`, without the erased ones.
  void copy(std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      bool const erased = erased_.holds(begin);
      std::uint64_t const stop = std::min(end, erased_.change(erased));
      if (!erased) put(from_, begin, stop);
      begin = stop;
    }
  }

  /// Entries [begin, end) of any pairs.
  void put(pair_arrays<Key, Row> const& pairs, std::uint64_t begin, std::uint64_t end) {
    keys_ = std::copy(pairs.keys + begin, pairs.keys + end, keys_);
    rows_ = std::copy(pairs.rows + begin, pairs.rows + end, rows_);
  }

 private:
  pair_arrays<Key, Row> const& from_;
  erased_walk erased_;
  Key* keys_;
  Row* rows_;
};

/// Merges on host threads, a tile each.
template <class Key, class Row>
sorted_pairs merge_on_cpu(sorted_view from, found_ranges const& erase, sorted_view insert, execution const& exec) {
  auto const write_tiles = [&](pair_arrays<Key, Row> const& old, erased_entries const& erased,
                               pair_arrays<Key, Row> const& added, tile_start const* starts, std::uint64_t tiles,
                               Key* keys, Row* rows) {
    parallel_chunks(exec.threads, tiles, 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        std::uint64_t const diagonal = i * cpu_merge_tile;
        std::uint64_t const end = std::min(diagonal + cpu_merge_tile, old.size + added.size);
        std::uint64_t at = starts[i].from;
        std::uint64_t const to = diagonal - erased.before_entry(at, starts[i].ranges);
        tile_writer<Key, Row> writer(old, {erased, starts[i].ranges, starts[i + 1].ranges}, keys + to, rows + to);
        for (std::uint64_t b = diagonal - at; b < end - starts[i + 1].from; ++b) {
          std::uint64_t stop = at;
          while (stop < starts[i + 1].from && !added.precedes(b, old, stop)) ++stop;
          writer.copy(at, stop);
          writer.put(added, b, b + 1);
          at = stop;
        }
        writer.copy(at, starts[i + 1].from);
      }
    });
  };
  return merge_by_tiles<cpu_engine, Key, Row>(from, erase, insert, cpu_merge_tile, exec, write_tiles);
}

}  // namespace warpdex
