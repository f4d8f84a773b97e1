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
  std::uint64_t word_count;

  WDX_HD bool holds(std::uint64_t i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }

  /// @return how many selected numbers are less than `i`, which is at most the range
  WDX_HD std::uint64_t before(std::uint64_t i) const {
    std::uint64_t const below = words[i / 64] & ((std::uint64_t{1} << (i % 64)) - 1);
    return counts[i / 64] + static_cast<std::uint64_t>(count_ones(below));
  }
};

/// @return the place of the bit of a word that has `n` set bits below it
WDX_HD inline unsigned nth_bit(std::uint64_t word, int n) {
  unsigned bit = 0;
  for (unsigned half = 32; half != 0; half /= 2) {
    int const below = count_ones(word & ((std::uint64_t{1} << half) - 1));
    if (n < below) continue;
    n -= below;
    word >>= half;
    bit += half;
  }
  return bit;
}

/// A selection among the numbers below `range`.
struct selection {
  std::uint64_t range = 0;
  std::uint64_t size = 0;  ///< selected numbers
  buffer words, counts;

  selected_numbers view() const { return {words.as<std::uint64_t>(), counts.as<std::uint64_t>(), word_count()}; }
  std::uint64_t word_count() const { return range / 64 + 1; }
};

namespace detail {

/// Keeps a number of a selection if a predicate holds for it.
template <class Predicate> struct keep_number {
  Predicate holds;
  std::uint64_t* words;
  WDX_HD void operator()(std::uint64_t i, std::uint64_t) const {
    if (!holds(i)) return;
    std::uint64_t const bit = std::uint64_t{1} << (i % 64);
#if defined(__CUDA_ARCH__)
    atomicOr(reinterpret_cast<unsigned long long*>(words + i / 64), bit);
#else
    __atomic_fetch_or(words + i / 64, bit, __ATOMIC_RELAXED);
#endif
  }
};

struct count_word {
  std::uint64_t const* words;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t w) const { counts[w] = static_cast<std::uint64_t>(count_ones(words[w])); }
};

struct list_number {
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i, std::uint64_t k) const { to[k] = i; }
};

inline selection none_of(std::uint64_t range, execution const& exec) {
  selection result;
  result.range = range;
  result.words = buffer(result.word_count() * sizeof(std::uint64_t), exec);
  result.counts = buffer((result.word_count() + 1) * sizeof(std::uint64_t), exec);
  return result;
}

/// Completes a selection whose words are written. Synchronises.
template <class Loops> void count_selected(selection& selected, execution const& exec) {
  auto* const counts = selected.counts.as<std::uint64_t>();
  Loops::for_each(exec, selected.word_count(), count_word{selected.words.as<std::uint64_t>(), counts});
  selected.size = backend_of(Loops::kind).exclusive_scan(counts, selected.word_count(), exec);
}

}  // namespace detail

/// Calls f(i, k) for each selected number i, where k others are selected below it, in parallel.
template <class Loops, class Function>
void for_each(execution const& exec, selection const& selected, Function const& f) {
  if (selected.size != 0) Loops::for_each_selected(exec, selected.view(), f);
}

/// Selects the numbers i for which holds(i) is true. Synchronises. Memory: a quarter of a byte per number below
/// `range`.
template <class Loops, class Predicate>
selection select_if(execution const& exec, std::uint64_t range, Predicate const& holds) {
  if (range == 0) return {};
  selection result = detail::none_of(range, exec);
  Loops::write_flags(exec, range, result.words.template as<std::uint64_t>(), holds);
  detail::count_selected<Loops>(result, exec);
  return result;
}

/// Selects those of a selection for which holds(i) is true. A first selection by a part of a costly predicate pays
/// where few numbers pass it: threads that work do not wait for neighbours that do not. Synchronises.
template <class Loops, class Predicate>
selection select_among(execution const& exec, selection const& from, Predicate const& holds) {
  if (from.range == 0) return {};
  selection result = detail::none_of(from.range, exec);
  auto* const words = result.words.as<std::uint64_t>();
  backend_of(Loops::kind).fill_zero(words, result.words.bytes(), exec);
  for_each<Loops>(exec, from, detail::keep_number<Predicate>{holds, words});
  detail::count_selected<Loops>(result, exec);
  return result;
}

/// Writes the selected numbers to `to`, in ascending order.
template <class Loops> void list(execution const& exec, selection const& selected, std::uint64_t* to) {
  for_each<Loops>(exec, selected, detail::list_number{to});
}

}  // namespace warpdex
