// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/common.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/pieces.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/steps.hpp"
#include "backend/two_part.hpp"
#include "backend/update/selection.hpp"

namespace warpdex {

/// The part of the CPU's engine that loops over numbers, on host threads.
struct cpu_loops {
  static constexpr backend_kind kind = backend_kind::cpu;

  /// Calls f(i) for all i in [0, n), in parallel.
  template <class Function> static void for_each(execution const& exec, std::uint64_t n, Function const& f) {
    parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) call(f, i);
    });
  }

  /// Calls f.run_part(begin, end) for parts that cover [0, n), in parallel.
  template <class Function> static void for_each_part(execution const& exec, std::uint64_t n, Function const& f) {
    parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](auto begin, auto end) { f.run_part(begin, end); });
  }

  /// Writes for each number below `range` whether a predicate holds for it, as bits of range / 64 + 1 words.
  template <class Predicate>
  static void write_flags(execution const& exec, std::uint64_t range, std::uint64_t* words, Predicate const& holds) {
    parallel_chunks(exec.threads, range / 64 + 1, cpu::tuning::word_grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t w = begin; w < end; ++w) {
        std::uint64_t word = 0;
        for (std::uint64_t i = 64 * w; i < std::min(64 * w + 64, range); ++i)
          word |= static_cast<std::uint64_t>(holds(i)) << (i % 64);
        words[w] = word;
      }
    });
  }

  /// Calls f(i, k) for each selected number i, where k others are selected below it, in parallel.
  template <class Function>
  static void for_each_selected(execution const& exec, selected_numbers const& from, Function const& f) {
    parallel_chunks(exec.threads, from.word_count, cpu::tuning::word_grain,
                    [&](std::uint64_t begin, std::uint64_t end) {
                      std::uint64_t k = from.counts[begin];
                      for (std::uint64_t w = begin; w < end; ++w)
                        for (std::uint64_t word = from.words[w]; word != 0; word &= word - 1)
                          f(64 * w + static_cast<unsigned>(trailing_zeros(word)), k++);
                    });
  }

  /// `for_each` for long calls.
  template <class Function> static void for_each_task(execution const& exec, std::uint64_t n, Function const& f) {
    parallel_chunks(exec.threads, n, 1, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(i);
    });
  }

  /// `for_each` for calls that write lists.
  template <class Offset, class Function>
  static void for_each_list(execution const& exec, std::uint64_t n, Offset const* offsets, Function const& f) {
    parallel_lists(exec.threads, n, offsets, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(i);
    });
  }

  /// @return the number of i in [0, n) for which `f(i)` holds
  template <class Predicate> static std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    std::atomic<std::uint64_t> total{0};
    parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t found = 0;
      for (std::uint64_t i = begin; i < end; ++i) found += call(f, i) ? 1 : 0;
      total += found;
    });
    return total;
  }

  /// @return the least i in [0, n) for which `f(i)` holds, if there is one
  template <class Predicate>
  static std::optional<std::uint64_t> first_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    constexpr std::uint64_t block = cpu::tuning::sorted_block;  // tested without a branch
    std::atomic<std::uint64_t> first{n};
    parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t at = begin; at < end && at < first.load(std::memory_order_relaxed); at += block) {
        std::uint64_t const last = std::min(at + block, end);
        std::uint64_t found = 0;
        for (std::uint64_t i = at; i < last; ++i) found += call(f, i) ? 1 : 0;
        if (found == 0) continue;
        std::uint64_t here = at;
        while (!call(f, here)) ++here;
        for (std::uint64_t known = first; here < known && !first.compare_exchange_weak(known, here);) {
        }
        return;
      }
    });
    return first == n ? std::nullopt : std::optional<std::uint64_t>(first);
  }

  /// Calls step.write(i, k) for each number i below `n` for which step(i) holds, where k is the number of those before
  /// it. Calls step(i) twice.
  /// @return for how many numbers step(i) holds
  template <class Step> static std::uint64_t select(execution const& exec, std::uint64_t n, Step const& step) {
    auto const walk = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t selected, bool writes) {
      for (std::uint64_t i = begin; i < end; ++i) {
        if (!step(i)) continue;
        if (writes) step.write(i, selected);
        ++selected;
      }
      return selected;
    };
    return scan_pieces<std::uint64_t>(exec.threads, n, walk, std::plus());
  }

  /// @return the values step(i) of all i in [0, n), joined by `with`
  template <class Step> static auto reduce(execution const& exec, std::uint64_t n, Step const& step) {
    std::mutex joining;
    decltype(step(n)) all;
    parallel_chunks(exec.threads, n, cpu::tuning::copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
      decltype(step(n)) found;
      for (std::uint64_t i = begin; i < end; ++i) found = found.with(step(i));
      std::lock_guard const lock(joining);
      all = all.with(found);
    });
    return all;
  }

  /// Counts the numbers of each part (`steps::count_shares`).
  template <class Step>
  static void count_shares(execution const& exec, std::uint64_t n, Step const& step, steps::shares& counted) {
    std::uint64_t const parts = counted.begins.size() - 1;
    std::uint64_t const most = std::clamp<std::uint64_t>(cpu::tuning::most_places / parts, 1, pieces::most);
    counted.run = std::max<std::uint64_t>(cpu::tuning::loop_grain, (n + most - 1) / most);
    std::uint64_t const runs = (n + counted.run - 1) / counted.run;
    counted.places = buffer(parts * runs * sizeof(std::uint64_t), exec);
    auto* const places = counted.places.as<std::uint64_t>();
    std::fill_n(places, parts * runs, 0);
    walk_shares(exec, n, step, counted, [](std::uint64_t, std::uint64_t& position) { ++position; });
    std::uint64_t all = 0;
    for (std::uint64_t part = 0; part < parts; ++part) {
      counted.begins[part] = all;
      for (std::uint64_t r = 0; r < runs; ++r) all += std::exchange(places[part * runs + r], all);
    }
    counted.begins[parts] = all;
  }

  /// Calls step.write(i, k) for each number and each of its parts (`steps::deal`).
  template <class Step>
  static void deal(execution const& exec, std::uint64_t n, Step const& step, steps::shares& counted) {
    walk_shares(exec, n, step, counted, [&](std::uint64_t i, std::uint64_t& position) { step.write(i, position++); });
  }

 private:
  /// Calls take(i, position) for each number and each of its parts, where `position` is that of the part and the run.
  template <class Step, class Take>
  static void walk_shares(execution const& exec, std::uint64_t n, Step const& step, steps::shares const& counted,
                          Take const& take) {
    std::uint64_t const runs = (n + counted.run - 1) / counted.run;
    auto* const places = counted.places.as<std::uint64_t>();
    for_each_task(exec, runs, [&](std::uint64_t r) {
      for (std::uint64_t i = r * counted.run; i < std::min(n, (r + 1) * counted.run); ++i) {
        steps::part_range const to = step.parts_of(i);
        if (to.first == steps::part_range::none) continue;
        for (std::uint64_t part = to.first; part <= to.first + to.more; ++part) take(i, places[part * runs + r]);
      }
    });
  }
};

}  // namespace warpdex
