// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/ordered.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "backend/call.hpp"
#include "backend/cpu/isa.hpp"
#include "backend/cpu/parallel.hpp"
#include "batch/answer.hpp"
#include "batch/policy.hpp"

namespace warpdex {

/// Runs batches on host threads. Each thread takes chunks of the batch and keeps many probes of a chunk in flight: all
/// make one visit, and each prefetches the memory of its next one. When its turn comes again, the cache line has
/// arrived. This hides the memory latency that bounds a single search.
struct cpu_engine {
  static constexpr backend_kind kind = backend_kind::cpu;

  /// Probes in flight per thread: enough that the work of the others covers a cache miss, and few enough for the L1
  /// cache. Views without ranks have more, because their searches are one or two misses and little work.
  template <class View> static constexpr int flight = View::traits.ranked ? 32 : 64;

  /// Calls f(i) for all i in [0, n), in parallel.
  template <class Function> static void for_each(execution const& exec, std::uint64_t n, Function const& f) {
    parallel_chunks(exec.threads, n, 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) call(f, i);
    });
  }

  /// The same for long calls.
  template <class Function> static void for_each_task(execution const& exec, std::uint64_t n, Function const& f) {
    parallel_chunks(exec.threads, n, 1, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(i);
    });
  }

  /// @return the number of i in [0, n) for which `f(i)` holds
  template <class Predicate> static std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    std::atomic<std::uint64_t> total{0};
    parallel_chunks(exec.threads, n, 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t found = 0;
      for (std::uint64_t i = begin; i < end; ++i) found += call(f, i) ? 1 : 0;
      total += found;
    });
    return total;
  }

  /// State of an index that all its batches share: none on the CPU.
  template <class> struct index_state {
    std::size_t bytes() const { return 0; }
    void outlive_stream() noexcept {}
  };
  template <class View, class Entries>
  static index_state<typename View::key_type> prepare(View const&, Entries const&, policy const&, std::string const&,
                                                      execution const&) {
    return {};
  }

  template <class View>
  static std::uint64_t efficient_batch(View const&, index_state<typename View::key_type> const&) noexcept {
    return 1;
  }

  template <class View>
  static void point(View const& view, index_state<typename View::key_type> const&, point_batch const& batch,
                    policy const&, execution const& exec) {
    parallel_chunks(exec.threads, batch.size, 1 << 13,
                    [&](std::uint64_t begin, std::uint64_t end) { point_chunk(view, batch, begin, end); });
    if (batch.positions != nullptr) for_each(exec, batch.size, number_positions{batch.positions, batch.first_position});
  }

  template <class View>
  static void range(View const& view, index_state<typename View::key_type> const&, range_batch const& batch,
                    policy const&, execution const& exec) {
    parallel_chunks(exec.threads, batch.size, 1 << 10, [&](std::uint64_t begin, std::uint64_t end) {
      if constexpr (View::traits.ranked) range_chunk(view, batch, begin, end);
      else count_chunk(view, batch, begin, end);
    });
  }

  template <class View>
  static void fill(View const& view, fill_batch const& batch, policy const&, execution const& exec) {
    using Row = typename View::row_type;
    parallel_chunks(exec.threads, batch.size, 1 << 10, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        auto* rows = static_cast<Row*>(batch.rows) + batch.offsets[i];
        auto const first = static_cast<typename View::position>(batch.first[i]);
        auto const last = static_cast<typename View::position>(first + (batch.offsets[i + 1] - batch.offsets[i]));
        visit_ranks(view, first, last,
                    [&](auto slot) { visit_row(view, slot, [&](Row row) { rows[view.rank(slot) - first] = row; }); });
      }
    });
  }

 private:
  template <class View, class Visit>
  static void visit_ranks(View const& view, typename View::position first, typename View::position last, Visit visit) {
    if (first == last) return;
    for (int s = 0; s < view.stretches(); ++s) {
      auto const run = view.stretch_of(s, first, last);
      for (auto slot = run.begin; slot < run.end; ++slot) visit(slot);
    }
  }

  /// Runs `count` searches side by side, with the best instruction set of the machine.
  template <class View> static void search(View const& view, typename View::search* searches, int count) {
    if (view.size != 0) run_on_isa([=, &view] { search_here(view, searches, count); });
  }

  /// Visits all searches in turn until all are over. Searches of equal depth end together. Among searches of unequal
  /// depth, `pending` keeps the numbers of those that go on.
  template <class View> static void search_here(View const& view, typename View::search* searches, int count) {
    if constexpr (View::traits.equal_depth) {
      for (int visits = view.depth(); visits > 0; --visits)
        for (int j = 0; j < count; ++j) {
          view.visit(lane_in_flight{}, searches[j]);
          if (visits > 1) view.prefetch(searches[j]);
        }
    } else {
      int pending[flight<View>];
      for (int j = 0; j < count; ++j) {
        view.prefetch(searches[j]);
        pending[j] = j;
      }
      while (count > 0) {
        int still = 0;
        for (int k = 0; k < count; ++k) {
          auto& at = searches[pending[k]];
          bool const over = view.visit(lane_in_flight{}, at);
          if (!over) view.prefetch(at);
          pending[still] = pending[k];
          still += over ? 0 : 1;
        }
        count = still;
      }
    }
  }

  template <class View>
  static void point_chunk(View const& view, point_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    using Key = typename View::key_type;
    target<Key> wanted[flight<View>];
    typename View::search searches[flight<View>];
    for (std::uint64_t i = begin; i < end; i += flight<View>) {
      int const count = static_cast<int>(std::min<std::uint64_t>(flight<View>, end - i));
      for (int j = 0; j < count; ++j) {
        Key const probe = encode(batch.codec, load_element<Key>(batch.probes, i + static_cast<std::uint64_t>(j)));
        wanted[j] = wanted_by<View>(batch.op, probe);
        searches[j] = start_of(view, batch, wanted[j].key);
      }
      search(view, searches, count);
      for (int j = 0; j < count; ++j) prefetch_answer(view, batch.op, searches[j]);
      for (int j = 0; j < count; ++j) answer(view, batch, i + static_cast<std::uint64_t>(j), wanted[j], searches[j]);
    }
  }

  /// Counts the entries of each probe in a view without ranks.
  template <class View>
  static void count_chunk(View const& view, range_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    using Key = typename View::key_type;
    typename View::search searches[flight<View>];
    for (std::uint64_t i = begin; i < end; i += flight<View>) {
      int const count = static_cast<int>(std::min<std::uint64_t>(flight<View>, end - i));
      for (int j = 0; j < count; ++j)
        searches[j] =
            view.start(encode(batch.codec, load_element<Key>(batch.lower, i + static_cast<std::uint64_t>(j))));
      search(view, searches, count);
      for (int j = 0; j < count; ++j) view.prefetch_mark(searches[j]);
      for (int j = 0; j < count; ++j) view.prefetch_start(searches[j]);
      for (int j = 0; j < count; ++j) count_found(view, batch, i + static_cast<std::uint64_t>(j), searches[j]);
    }
  }

  template <class View>
  static void range_chunk(View const& view, range_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    using Key = typename View::key_type;
    using Position = typename View::position;
    constexpr int pairs = flight<View> / 2;
    typename View::search searches[flight<View>];
    bool at_end[pairs];
    bool inverted[pairs];
    for (std::uint64_t i = begin; i < end; i += pairs) {
      int const count = static_cast<int>(std::min<std::uint64_t>(pairs, end - i));
      for (int j = 0; j < count; ++j) {
        Key const lower = encode(batch.codec, load_element<Key>(batch.lower, i + static_cast<std::uint64_t>(j)));
        Key const upper = encode(batch.codec, load_element<Key>(batch.upper, i + static_cast<std::uint64_t>(j)));
        auto const t = target_of(point_op::upper_bound, upper);
        searches[2 * j] = view.start(lower);
        searches[2 * j + 1] = view.start(t.key);
        at_end[j] = t.at_end;
        inverted[j] = upper < lower;
      }
      search(view, searches, 2 * count);
      for (int j = 0; j < count; ++j) {
        Position const first = view.rank(searches[2 * j].slot);
        Position const last = inverted[j] ? first : at_end[j] ? view.size : view.rank(searches[2 * j + 1].slot);
        if (batch.counts != nullptr) batch.counts[i + static_cast<std::uint64_t>(j)] = last - first;
        if (batch.first != nullptr) batch.first[i + static_cast<std::uint64_t>(j)] = first;
        if (batch.sums != nullptr) {
          std::uint64_t sum = 0;
          visit_ranks(view, first, last, [&](auto slot) { visit_row(view, slot, [&](auto row) { sum += row; }); });
          batch.sums[i + static_cast<std::uint64_t>(j)] = sum;
        }
      }
    }
  }
};

}  // namespace warpdex
