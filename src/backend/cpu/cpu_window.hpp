// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backend/cpu/flight.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/probe_buckets.hpp"
#include "batch/policy.hpp"
#include "batch/router.hpp"

namespace warpdex {

/// @return whether a batch of points in a view with ranks runs in windows
/// @param in_cache whether buckets are searched in the L1 cache (`window_search::in_cache`)
inline bool in_windows(bool in_cache, std::uint64_t size, std::uint64_t bytes, std::uint64_t probes,
                       policy const& request) {
  using namespace cpu::tuning;
  if (size == 0 || probes == 0) return false;
  if (request.reorder != policy::reordering::automatic) return request.reorder == policy::reordering::window;
  return bytes >= (in_cache ? window_from_bytes : window_from_bytes_in_flights) && probes >= window_from_probes &&
         probes >= size / window_entries_per_probe;
}

/// Windows on host threads, for views with ranks.
///
///     1. Partition. A stable counting sort appends the probes of a window, each with its place in the window, to
///        window buckets: equal intervals of the keys between the smallest and the largest of the index.
///     2. Search. If the entries are in key order, those of a bucket are one piece of the index. It is fetched line
///        after line while the bucket before it is searched, which is three times as fast as random lines. A few
///        searches at a time then halve the piece in the L1 cache, with their state in registers. Other views search
///        each bucket in flights, and make the visits that all its searches share only once. So do buckets with few
///        probes for their entries, or with very many entries.
///
/// Keys of more than 8 bytes go by reference (batch/router.hpp): a route moves in the place of the probe, and flights
/// read the probe in place.
///
/// Answers go to their places at once, whose lines are fetched a few probes ahead.
template <class View> class window_search {
  static_assert(View::traits.ranked);
  using key = typename View::key_type;
  using position = typename View::position;
  using pairs = typename View::pairs_type;
  static constexpr bool by_reference = windows_by_reference<View>;
  using moved_key = window_key<View>;
  using entry = typename probe_buckets<moved_key>::entry;

  /// The route of a probe that moves itself.
  struct itself {
    key operator()(key probe) const { return probe; }
  };

 public:
  static constexpr bool in_cache = View::traits.in_key_order && !by_reference;
  static constexpr auto entries_per_bucket =
      in_cache ? cpu::tuning::bucket_entries : cpu::tuning::bucket_entries_in_flights;
  static std::uint64_t bytes_per_entry(View const& view) { return sizeof(key) + view.pairs.row_bytes(); }

  /// Whether windows are chosen where a spec leaves it open. A tree over strings reads few lines per probe, which
  /// flights hide; windows read the probes, too, at random (docs/performance/radix.md, "On a CPU").
  static constexpr bool pays = !is_bytes<key> || View::traits.equal_depth;

  /// Takes the memory for windows.
  /// @param view must not be empty @param most probes per window, at most; a multiple of `pieces::most`
  /// @throws out_of_memory
  window_search(View const& view, point_batch const& batch, execution const& exec,
                std::uint64_t most = cpu::tuning::most_window_probes)
      : view_(view), batch_(batch), threads_(exec.threads), window_(std::min(batch.size, most)),
        route_(made_route(view)),
        buckets_(routed_key(view, 0), routed_key(view, view.size - 1), view.size / entries_per_bucket, window_, exec) {}

  /// Runs the whole batch, window after window.
  void run() {
    for (first_ = 0; first_ < batch_.size; first_ += window_) {
      std::uint64_t const size = std::min(batch_.size - first_, window_);
      partition(size);
      if constexpr (by_reference) {
        parallel_chunks(threads_, size, cpu::tuning::probe_grain, [&](std::uint64_t begin, std::uint64_t end) {
          search_by_reference(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
        });
      } else {
        search_all_buckets();
      }
    }
  }

 private:
  static auto made_route(View const& view) {
    if constexpr (by_reference) return router_of(view);
    else return itself();
  }

  moved_key routed_key(View const& view, std::uint64_t rank) const {
    return route_(view.pairs.key(view.slot_of(static_cast<position>(rank))));
  }

  key probe_at(std::uint64_t i) const { return encode(batch_.codec, load_element<key>(batch_.probes, i)); }

  void partition(std::uint64_t size) {
    auto const target = [&](moved_key wanted) {
      if constexpr (by_reference) return wanted;
      else return target_of(batch_.op, wanted).key;
    };
    buckets_.partition(
        size, [&](std::uint64_t i) { return route_(probe_at(first_ + i)); }, target);
  }

  std::uint32_t begin_of(std::uint64_t bucket) const { return buckets_.begin_of(bucket); }
  std::uint32_t end_of(std::uint64_t bucket) const { return buckets_.end_of(bucket); }

  /// The entries and the probes of a bucket.
  struct bucket_part {
    position first = 0;  ///< the first slot
    position last = 0;   ///< the slot after it
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    bool in_cache() const {
      std::uint64_t const size = last - first;
      std::uint64_t const probes = end - begin;
      return probes > 0 && size <= cpu::tuning::most_bucket_entries &&
             size <= probes * cpu::tuning::bucket_entries_per_probe;
    }
  };

  /// The memory of a bucket, which is fetched in small steps.
  class fetched_lines {
   public:
    fetched_lines() = default;
    fetched_lines(void const* begin, void const* end)
        : at_(static_cast<char const*>(begin)), end_(static_cast<char const*>(end)) {}
    std::uint64_t count() const { return static_cast<std::uint64_t>(end_ - at_ + line - 1) / line; }
    void fetch(std::uint64_t lines) {
      for (; lines > 0 && at_ < end_; --lines, at_ += line) prefetch(at_);
    }

   private:
    static constexpr int line = 64;
    char const* at_ = nullptr;
    char const* end_ = nullptr;
  };

  void search_all_buckets() const {
    constexpr auto most = cpu::tuning::buckets_at_a_time;
    parallel_chunks(threads_, buckets_.count(), most, [&](std::uint64_t begin, std::uint64_t end) {
      for (auto b = begin; b < end; b += most) search_buckets(b, std::min<std::uint64_t>(end, b + most));
    });
    buckets_.share_crowded([&](auto... part) { search_in_flights(part...); });
  }

  void search_buckets(std::uint64_t begin, std::uint64_t end) const {
    if constexpr (in_cache) {
      constexpr int most = cpu::tuning::buckets_at_a_time;
      position borders[most + 1];
      find_borders(begin, static_cast<int>(end - begin), borders);
      bucket_part parts[most + 1];
      for (auto b = begin; b < end; ++b)
        parts[b - begin] = {borders[b - begin], borders[b - begin + 1], begin_of(b),
                            buckets_.is_crowded(b) ? begin_of(b) : end_of(b)};
      for (auto b = begin; b < end; ++b) {
        auto const& now = parts[b - begin];
        if (!now.in_cache()) search_in_flights(b, now.begin, now.end);
        else search_in_cache(now, parts[b - begin + 1]);
      }
    } else {
      for (auto b = begin; b < end; ++b)
        if (!buckets_.is_crowded(b)) search_in_flights(b, begin_of(b), end_of(b));
    }
  }

  void search_by_reference(std::uint32_t begin, std::uint32_t end) const {
    answer_in_flights(
        view_, batch_, begin, end, [&](auto const& wanted) { return start_of(view_, batch_, wanted); },
        [&](std::uint64_t i) {
          fetch_place(static_cast<std::uint32_t>(i));
          fetch_probes(i, end);
          return probe_at(first_ + entries()[i].row);
        },
        [&](std::uint64_t i) { return first_ + entries()[i].row; });
  }

  /// Fetches probes ahead of entry `i`: first references to strings, then their bytes.
  void fetch_probes(std::uint64_t i, std::uint64_t end) const {
    constexpr auto ahead = cpu::tuning::probes_ahead;
    auto const number = [&](std::uint64_t of) { return first_ + entries()[std::min(of, end - 1)].row; };
    prefetch(static_cast<key const*>(batch_.probes) + number(i + 2 * ahead));
    if constexpr (is_bytes<key>) prefetch(load_element<key>(batch_.probes, number(i + ahead)).data);
  }

  /// Of the entries of a bucket those from `begin` up to `end`.
  void search_in_flights(std::uint64_t bucket, std::uint32_t begin, std::uint32_t end) const {
    if (begin == end) return;
    auto start = view_.start(key{0});
    if constexpr (View::traits.equal_depth) start = common_start(bucket);
    answer_in_flights(
        view_, batch_, begin, end,
        [&](key wanted) {
          if constexpr (!View::traits.equal_depth) return view_.start(wanted);
          auto at = start;
          at.target = wanted;
          return at;
        },
        [&](std::uint64_t i) {
          fetch_place(static_cast<std::uint32_t>(i));
          return key{entries()[i].key};
        },
        [&](std::uint64_t i) { return first_ + entries()[i].row; });
  }

  /// @return a search that has made the visits that all searches of a bucket share, but not the last one
  typename View::search common_start(std::uint64_t bucket) const {
    auto low = view_.start(buckets_.first_key(bucket));
    auto high = view_.start(bucket + 1 == buckets_.count() ? static_cast<key>(-1)
                                                           : static_cast<key>(buckets_.first_key(bucket + 1) - 1));
    auto common = low;
    for (int visits = view_.depth() - 1; visits > 0 && low.meets(high); --visits) {
      common = low;
      view_.visit(lane_in_flight{}, low);
      view_.visit(lane_in_flight{}, high);
    }
    return low.meets(high) ? low : common;
  }

  /// Finds where the entries of buckets begin, and where those of the last one end.
  void find_borders(std::uint64_t begin, int count, position* borders) const {
    typename View::search searches[flight_size<View>];
    for (int b = 0; b <= count; b += flight_size<View>) {
      int const together = std::min(flight_size<View>, count + 1 - b);
      for (int j = 0; j < together; ++j) {
        auto const number = begin + static_cast<unsigned>(b + j);
        searches[j] = take_off(view_, view_.start(buckets_.first_key(number)));
      }
      fly(view_, searches, together);
      for (int j = 0; j < together; ++j) {
        auto const number = begin + static_cast<unsigned>(b + j);
        borders[b + j] = number == 0 ? 0 : number == buckets_.count() ? view_.size : searches[j].slot;
      }
    }
  }

  [[gnu::flatten]] void search_in_cache(bucket_part const& now, bucket_part const& next) const {
    constexpr unsigned together = cpu::tuning::bucket_searches;
    sorted_array<pairs> const order(view_.pairs, view_.size);
    auto const start = order.start_between(key{}, now.first, now.last);
    fetched_lines keys, rows;
    if (next.in_cache()) {
      keys = {view_.pairs.key_address(next.first), view_.pairs.key_address(next.last)};
      if constexpr (pairs::kind == layout::soa)
        if (batch_.op == search_op::find || finds_nearest(batch_.op))
          rows = {view_.pairs.row_address(next.first), view_.pairs.row_address(next.last)};
    }
    std::uint64_t const steps = (now.end - now.begin + together - 1) / together;
    std::uint64_t const keys_per_step = (keys.count() + steps - 1) / steps;
    std::uint64_t const rows_per_step = (rows.count() + steps - 1) / steps;
    for (std::uint32_t i = now.begin; i < now.end; i += together) {
      keys.fetch(keys_per_step);
      rows.fetch(rows_per_step);
      target<key> wanted[together];
      typename sorted_array<pairs>::search at[together];
      for_all_of<together>([&](unsigned j) {
        fetch_place(std::min(i + cpu::tuning::answers_ahead + j, now.end - 1));
        wanted[j] = target_of(batch_.op, key{entries()[std::min(i + j, now.end - 1)].key});
        at[j] = start;
        at[j].target = wanted[j].key;
      });
      for (int level = start.level; level < order.depth(); ++level)
        for_all_of<together>([&](unsigned j) {
          at[j].level = level;
          order.visit(lane_in_flight{}, at[j]);
        });
      for (unsigned j = 0; j < std::min(together, now.end - i); ++j)
        answer_at(view_, batch_, first_ + entries()[i + j].row, wanted[j].probe,
                  wanted[j].at_end ? view_.end() : at[j].slot);
    }
  }

  /// Calls f(j) for all j below `Count`, without a loop, so compilers keep arrays in registers.
  template <unsigned Count, class Function> static void for_all_of(Function const& f) {
    [&]<unsigned... J>(std::integer_sequence<unsigned, J...>) { (f(J), ...); }
    (std::make_integer_sequence<unsigned, Count>{});
  }

  /// Fetches the memory that the answer to an entry will be written to.
  void fetch_place(std::uint32_t i) const {
    __builtin_prefetch(static_cast<char*>(batch_.out) + (first_ + entries()[i].row) * answer_bytes_, 1);
  }

  entry const* entries() const { return buckets_.entries(); }

  View const& view_;
  point_batch const& batch_;
  int const threads_;
  std::uint64_t const window_;  ///< probes per window; the last one may have fewer
  std::conditional_t<by_reference, router_for<View>, itself> const route_;
  probe_buckets<moved_key> buckets_;
  std::uint64_t first_ = 0;  ///< number of the first probe of the window
  std::size_t const answer_bytes_ = answer_bytes(view_, batch_.op);
};

}  // namespace warpdex
