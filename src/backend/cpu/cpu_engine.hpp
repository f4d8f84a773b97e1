// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "backend/cpu/cpu_loops.hpp"
#include "backend/cpu/cpu_window.hpp"
#include "backend/cpu/flight.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/cpu/walk.hpp"
#include "batch/answer.hpp"
#include "batch/policy.hpp"

namespace warpdex {

/// Runs batches on host threads. Each thread takes chunks of the batch and searches their probes in flights. Large
/// batches over large indexes run in windows.
struct cpu_engine : cpu_loops {
  /// State of an index that all its batches share: none on the CPU.
  template <class> struct index_state {
    std::size_t bytes() const { return 0; }
    void outlive_stream() noexcept {}
  };
  template <class View, class Entries>
  static index_state<View> prepare(View const&, Entries const&, policy const&, spec const&, execution const&, bool) {
    return {};
  }

  template <class View> static std::uint64_t efficient_batch(View const&, index_state<View> const&) noexcept {
    return 1;
  }

  /// What runs without windows.
  struct plain_search {
    /// Runs points in flights.
    template <class View> static void point(View const& view, point_batch const& batch, execution const& exec) {
      parallel_chunks(exec.threads, batch.size, cpu::tuning::probe_grain, [&](std::uint64_t begin, std::uint64_t end) {
        using Key = typename View::key_type;
        answer_in_flights(
            view, batch, begin, end, [&](auto key) { return start_of(view, batch, key); },
            [&](auto i) { return encode(batch.codec, load_element<Key>(batch.probes, i)); }, [](auto i) { return i; });
      });
    }

    /// Runs ranges in flights.
    template <class View> static void range(View const& view, range_batch const& batch, execution const& exec) {
      parallel_chunks(exec.threads, batch.size, cpu::tuning::range_grain, [&](std::uint64_t begin, std::uint64_t end) {
        if constexpr (View::traits.ranked) range_chunk(view, batch, begin, end);
        else count_chunk(view, batch, begin, end);
      });
    }
  };

  /// @param plain as `plain_search`
  template <class View, class Plain = plain_search>
  static void point(View const& view, index_state<View> const&, point_batch const& batch, policy const& request,
                    execution const& exec, Plain const& plain = {}) {
    if (!point_in_order(view, batch, request, exec) && !point_in_windows(view, batch, request, exec))
      plain.point(view, batch, exec);
    if (batch.positions != nullptr) for_each(exec, batch.size, number_positions{batch.positions, batch.first_position});
  }

  /// @param plain as `plain_search`
  template <class View, class Plain = plain_search>
  static void range(View const& view, index_state<View> const&, range_batch const& batch, policy const& request,
                    execution const& exec, Plain const& plain = {}) {
    if (!range_in_windows(view, batch, request, exec)) plain.range(view, batch, exec);
  }

  template <class View>
  static void fill(View const& view, fill_batch const& batch, policy const&, execution const& exec) {
    using Row = typename View::row_type;
    // Copies, whose members stay in registers while rows are written.
    parallel_lists(exec.threads, batch.size, batch.offsets, [view, batch](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        auto at = batch.offsets[i];
        auto const at_end = batch.offsets[i + 1];
        auto const first = static_cast<typename View::position>(batch.first[i]);
        auto const last = static_cast<typename View::position>(first + (at_end - at));
        if constexpr (rows_are_runs<View>) {
          if (void const* const from = view.pairs.rows.address(first); from != nullptr && at != at_end) {
            std::size_t const width = view.pairs.row_bytes();
            std::memcpy(static_cast<char*>(batch.rows) + at * width, from, (at_end - at) * width);
            continue;
          }
        }
        if constexpr (View::traits.gaps) {  // only rows tell free slots, so nothing else follows from them
          visit_ranks(view, first, last, [&](auto slot) {
            visit_row(view, slot, [&](Row row) {
              if (at != at_end) store_row(view, batch.rows, at++, row);
            });
          });
          while (at != at_end) store_row(view, batch.rows, at++, no_row<Row>);
        } else {
          visit_ranks(view, first, last, [&](auto slot) {
            store_row(view, batch.rows, at + (view.rank(slot) - first), row_at(view, slot));
          });
        }
      }
    });
  }

  /// The same if a search costs more than the keys of a short range: the other end is sought from the lower one on.
  /// Slots are ranks. Other searches fly, and two of them cost less than keys that nothing has prefetched.
  template <class View> static void range_near(View const& view, range_batch const& batch, execution const& exec) {
    parallel_chunks(exec.threads, batch.size, cpu::tuning::range_grain, [&](std::uint64_t begin, std::uint64_t end) {
      typename View::search searches[flight_size<View>];
      for (std::uint64_t i = begin; i < end; i += flight_size<View>) {
        int const count = fly_to_lower(view, batch, i, end, searches);
        for (int j = 0; j < count; ++j)
          answer_range_from(view, batch, i + static_cast<std::uint64_t>(j), searches[j].slot);
      }
    });
  }

 private:
  /// Runs a batch whose probes ascend: walks from the place of each to that of the next one.
  /// @return false, with nothing done, if they do not ascend, or are far apart, or the view is not in key order
  template <class View>
  static bool point_in_order(View const& view, point_batch const& batch, policy const& request, execution const& exec) {
    if constexpr (View::traits.ranked && View::traits.in_key_order && !is_bytes<typename View::key_type>) {
      using Key = typename View::key_type;
      bool const may = request.reorder == policy::reordering::automatic || request.reorder == policy::reordering::tile;
      if (!may || batch.order != nullptr || !close_enough_to_walk(view.size, batch.size)) return false;
      auto const code = [&](std::uint64_t i) { return encode(batch.codec, load_element<Key>(batch.probes, i)); };
      if (!ascends_in_samples(batch.size, [&](std::uint64_t i) { return code(i + 1) < code(i); })) return false;
      parallel_chunks(exec.threads, batch.size, cpu::tuning::probe_grain,
                      [&](std::uint64_t begin, std::uint64_t end) { walk_chunk(view, batch, begin, end); });
      return true;
    }
    return false;
  }

  /// Searches probes [begin, end) of a batch, most of which ascend.
  template <class View>
  [[gnu::flatten]] static void walk_chunk(View const& view, point_batch const& batch, std::uint64_t begin,
                                          std::uint64_t end) {
    using Key = typename View::key_type;
    using Position = typename View::position;
    std::uint64_t at = 0;
    Key before = 0;
    for (std::uint64_t i = begin; i < end; i += cpu::tuning::walked_run) {
      std::uint64_t const count = std::min<std::uint64_t>(cpu::tuning::walked_run, end - i);
      target<Key> wanted[cpu::tuning::walked_run];
      bool ascends = true;
      for (std::uint64_t j = 0; j < count; ++j) {
        wanted[j] = target_of(batch.op, encode(batch.codec, load_element<Key>(batch.probes, i + j)));
        ascends &= j == 0 || !(wanted[j].key < wanted[j - 1].key);
      }
      if (i == begin || !ascends || wanted[0].key < before) at = lower_bound(view, wanted[0].key);
      for (std::uint64_t j = 0; j < count; ++j) {
        if (!ascends && j != 0) at = lower_bound(view, wanted[j].key);
        at = walk(at, view.size,
                  [&](std::uint64_t slot) { return view.pairs.key(static_cast<Position>(slot)) < wanted[j].key; });
        answer_at(view, batch, i + j, wanted[j].probe, wanted[j].at_end ? view.end() : static_cast<Position>(at));
      }
      before = wanted[count - 1].key;
    }
  }

  /// @return false, with nothing done, if windows do not pay or there is no memory for them
  template <class View>
  static bool point_in_windows(View const& view, point_batch const& batch, policy const& request,
                               execution const& exec) {
    if constexpr (View::traits.ranked) {
      using windows_of_view = window_search<View>;
      bool const pays = windows_of_view::pays && batch.sorted != probe_order::ascending;
      if (!pays && request.reorder == policy::reordering::automatic) return false;
      if (!in_windows(windows_of_view::in_cache, view.size, view.size * windows_of_view::bytes_per_entry(view),
                      batch.size, request))
        return false;
      std::optional<windows_of_view> windows;
      try {
        windows.emplace(view, batch, exec);
      } catch (out_of_memory const&) {
        return false;
      }
      windows->run();
      return true;
    }
    return false;
  }

  /// Finds both ends of each range in windows. @return as `point_in_windows`
  template <class View>
  static bool range_in_windows(View const& view, range_batch const& batch, policy const& request,
                               execution const& exec) {
    if (batch.counts == nullptr || batch.sums != nullptr || batch.order != nullptr) return false;
    if (!point_in_windows(view, {search_op::upper_bound, batch.codec, batch.upper, batch.size, batch.counts, nullptr},
                          request, exec))
      return false;
    std::optional<buffer> scratch;
    std::uint64_t* first = batch.first;
    if (first == nullptr) {
      try {
        first = scratch.emplace(batch.size * sizeof(std::uint64_t), exec).template as<std::uint64_t>();
      } catch (out_of_memory const&) {
        return false;
      }
    }
    point_batch const lower{search_op::lower_bound, batch.codec, batch.lower, batch.size, first, nullptr};
    if (!point_in_windows(view, lower, request, exec)) plain_search::point(view, lower, exec);
    parallel_chunks(exec.threads, batch.size, cpu::tuning::probe_grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        store_element(
            batch.counts, i,
            ranks_between(load_element<std::uint64_t>(first, i), load_element<std::uint64_t>(batch.counts, i)));
    });
    return true;
  }

  /// Whether the row ids of consecutive ranks are a piece of an array.
  template <class View>
  static constexpr bool rows_are_runs = (View::pairs_type::kind == layout::soa) && View::traits.in_key_order &&
                                        !View::traits.gaps;

  /// @return the sum of the row ids in a range
  template <class View>
  static std::uint64_t sum_of(View const& view, typename View::position first, typename View::position last) {
    std::uint64_t sum = 0;
    if constexpr (rows_are_runs<View>) sum = view.pairs.rows.sum(first, last);
    else visit_ranks(view, first, last, [&](auto slot) { visit_row(view, slot, [&](auto row) { sum += row; }); });
    return sum;
  }

  template <class View, class Visit>
  static void visit_ranks(View const& view, typename View::position first, typename View::position last, Visit visit) {
    if (first == last) return;
    for (int s = 0; s < view.stretches(); ++s) {
      auto const run = view.stretch_of(s, first, last);
      for (auto slot = run.begin; slot < run.end; ++slot) visit(slot);
    }
  }

  /// Searches some lower ends of ranges, from number `first` on. @return how many
  template <class View>
  static int fly_to_lower(View const& view, range_batch const& batch, std::uint64_t first, std::uint64_t end,
                          typename View::search* searches) {
    using Key = typename View::key_type;
    int const count = static_cast<int>(std::min<std::uint64_t>(flight_size<View>, end - first));
    for (int j = 0; j < count; ++j)
      searches[j] = take_off(
          view, view.start(encode(batch.codec, load_element<Key>(batch.lower, first + static_cast<std::uint64_t>(j)))));
    fly(view, searches, count);
    return count;
  }

  /// Counts the entries of each probe in a view without ranks.
  template <class View>
  static void count_chunk(View const& view, range_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    typename View::search searches[flight_size<View>];
    for (std::uint64_t i = begin; i < end; i += flight_size<View>) {
      int const count = fly_to_lower(view, batch, i, end, searches);
      for (int j = 0; j < count; ++j) view.prefetch_mark(searches[j]);
      for (int j = 0; j < count; ++j) view.prefetch_start(searches[j]);
      for (int j = 0; j < count; ++j) count_found(view, batch, i + static_cast<std::uint64_t>(j), searches[j]);
    }
  }

  template <class View>
  static void range_chunk(View const& view, range_batch const& batch, std::uint64_t begin, std::uint64_t end) {
    using Key = typename View::key_type;
    using Position = typename View::position;
    constexpr int pairs = flight_size<View> / 2;
    typename View::search searches[flight_size<View>];
    bool at_end[pairs];
    for (std::uint64_t i = begin; i < end; i += pairs) {
      int const count = static_cast<int>(std::min<std::uint64_t>(pairs, end - i));
      for (int j = 0; j < count; ++j) {
        Key const lower = encode(batch.codec, load_element<Key>(batch.lower, i + static_cast<std::uint64_t>(j)));
        Key const upper = encode(batch.codec, load_element<Key>(batch.upper, i + static_cast<std::uint64_t>(j)));
        auto const t = target_of(search_op::upper_bound, upper);
        searches[2 * j] = take_off(view, view.start(lower));
        searches[2 * j + 1] = take_off(view, view.start(t.key));
        at_end[j] = t.at_end;
      }
      fly(view, searches, 2 * count);
      for (int j = 0; j < count; ++j) {
        Position const first = view.rank(searches[2 * j].slot);
        Position const behind = at_end[j] ? view.size : view.rank(searches[2 * j + 1].slot);
        auto const last = static_cast<Position>(first + ranks_between(first, behind));
        std::uint64_t const range = i + static_cast<std::uint64_t>(j);
        if (batch.counts != nullptr) store_element(batch.counts, range, std::uint64_t{last} - first);
        if (batch.first != nullptr) store_element(batch.first, range, std::uint64_t{first});
        if (batch.sums != nullptr) store_element(batch.sums, range, sum_of(view, first, last));
      }
    }
  }
};

}  // namespace warpdex
