// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include "backend/backend.hpp"

namespace warpdex {

/// Numbers that are selected among those below a range.
///
///     words    | bits of numbers 0 to 63 | 64 to 127 | ... | 0 |
///     counts   | 0 | selected below 64 | below 128 | ... | all |
struct selected_numbers {
  std::uint64_t const* words;
  std::uint64_t const* counts;

  WDX_HD bool holds(std::uint64_t i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }

  /// @return how many selected numbers are less than `i`, which is at most the range
  WDX_HD std::uint64_t before(std::uint64_t i) const {
    std::uint64_t const below = words[i / 64] & ((std::uint64_t{1} << (i % 64)) - 1);
    return counts[i / 64] + static_cast<std::uint64_t>(count_ones(below));
  }
};

/// A selection among the numbers below `range`.
struct selection {
  std::uint64_t range = 0;
  std::uint64_t size = 0;  ///< selected numbers
  buffer words, counts;

  selected_numbers view() const { return {words.as<std::uint64_t>(), counts.as<std::uint64_t>()}; }
};

namespace detail {

template <class Predicate> struct write_flag {
  Predicate holds;
  unsigned char* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = holds(i) ? 1 : 0; }
};

/// Joins the flags of 64 numbers.
struct join_flags {
  unsigned char const* flags;
  std::uint64_t range;
  std::uint64_t* words;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t w) const {
    std::uint64_t const end = 64 * w + 64 < range ? 64 * w + 64 : range;
    std::uint64_t word = 0;
    for (std::uint64_t i = 64 * w; i < end; ++i) word |= std::uint64_t{flags[i]} << (i % 64);
    words[w] = word;
    counts[w] = static_cast<std::uint64_t>(count_ones(word));
  }
};

struct list_number {
  selected_numbers selected;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    if (selected.holds(i)) to[selected.before(i)] = i;
  }
};

}  // namespace detail

/// Selects the numbers i for which holds(i) is true. Synchronises. Memory: a quarter of a byte per number below
/// `range`, and one more until it returns.
template <class Engine, class Predicate>
selection select_if(execution const& exec, std::uint64_t range, Predicate const& holds) {
  selection made;
  made.range = range;
  if (range == 0) return made;
  std::uint64_t const words = range / 64 + 1;
  made.words = buffer(words * sizeof(std::uint64_t), exec);
  made.counts = buffer((words + 1) * sizeof(std::uint64_t), exec);
  buffer const flags(range, exec);
  Engine::for_each(exec, range, detail::write_flag<Predicate>{holds, flags.as<unsigned char>()});
  auto* const counts = made.counts.as<std::uint64_t>();
  Engine::for_each(exec, words,
                   detail::join_flags{flags.as<unsigned char>(), range, made.words.as<std::uint64_t>(), counts});
  made.size = backend_of(Engine::kind).exclusive_scan(counts, words, exec);
  return made;
}

/// Writes the selected numbers to `to`, in ascending order.
template <class Engine> void list(execution const& exec, selection const& selected, std::uint64_t* to) {
  Engine::for_each(exec, selected.range, detail::list_number{selected.view(), to});
}

}  // namespace warpdex
