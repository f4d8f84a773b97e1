// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/range_quantiles.hpp>
#include <warpdex/search/common.hpp>

#include <cmath>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/row_array.hpp"
#include "clients/aggregates/aggregate_steps.hpp"

/// @file
/// A wavelet matrix: how it is made, and how the k-th smallest number of a range is found in it.
namespace warpdex {

/// What a level knows of 64 adjacent entries.
struct level_node {
  std::uint64_t bits;          ///< that of each entry, the first one lowest
  std::uint64_t zeros_before;  ///< entries before these without the bit
};

/// The numbers of entries, bit by bit from the highest one. A level has the entries in the order of the level above,
/// those without that level's bit first.
struct wavelet_matrix {
  level_node const* nodes;  ///< `words` per level
  std::uint64_t words;      ///< 64 entries each; the last one may have none
  int levels;               ///< bits of a number
  std::uint64_t zeros[32];  ///< entries of a level without its bit
  std::uint64_t none;       ///< the number of entries without a value, which no other one exceeds
  bool all_have;            ///< whether it is known that all entries have a value

  WDX_HD std::uint64_t zeros_before(int level, std::uint64_t i) const {
    level_node const node = nodes[static_cast<std::uint64_t>(level) * words + i / 64];
    std::uint64_t const before = (std::uint64_t{1} << (i % 64)) - 1;
    return node.zeros_before + static_cast<std::uint64_t>(count_ones(~node.bits & before));
  }

  /// Goes on to the entries of a range whose bit is set, or is not.
  WDX_HD void descend(int level, bool bit, std::uint64_t& begin, std::uint64_t& end, std::uint64_t zeros_begin,
                      std::uint64_t zeros_end) const {
    begin = bit ? zeros[level] + begin - zeros_begin : zeros_begin;
    end = bit ? zeros[level] + end - zeros_end : zeros_end;
  }

  /// @return how many entries of a range have a value
  WDX_HD std::uint64_t count(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t const size = end - begin;
    if (all_have) return size;
    for (int level = 0; level < levels; ++level) {
      std::uint64_t const from = zeros_before(level, begin), to = zeros_before(level, end);
      descend(level, (none >> (levels - 1 - level) & 1) != 0, begin, end, from, to);
    }
    return size - (end - begin);
  }

  /// @return the number of rank `k` among those of a range, which has more
  WDX_HD std::uint64_t select(std::uint64_t begin, std::uint64_t end, std::uint64_t k) const {
    std::uint64_t number = 0;
    for (int level = 0; level < levels; ++level) {
      std::uint64_t const from = zeros_before(level, begin), to = zeros_before(level, end);
      bool const bit = k >= to - from;
      if (bit) k -= to - from;
      descend(level, bit, begin, end, from, to);
      number = number << 1 | (bit ? 1u : 0u);
    }
    return number;
  }
};

namespace quantile_steps {

struct fill_numbers {
  std::uint32_t number;
  std::uint32_t* out;
  WDX_HD void operator()(std::uint64_t i) const { out[i] = number; }
};

/// The number of a row is its rank among the sorted ones.
struct number_rows {
  row_reader sorted;
  std::uint32_t* out;
  WDX_HD void operator()(std::uint64_t i) const { out[sorted.at(i)] = static_cast<std::uint32_t>(i); }
};

struct number_entries {
  row_reader rows;
  std::uint32_t const* numbers;  ///< of each row
  std::uint32_t* out;
  WDX_HD void operator()(std::uint64_t i) const { out[i] = numbers[rows.at(i)]; }
};

/// The bits of 64 entries at a level.
struct level_bits {
  std::uint32_t const* numbers;
  std::uint64_t size;
  int bit;

  WDX_HD std::uint64_t end(std::uint64_t word) const { return word * 64 + 64 < size ? word * 64 + 64 : size; }
  WDX_HD std::uint64_t of(std::uint64_t word) const {
    std::uint64_t bits = 0;
    for (std::uint64_t i = word * 64; i < end(word); ++i)
      bits |= static_cast<std::uint64_t>(numbers[i] >> bit & 1) << (i % 64);
    return bits;
  }
};

struct count_zeros {
  level_bits level;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t word) const {
    std::uint64_t const begin = word * 64;
    std::uint64_t const entries = begin < level.size ? level.end(word) - begin : 0;
    counts[word] = entries - static_cast<std::uint64_t>(count_ones(level.of(word)));
  }
};

/// Writes the nodes of a level, and its entries in the order of the next one.
struct part_level {
  level_bits level;
  std::uint64_t const* zeros_before;  ///< of each word
  std::uint64_t zeros;                ///< of all
  level_node* nodes;
  std::uint32_t* out;
  WDX_HD void operator()(std::uint64_t word) const {
    std::uint64_t const bits = level.of(word);
    std::uint64_t zero = zeros_before[word];
    nodes[word] = {bits, zero};
    std::uint64_t one = zeros + word * 64 - zero;
    for (std::uint64_t i = word * 64; i < level.end(word); ++i)
      out[(bits >> (i % 64) & 1) != 0 ? one++ : zero++] = level.numbers[i];
  }
};

/// Finds the row at a quantile of each range.
struct find_quantile {
  wavelet_matrix of;
  ranks_of_ranges ranks;
  double quantile;
  quantile_side side;
  row_reader sorted;
  row_array out;

  WDX_HD std::uint64_t rank_among(std::uint64_t count) const {
    double const exact = quantile * static_cast<double>(count - 1);
    double const rank = side == quantile_side::lower    ? std::floor(exact)
                        : side == quantile_side::higher ? std::ceil(exact)
                                                        : std::floor(exact + 0.5);
    auto const whole = static_cast<std::uint64_t>(rank);
    return whole < count ? whole : count - 1;
  }
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const begin = ranks.begin(i), end = ranks.end(i, begin);
    std::uint64_t const count = begin < end ? of.count(begin, end) : 0;
    out.set(i, count == 0 ? out.none() : sorted.at(of.select(begin, end, rank_among(count))));
  }
};

struct all
    : steps::list<steps::runs<fill_numbers, number_rows, number_entries, count_zeros, part_level, find_quantile>> {};
all list_of_step(...);

}  // namespace quantile_steps
}  // namespace warpdex
