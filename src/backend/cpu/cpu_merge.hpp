// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/cpu/cpu_loops.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/update/merge.hpp"

namespace warpdex {

/// Tells whether entries, asked for in ascending order, are erased. It reads memory only when it comes to a new range.
class erased_walk {
 public:
  /// @param ranges the number of ranges that begin at the first entry or before it
  /// @param end the number of ranges that begin at the last entry or before it
  erased_walk(erased_entries const& erased, std::uint64_t ranges, std::uint64_t end)
      : erased_(erased), ranges_(ranges), end_(end) {
    look();
  }

  /// @return whether an entry is erased
  /// @param entry not less than in the call before
  bool holds(std::uint64_t entry) {
    if (entry >= next_) {
      ranges_ = erased_.begun(entry, ranges_ + 1, end_);
      look();
    }
    return entry < until_;
  }

  /// @return the next entry for which `holds` may answer differently than for the last one
  /// @param erased the last answer
  std::uint64_t change(bool erased) const { return erased ? until_ : next_; }

 private:
  void look() {
    until_ = ranges_ == 0 ? 0 : erased_.first[ranges_ - 1] + erased_.length(ranges_ - 1);
    next_ = ranges_ < end_ ? erased_.first[ranges_] : ~std::uint64_t{0};
  }

  erased_entries erased_;
  std::uint64_t ranges_;
  std::uint64_t end_;
  std::uint64_t until_;  ///< end of the range that began last
  std::uint64_t next_;   ///< begin of the next range
};

/// Writes the merged pairs of one tile in order.
template <class From, class To> class tile_writer {
 public:
  /// @param rank the rank of the tile's first pair in the output
  tile_writer(From const& from, erased_walk const& erased, To const& to, std::uint64_t rank)
      : from_(from), erased_(erased), to_(to), rank_(rank) {}

  /// Writes entries [begin, end) of `from`, without the erased ones.
  void copy(std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      bool const erased = erased_.holds(begin);
      std::uint64_t const stop = std::min(end, erased_.change(erased));
      if (!erased) put(from_, begin, stop);
      begin = stop;
    }
  }

  /// Writes entries [begin, end) of any pairs.
  template <class Pairs> void put(Pairs const& pairs, std::uint64_t begin, std::uint64_t end) {
    To const to = to_;  // copies stay in registers; the compiler must assume that the writes change members
    Pairs const from = pairs;
    std::uint64_t const rank = rank_ - begin;
    for (std::uint64_t i = begin; i < end; ++i) to.put(rank + i, from, i);
    rank_ += end - begin;
  }

 private:
  From const& from_;
  erased_walk erased_;
  To const& to_;
  std::uint64_t rank_;
};

/// Merges on host threads; each thread merges one tile at a time.
template <class Key, class Row>
sorted_pairs merge_on_cpu(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                          execution const& exec) {
  auto const write_tiles = [&]<class From, class To>(From const& old, erased_entries const& erased,
                                                     pair_arrays<Key, Row> const& added, tile_start const* starts,
                                                     std::uint64_t tiles, To const& to) {
    parallel_chunks(exec.threads, tiles, 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        std::uint64_t const diagonal = i * cpu::tuning::merge_grain;
        std::uint64_t const end = std::min<std::uint64_t>(diagonal + cpu::tuning::merge_grain, old.size + added.size);
        std::uint64_t at = starts[i].from;
        tile_writer<From, To> writer(old, {erased, starts[i].ranges, starts[i + 1].ranges}, to,
                                     diagonal - erased.before_entry(at, starts[i].ranges));
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
  return merge_by_tiles<cpu_loops, Key, Row>(from, erase, insert, order, cpu::tuning::merge_grain, exec, write_tiles);
}

}  // namespace warpdex
