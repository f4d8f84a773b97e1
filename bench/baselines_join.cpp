// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/baselines.hpp"
#include "bench/measure.hpp"
#include "bench/parallel.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// Searches one at a time have the same rate for any number of probes that exceeds the caches.
constexpr std::uint64_t most_probes = std::uint64_t{1} << 22;
constexpr int most_repeats = 3;

/// Takes the pairs of a task and writes them, as joins do, to memory that is used again.
class written_pairs {
 public:
  void add(std::uint64_t left, std::uint64_t right) noexcept { pairs_[count_++ % pairs_.size()] = {left, right}; }

  /// @return the number of pairs, and something that depends on all that was written, so it must be written
  pair_sum total() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count_, pairs_.size()); ++i)
      sum += pairs_[i].first ^ pairs_[i].second;
    return {count_, sum};
  }

 private:
  std::array<std::pair<std::uint64_t, std::uint64_t>, 1024> pairs_;
  std::uint64_t count_ = 0;
};

/// Takes pairs to check them.
struct summed_pairs : pair_sum {
  pair_sum total() const noexcept { return *this; }
};

/// One join by one thread, probe by probe: std::lower_bound, and std::upper_bound for ranges.
template <class Key, class Pairs>
void search(join_op op, std::span<Key const> right, left_side<Key> const& left, std::uint64_t begin, std::uint64_t end,
            Pairs& pairs) {
  for (auto i = begin; i < end; ++i) {
    Key const probe = left.lower[i];
    auto const first = std::lower_bound(right.begin(), right.end(), probe);
    auto last = first;
    if (op == join_op::range) last = std::upper_bound(first, right.end(), left.upper[i]);
    else
      while (last != right.end() && *last == probe) ++last;
    switch (op) {
      case join_op::semi:
        if (first != last) pairs.add(i, pair_sum::none);
        break;
      case join_op::anti:
        if (first == last) pairs.add(i, pair_sum::none);
        break;
      default:
        for (auto at = first; at != last; ++at) pairs.add(i, static_cast<std::uint64_t>(at - right.begin()));
        if (op == join_op::left && first == last) pairs.add(i, pair_sum::none);
    }
  }
}

/// A key and its place in its column.
template <class Key> struct numbered_key {
  Key key;
  std::uint64_t row;
  friend bool operator<(numbered_key a, numbered_key b) { return a.key < b.key || (a.key == b.key && a.row < b.row); }
};

/// The keys of a column with their places, to be sorted by each run. Empty if they need not be.
template <class Key> class sorted_copy {
 public:
  sorted_copy(std::span<Key const> from, bool wanted) : from_(from), sorted_(wanted ? from.size() : 0) {}

  void sort(int threads) {
    parallel_chunks(threads, sorted_.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) sorted_[i] = {from_[i], i};
    });
    tbb::task_arena arena(threads);
    arena.execute([&] { tbb::parallel_sort(sorted_.data(), sorted_.data() + sorted_.size()); });
  }

  std::uint64_t size() const { return from_.size(); }
  Key key(std::uint64_t rank) const { return sorted_.size() == 0 ? from_[rank] : sorted_[rank].key; }
  std::uint64_t row(std::uint64_t rank) const { return sorted_.size() == 0 ? rank : sorted_[rank].row; }

 private:
  std::span<Key const> from_;
  array<numbered_key<Key>> sorted_;
};

/// An as-of join of some probes, by rank, with the right side, by one thread. Both are read in order.
template <class Key, class Pairs>
void merge(asof_options const& ask, sorted_copy<Key> const& right, sorted_copy<Key> const& probes, std::uint64_t begin,
           std::uint64_t end, Pairs& pairs) {
  if (begin == end) return;
  auto const key_at = [&](std::uint64_t rank) { return right.key(rank); };
  auto const lower_bound = [&](Key key) {
    return *std::ranges::partition_point(std::views::iota(std::uint64_t{0}, right.size()),
                                         [&](std::uint64_t rank) { return right.key(rank) < key; });
  };
  auto above = lower_bound(probes.key(begin));
  auto below = above > 0 ? lower_bound(right.key(above - 1)) : pair_sum::none;
  for (auto i = begin; i < end; ++i) {
    Key const probe = probes.key(i);
    for (; above < right.size() && right.key(above) < probe; ++above)
      if (below == pair_sum::none || right.key(below) != right.key(above)) below = above;
    auto other = above;
    while (!ask.allow_exact_matches && other < right.size() && right.key(other) == probe) ++other;
    auto const rank = asof_answer(ask, probe, other, below, right.size(), key_at);
    pairs.add(probes.row(i), rank == pair_sum::none ? rank : right.row(rank));
  }
}

/// Joins with `threads` threads, and hands each task's pairs to a `Pairs`.
template <class Pairs, class Task> pair_sum join_in_tasks(int threads, std::uint64_t probes, Task const& task) {
  std::atomic<std::uint64_t> count = 0, sum = 0;
  parallel_chunks(threads, probes, [&](std::uint64_t begin, std::uint64_t end) {
    Pairs pairs;
    task(begin, end, pairs);
    count += pairs.total().pairs;
    sum += pairs.total().sum;
  });
  return {count, sum};
}

/// Times run(threads, type of pairs) with `written_pairs`, and checks it with `summed_pairs`.
template <class Run>
void run_baseline(std::string const& name, config const& c, std::uint64_t probes, pair_sum const& expected,
                  cli_context const& context, report& out, Run const& run) {
  progress const shown(context, name);
  auto const expect = [&](pair_sum const& found) {
    if (found != expected)
      throw error(fmt::format("{}: wrong pairs of a join ({}): {} pairs, expected {}", name, to_string(c.join),
                              found.pairs, expected.pairs));
  };
  for (int const threads : thread_counts(c)) {
    expect(run(threads, std::type_identity<summed_pairs>()));
    std::vector<double> runs;
    for (int r = 0; r < std::min(c.repeat, most_repeats); ++r) {
      wall_clock clock;
      auto const found = run(threads, std::type_identity<written_pairs>());
      runs.push_back(clock.stop());
      expect({found.pairs, expected.sum});
    }
    out.add({name, threads, seconds::of(std::move(runs)), probes});
  }
}

}  // namespace

template <class Key>
void run_cpu_join_baselines(config const& c, std::span<Key const> right, left_side<Key> const& left,
                            std::function<pair_sum(std::uint64_t)> const& expected, cli_context const& context,
                            report& out) {
  if (c.join != join_op::asof) {
    auto const probes = std::min(left.size(), most_probes);
    run_baseline("std::lower_bound", c, probes, expected(probes), context, out,
                 [&]<class Pairs>(int threads, std::type_identity<Pairs>) {
                   return join_in_tasks<Pairs>(threads, probes,
                                               [&](std::uint64_t begin, std::uint64_t end, Pairs& pairs) {
                                                 search(c.join, right, left, begin, end, pairs);
                                               });
                 });
    return;
  }
  sorted_copy<Key> probes(left.lower.first(left.size()), true);
  sorted_copy<Key> keys(right, c.right == right_side::unsorted);
  run_baseline("tbb::parallel_sort, merge", c, left.size(), expected(left.size()), context, out,
               [&]<class Pairs>(int threads, std::type_identity<Pairs>) {
                 probes.sort(threads);
                 keys.sort(threads);
                 return join_in_tasks<Pairs>(threads, left.size(),
                                             [&](std::uint64_t begin, std::uint64_t end, Pairs& pairs) {
                                               merge(c.asof, keys, probes, begin, end, pairs);
                                             });
               });
}

template void run_cpu_join_baselines(config const&, std::span<std::uint32_t const>, left_side<std::uint32_t> const&,
                                     std::function<pair_sum(std::uint64_t)> const&, cli_context const&, report&);
template void run_cpu_join_baselines(config const&, std::span<std::uint64_t const>, left_side<std::uint64_t> const&,
                                     std::function<pair_sum(std::uint64_t)> const&, cli_context const&, report&);

}  // namespace warpdex::bench
