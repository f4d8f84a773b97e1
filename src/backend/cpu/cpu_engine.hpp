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

/// Runs batches on host threads. Each thread takes chunks of the batch; within a chunk many probes are in
/// flight: all take one step, each asks for the memory of its next, and by the time its turn comes the
/// line is there. That hides the latency which bounds a single search.
struct cpu_engine {
  static constexpr backend_kind kind = backend_kind::cpu;

  /// Probes a thread keeps in flight: enough to cover a miss by the work of the others, few enough for L1.
  static constexpr int flight = 32;

  /// The same of an unordered view, where a search is a miss or two and little work.
  static constexpr int find_flight = 64;

  /// Calls f(i) for all i in [0, n), in parallel.
  template <class Function> static void for_each(execution const& exec, std::uint64_t n, Function const& f) {
    parallel_chunks(exec.threads, n, 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) call(f, i);
    });
  }

  /// @return for how many i in [0, n) `f(i)` holds
  template <class Predicate> static std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    std::atomic<std::uint64_t> total{0};
    parallel_chunks(exec.threads, n, 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t found = 0;
      for (std::uint64_t i = begin; i < end; ++i) found += call(f, i) ? 1 : 0;
      total += found;
    });
    return total;
  }

  /// What is made once with an index, for all of its batches: nothing.
  template <class> struct index_state {
    std::size_t bytes() const { return 0; }
    void outlive_stream() noexcept {}
  };
  template <class View>
  static index_state<typename View::key_type> prepare(View const&, policy const&, std::string const&,
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
    parallel_chunks(exec.threads, batch.size, 1 << 13, [&](std::uint64_t begin, std::uint64_t end) {
      if constexpr (is_ordered<View>) point_chunk(view, batch, begin, end);
      else
        find_chunk(view, batch.codec, batch.probes, begin, end,
                   [&](std::uint64_t i, auto const& found) { answer_found(view, batch, i, found); });
    });
    if (batch.positions != nullptr) for_each(exec, batch.size, number_positions{batch.positions, batch.first_position});
  }

  template <class View>
  static void range(View const& view, range_batch const& batch, policy const&, execution const& exec) {
    parallel_chunks(exec.threads, batch.size, 1 << 10, [&](std::uint64_t begin, std::uint64_t end) {
      if constexpr (is_ordered<View>) range_chunk(view, batch, begin, end);
      else
        find_chunk(view, batch.codec, batch.lower, begin, end,
                   [&](std::uint64_t i, auto const& found) { count_found(view, batch, i, found); });
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

  /// `count` searches side by side, with the machine's best instructions. Targets in, slots out.
  template <class View>
  static void search(View const& view, typename View::key_type const* targets, typename View::position* slots,
                     int count) {
    run_on_isa([=, &view] { search_here(view, targets, slots, count); });
  }

  template <class View>
  static void search_here(View const& view, typename View::key_type const* targets, typename View::position* slots,
                          int count) {
    cursor<typename View::position> at[flight] = {};  // GCC misses that `root` initialises those in use
    for (int j = 0; j < count; ++j) at[j] = view.root();
    int const depth = view.depth();
    for (int level = 0; level < depth; ++level) {
      for (int j = 0; j < count; ++j) {
        view.descend(single_lane{}, at[j], level, targets[j]);
        if (level + 1 < depth) view.prefetch_node(at[j], level + 1);
      }
    }
    for (int j = 0; j < count; ++j) slots[j] = at[j].slot;
  }

  template <class View>
  static void point_chunk(View const& view, point_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    using Key = typename View::key_type;
    Key probes[flight];
    Key targets[flight];
    bool at_end[flight];
    typename View::position slots[flight];
    for (std::uint64_t i = begin; i < end; i += flight) {
      int const count = static_cast<int>(std::min<std::uint64_t>(flight, end - i));
      for (int j = 0; j < count; ++j) {
        probes[j] = encode(batch.codec, load_element<Key>(batch.probes, i + static_cast<std::uint64_t>(j)));
        auto const t = target_of(batch.op, probes[j]);
        targets[j] = t.key;
        at_end[j] = t.at_end;
      }
      search(view, targets, slots, count);
      for (int j = 0; j < count; ++j) {
        if (at_end[j]) slots[j] = end_of(view);
        prefetch_answer(view, batch.op, slots[j]);
      }
      for (int j = 0; j < count; ++j) answer(view, batch, i + static_cast<std::uint64_t>(j), probes[j], slots[j]);
    }
  }

  /// Searches side by side in an unordered view. Most end with their first bucket; those that do not go on
  /// together. @param write called as write(i, found) for each probe
  template <class View, class Write>
  static void find_chunk(View const& view, key_codec codec, void const* probes, std::uint64_t begin, std::uint64_t end,
                         Write const& write) {
    typename View::search found[find_flight];
    for (std::uint64_t i = begin; i < end; i += find_flight) {
      int const count = static_cast<int>(std::min<std::uint64_t>(find_flight, end - i));
      run_on_isa([=, &view, &found] { find_here(view, codec, probes, i, found, count); });
      for (int j = 0; j < count; ++j) write(i + static_cast<std::uint64_t>(j), found[j]);
    }
  }

  template <class View>
  static void find_here(View const& view, key_codec codec, void const* probes, std::uint64_t first,
                        typename View::search* found, int count) {
    using Key = typename View::key_type;
    int pending[find_flight];
    for (int j = 0; j < count; ++j) {
      found[j] =
          view.start(view.hash_of(encode(codec, load_element<Key>(probes, first + static_cast<std::uint64_t>(j)))));
      view.prefetch_bucket(found[j]);
      pending[j] = j;
    }
    while (count > 0) {
      int still = 0;
      for (int k = 0; k < count; ++k) {
        auto& at = found[pending[k]];
        bool const over = view.visit(lane_in_flight{}, at);
        if (over) view.prefetch_group(at);
        else view.prefetch_bucket(at);
        pending[still] = pending[k];
        still += over ? 0 : 1;
      }
      count = still;
    }
  }

  template <class View>
  static void range_chunk(View const& view, range_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    using Key = typename View::key_type;
    using Position = typename View::position;
    constexpr int pairs = flight / 2;
    Key targets[flight];
    Position slots[flight];
    bool at_end[pairs];
    bool inverted[pairs];
    for (std::uint64_t i = begin; i < end; i += pairs) {
      int const count = static_cast<int>(std::min<std::uint64_t>(pairs, end - i));
      for (int j = 0; j < count; ++j) {
        Key const lower = encode(batch.codec, load_element<Key>(batch.lower, i + static_cast<std::uint64_t>(j)));
        Key const upper = encode(batch.codec, load_element<Key>(batch.upper, i + static_cast<std::uint64_t>(j)));
        auto const t = target_of(point_op::upper_bound, upper);
        targets[2 * j] = lower;
        targets[2 * j + 1] = t.key;
        at_end[j] = t.at_end;
        inverted[j] = upper < lower;
      }
      search(view, targets, slots, 2 * count);
      for (int j = 0; j < count; ++j) {
        Position const first = view.rank(slots[2 * j]);
        Position const last = inverted[j] ? first : at_end[j] ? view.size : view.rank(slots[2 * j + 1]);
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
