// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cpu/key_row.hpp"
#include "backend/cpu/pieces.hpp"
#include "backend/cpu/tuning.hpp"
#include "base/progress.hpp"

namespace warpdex {

/// Sorts entries by key, then by row id. @tparam Row void for keys alone
///
///     1. Find the bits in which any two keys differ.
///     2. Sort by the leading digits of these bits, with one stable pass per digit, the least significant digit first.
///        About log2(size) + 2 bits are enough to tell random keys apart. Row ids mostly ascend already, and stable
///        passes keep them so.
///     3. Now entries with equal leading digits are adjacent. Sort each such stretch by std::sort if it is short, and
///        by steps 1 to 3 if it is long: by the digits that follow, and in the end by those of the row ids.
///
/// So skewed keys never cost more passes than a key and a row id have digits.
template <class Key, class Row> class pair_sort {
 public:
  using entry = key_row<Key, Row>;

  /// Sorts `size` entries in place.
  /// @throws out_of_memory with all entries as they were
  static void run(entry* entries, std::uint64_t size, execution const& exec) {
    if (size < cpu::tuning::digits_from_pairs) return std::sort(entries, entries + size);
    buffer const counts(pieces(exec.threads, size, cpu::tuning::least_piece).count() * sizeof(digit_counts), exec);
    buffer const spare(size * sizeof(entry), exec);
    pair_sort(counts.as<digit_counts>(), exec.threads).sort(entries, spare.as<entry>(), size);
    tell_progress(1);
  }

 private:
  static constexpr bool has_rows = !std::is_void_v<Row>;
  static constexpr int digit_bits = cpu::tuning::digit_bits;

  using digit_counts = std::array<std::uint64_t, 1 << digit_bits>;

  /// The bits in which any two entries differ.
  struct differing_bits {
    Key key = 0;
    std::conditional_t<has_rows, Row, std::uint8_t> row = 0;
  };

  pair_sort(digit_counts* counts, int threads) : counts_(counts), threads_(threads) {}

  pieces cut(std::uint64_t size) const { return {threads_, size, cpu::tuning::least_piece}; }

  void sort(entry* entries, entry* spare, std::uint64_t size) {
    if (is_sorted(entries, size)) return;
    differing_bits const bits = differing(entries, size);
    if (bits.key != 0) return sort_by(entries, spare, size, bits.key, [](entry const& e) { return Key{e.key}; });
    if constexpr (has_rows) sort_by(entries, spare, size, bits.row, [](entry const& e) { return Row{e.row}; });
  }

  bool is_sorted(entry const* entries, std::uint64_t size) const {
    std::atomic<bool> sorted{true};
    cut(size).for_each([&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      if (sorted && !std::is_sorted(entries + begin - (begin != 0 ? 1 : 0), entries + end)) sorted = false;
    });
    return sorted;
  }

  differing_bits differing(entry const* entries, std::uint64_t size) const {
    std::array<differing_bits, pieces::most> of_piece;
    cut(size).for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
      differing_bits all;
      entry const first = entries[0];
      for (std::uint64_t i = begin; i < end; ++i) {
        all.key |= entries[i].key ^ first.key;
        if constexpr (has_rows) all.row |= entries[i].row ^ first.row;
      }
      of_piece[p] = all;
    });
    differing_bits all;
    for (std::uint64_t p = 0; p < cut(size).count(); ++p) {
      all.key |= of_piece[p].key;
      all.row |= of_piece[p].row;
    }
    return all;
  }

  /// Sorts by a number of each entry, its key or its row id.
  /// @param number returns this number of an entry
  /// @param bits the bits in which the numbers differ
  template <class Number, class NumberOf>
  void sort_by(entry* entries, entry* spare, std::uint64_t size, Number bits, NumberOf const& number) {
    int const width = bit_width(bits);
    int const wanted = std::min(width, bit_width(size) + 2);
    int const lowest = std::max(0, width - (wanted + digit_bits - 1) / digit_bits * digit_bits);
    entry* from = entries;
    entry* to = spare;
    for (int shift = lowest; shift < width; shift += digit_bits) {
      auto const digit = [&](entry const& e) { return static_cast<std::uint8_t>(number(e) >> shift); };
      if (static_cast<std::uint8_t>(bits >> shift) == 0) continue;
      sort_by_digit(from, to, size, digit);
      std::swap(from, to);
      // Stretches are sorted afterwards, in about the time of a pass.
      tell_progress((shift - lowest + digit_bits) / static_cast<double>(width - lowest + 2 * digit_bits));
    }
    if (from != entries)
      cut(size).for_each([&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
        std::copy(from + begin, from + end, entries + begin);
      });
    sort_equals(entries, spare, size, [&](entry const& e) { return static_cast<Number>(number(e) >> lowest); });
  }

  /// A stable counting sort by one digit: each piece counts its digits, then places its entries.
  template <class Digit> void sort_by_digit(entry const* from, entry* to, std::uint64_t size, Digit const& digit) {
    pieces const parts = cut(size);
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
      digit_counts counts{};
      for (std::uint64_t i = begin; i < end; ++i) ++counts[digit(from[i])];
      counts_[p] = counts;
    });
    std::uint64_t before = 0;
    for (std::size_t d = 0; d < digit_counts().size(); ++d)
      for (std::uint64_t p = 0; p < parts.count(); ++p) before += std::exchange(counts_[p][d], before);
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
      digit_counts position = counts_[p];
      for (std::uint64_t i = begin; i < end; ++i) to[position[digit(from[i])]++] = from[i];
    });
  }

  /// Sorts each stretch of entries with equal leading digits. First, each thread sorts the short stretches that begin
  /// in its pieces. Then all threads together sort the long ones.
  template <class Leading> void sort_equals(entry* entries, entry* spare, std::uint64_t size, Leading const& leading) {
    auto const end_of = [&](std::uint64_t member, std::uint64_t from, std::uint64_t to) {
      auto const digits = leading(entries[member]);
      return std::partition_point(entries + from, entries + to, [&](entry const& e) { return leading(e) == digits; }) -
             entries;
    };
    pieces const parts = cut(size);
    std::array<std::uint64_t, pieces::most + 1> starts;  // per piece: where the first stretch begins in it
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t) {
      starts[p] = begin == 0 ? 0 : end_of(begin - 1, begin, size);
    });
    starts[parts.count()] = size;
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> long_ones;
    parts.for_each([&](std::uint64_t p, std::uint64_t, std::uint64_t) {
      for (std::uint64_t begin = starts[p], end; begin < starts[p + 1]; begin = end) {
        end = begin + 1;
        while (end < starts[p + 1] && end - begin < cpu::tuning::short_stretch &&
               leading(entries[end]) == leading(entries[begin]))
          ++end;
        if (end - begin == cpu::tuning::short_stretch) end = end_of(begin, end, starts[p + 1]);
        if (end - begin > cpu::tuning::stretch_alone) {
          std::lock_guard const lock(mutex);
          long_ones.emplace_back(begin, end);
        } else if (end - begin > 1 && !std::is_sorted(entries + begin, entries + end)) {
          std::sort(entries + begin, entries + end);
        }
      }
    });
    for (auto const& [begin, end] : long_ones) sort(entries + begin, spare + begin, end - begin);
  }

  template <class Number> static int bit_width(Number n) {
    int width = 0;
    for (; n != 0; n >>= 1) ++width;
    return width;
  }

  digit_counts* counts_;  ///< one per piece
  int threads_;
};

}  // namespace warpdex
