// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/baselines.hpp"
#include "bench/maps.hpp"
#include "bench/parallel.hpp"
#include "bench/strings.hpp"
#include "bench/tries.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// Lookups one at a time have the same rate for any number of probes that exceeds the caches.
constexpr std::uint64_t most_probes = std::uint64_t{1} << 22;
constexpr int most_repeats = 3;

/// Times out[i] = answer(i) for all i, and checks it against expected(i).
template <class Result, class Answer, class Expected>
seconds time_loop(std::string const& name, config const& c, int threads, std::uint64_t size, Answer const& answer,
                  Expected const& expected) {
  array<Result> out(size);
  std::vector<double> runs;
  for (int r = 0; r < std::min(c.repeat, most_repeats); ++r) {
    if (size > 0) std::memset(out.data(), 0xa5, size * sizeof(Result));
    wall_clock clock;
    parallel_chunks(threads, size, [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) out[i] = answer(i);
    });
    runs.push_back(clock.stop());
    for (std::uint64_t i = 0; i < size; ++i)
      if (out[i] != expected(i))
        throw error(fmt::format("{}: wrong answer to probe {}: {}, expected {}", name, i, out[i], expected(i)));
  }
  return seconds::of(std::move(runs));
}

/// A plain std::vector: the system decides whether it gets huge pages.
template <class T> std::vector<T> copy_of(array<T> const& a) { return {a.data(), a.data() + a.size()}; }

/// The answer from sorted keys and their rows. `Lower` and `Upper` are the searches for a key.
template <class Key, class Keys, class Rows>
auto sorted_answer(lookup const& what, Keys const& keys, Rows const& rows) {
  return [op = what.op, prefixes = what.takes == probe_form::prefixes, &keys, &rows](Key probe) -> std::uint32_t {
    auto const begin = keys.data();
    auto const end = begin + keys.size();
    auto const position = [&](Key const* at) { return static_cast<std::uint32_t>(at - begin); };
    if (op == search_op::upper_bound) return position(std::upper_bound(begin, end, probe));
    if constexpr (is_string<Key>) {
      if (prefixes && op == search_op::count) {
        auto const first = std::lower_bound(begin, end, probe);
        auto const starts = [&](Key key) { return key.starts_with(probe); };
        return static_cast<std::uint32_t>(std::partition_point(first, end, starts) - first);
      }
      if (prefixes) {
        // Cut to what it shares with the last key not above it, until that key begins it.
        for (auto last = end;;) {
          last = std::upper_bound(begin, last, probe);
          if (last == begin) return missing;
          Key const key = *--last;
          auto const differ = std::ranges::mismatch(key, probe);
          probe = Key(probe.begin(), differ.in2);
          if (differ.in1 == key.end()) return rows[position(std::lower_bound(begin, last, key))];
        }
      }
    }
    if (op == search_op::floor) {
      auto const above = std::upper_bound(begin, end, probe);
      return above == begin ? missing : rows[position(std::lower_bound(begin, above, above[-1]))];
    }
    auto const at = std::lower_bound(begin, end, probe);
    bool const found = at != end && *at == probe;
    switch (op) {
      case search_op::lower_bound: return position(at);
      case search_op::ceil: return at == end ? missing : rows[position(at)];
      case search_op::contains: return found;
      case search_op::count: return found ? position(std::upper_bound(at, end, probe)) - position(at) : 0;
      default: return found ? rows[position(at)] : missing;
    }
  };
}

/// Sum of the rows of a range, or their number, with the rows written to `to` unless that is null.
template <class Rows>
std::uint64_t aggregate(lookup const& what, Rows const& rows, std::uint64_t begin, std::uint64_t end,
                        std::uint32_t* to) {
  if (to != nullptr) std::copy(rows.data() + begin, rows.data() + end, to);
  if (&what != &lookups::range_sum) return end - begin;
  std::uint64_t sum = 0;
  for (auto i = begin; i < end; ++i) sum += rows[i];
  return sum;
}

}  // namespace

std::vector<int> thread_counts(config const& c) {
  std::vector<int> counts = {1};
  for (int const t : c.threads)
    if (std::find(counts.begin(), counts.end(), t) == counts.end()) counts.push_back(t);
  return counts;
}

template <class Key>
void run_cpu_point_baselines(config const& c, key_set<Key> const& set, sorted_set<Key> const& sorted,
                             std::span<Key const> probes, std::span<std::uint32_t const> answers,
                             cli_context const& context, report& out) {
  probes = probes.first(std::min<std::uint64_t>(probes.size(), most_probes));
  auto const expected = [&](std::uint64_t i) { return answers[i]; };
  auto const run = [&](std::string const& name, auto const& answer, double build, std::uint64_t bytes) {
    progress const shown(context, name);
    for (int const threads : thread_counts(c)) {
      baseline b{name, threads, {}, probes.size(), build, bytes};
      b.time = time_loop<std::uint32_t>(
          name, c, threads, probes.size(), [&](auto i) { return answer(probes[i]); }, expected);
      out.add(b);
    }
  };

  bool const tries = c.baselines != baseline_choice::tree;
  bool const trees = c.baselines != baseline_choice::tries;
  bool const others = tries && trees;
  if (others) {
    auto const keys = copy_of(sorted.keys);
    auto const rows = copy_of(sorted.rows);
    run("std::lower_bound", sorted_answer<Key>(*c.what, keys, rows), 0, pair_bytes(set));
    run("std::lower_bound+huge_pages", sorted_answer<Key>(*c.what, sorted.keys, sorted.rows), 0, pair_bytes(set));
  }

  bool const counts = c.what == &lookups::count && set.generated();
  bool const finds = is_find(*c.what) || c.what == &lookups::contains || counts;
  auto const found = [&](bool hit, std::uint32_t row) -> std::uint32_t {
    return is_find(*c.what) ? (hit ? row : missing) : hit;
  };
  if (trees && (finds || c.what == &lookups::floor)) {
    std::uint64_t held = 0;
    wall_clock clock;
    auto const map = make_btree(sorted, held);
    double const build = clock.stop();
    run(
        "absl::btree_map",
        [&](Key probe) -> std::uint32_t {
          if (c.what == &lookups::floor) {
            auto const above = map.upper_bound(probe);
            return above == map.begin() ? missing : std::prev(above)->second;
          }
          auto const at = map.find(probe);
          return at == map.end() ? found(false, 0) : found(true, at->second);
        },
        build, held);
  }
  [[maybe_unused]] auto const run_trie = [&]<class Trie>(std::string const& name, std::type_identity<Trie>) {
    wall_clock clock;
    Trie const trie(sorted);
    double const build = clock.stop();
    run(
        name,
        [&](Key probe) {
          if constexpr (is_string<Key>) {
            if (c.what == &lookups::longest_prefix) return trie.longest_prefix(probe);
            if (c.what == &lookups::prefix_count) return trie.prefix_count(probe);
          }
          auto const row = trie.find(probe);
          return found(row != missing, row);
        },
        build, trie.bytes());
  };
#if WARPDEX_WITH_JUDY
  if constexpr (!is_string<Key> && sizeof(Key) <= sizeof(Word_t))
    if (finds && tries && set.generated()) run_trie("JudyL", std::type_identity<judy_map>());
#endif
#if WARPDEX_WITH_MARISA
  if constexpr (is_string<Key>)
    if ((finds || c.what == &lookups::longest_prefix || c.what == &lookups::prefix_count) && tries && set.generated())
      run_trie("marisa::Trie", std::type_identity<marisa_map>());
#endif
  if constexpr (!is_string<Key>) {
    auto const run_hashes = [&](std::string const& name, auto const& make, auto const& answer) {
      std::uint64_t held = 0;
      wall_clock clock;
      auto const hashes = make(held);
      double const build = clock.stop();
      run(
          name, [&](Key probe) -> std::uint32_t { return answer(hashes, probe); }, build, held);
    };
    auto const row_of = [&](auto const& map, Key probe) {
      auto const at = map.find(probe);
      return at == map.end() ? found(false, 0) : found(true, at->second);
    };
    if (others && c.what == &lookups::contains)
      run_hashes(
          "absl::flat_hash_set", [&](std::uint64_t& held) { return make_hash_set(set, held); },
          [](auto const& hashes, Key probe) { return hashes.contains(probe); });
    if (others && finds) {
      run_hashes(
          "absl::flat_hash_map", [&](std::uint64_t& held) { return make_hash_map(set, held); }, row_of);
      run_hashes(
          "absl::flat_hash_map+huge_pages",
          [&](std::uint64_t& held) { return make_hash_map(set, held, &host_memory()); }, row_of);
    }
  }
}

template <class Key>
void run_cpu_range_baselines(config const& c, key_set<Key> const& set, sorted_set<Key> const& sorted,
                             range_set<Key> const& ranges, cli_context const& context, report& out) {
  // Rows are written where the expected answers are, so no baseline pays for finding the offset.
  std::vector<std::uint64_t> offsets(ranges.size() + 1);
  for (std::uint64_t i = 0; i < ranges.size(); ++i) offsets[i + 1] = offsets[i] + (ranges.end[i] - ranges.begin[i]);
  array<std::uint32_t> retrieved(c.what->lists() ? offsets.back() : 0);
  auto const address_of = [&](std::uint64_t i) {
    return retrieved.size() > 0 ? retrieved.data() + offsets[i] : nullptr;
  };
  auto const expected = [&](std::uint64_t i) {
    return aggregate(*c.what, sorted.rows, ranges.begin[i], ranges.end[i], nullptr);
  };
  auto const check_rows = [&](std::string const& name) {
    if (retrieved.size() == 0) return;
    for (std::uint64_t i = 0; i < ranges.size(); ++i)
      if (!std::equal(sorted.rows.data() + ranges.begin[i], sorted.rows.data() + ranges.end[i], address_of(i)))
        throw error(fmt::format("{}: wrong rows of range {}", name, i));
  };
  auto const run = [&](std::string const& name, auto const& answer, double build, std::uint64_t bytes) {
    progress const shown(context, name);
    for (int const threads : thread_counts(c)) {
      baseline b{name, threads, {}, ranges.size(), build, bytes};
      b.time = time_loop<std::uint64_t>(name, c, threads, ranges.size(), answer, expected);
      check_rows(name);
      out.add(b);
    }
  };

  auto const run_sorted = [&](std::string const& name, auto const& keys, auto const& rows) {
    auto const* const first = keys.data();
    run(
        name,
        [&](std::uint64_t i) {
          auto const* const begin = std::lower_bound(first, first + keys.size(), ranges.lower[i]);
          auto const* const end = std::upper_bound(begin, first + keys.size(), ranges.upper[i]);
          return aggregate(*c.what, rows, static_cast<std::uint64_t>(begin - first),
                           static_cast<std::uint64_t>(end - first), address_of(i));
        },
        0, pair_bytes(set));
  };
  run_sorted("std::lower_bound", copy_of(sorted.keys), copy_of(sorted.rows));
  run_sorted("std::lower_bound+huge_pages", sorted.keys, sorted.rows);

  if (!set.generated()) return;  // a map holds one row per key
  std::uint64_t held = 0;
  wall_clock clock;
  auto const map = make_btree(sorted, held);
  double const build = clock.stop();
  run(
      "absl::btree_map",
      [&](std::uint64_t i) {
        std::uint64_t sum = 0;
        auto* to = address_of(i);
        for (auto at = map.lower_bound(ranges.lower[i]); at != map.end() && at->first <= ranges.upper[i]; ++at) {
          sum += c.what == &lookups::range_sum ? at->second : 1;
          if (to != nullptr) *to++ = at->second;
        }
        return sum;
      },
      build, held);
}

template <class Key>
std::vector<double> run_cpu_build_baselines(config const& c, key_set<Key> const& set, cli_context const& context,
                                            report& out) {
  std::vector<double> result;
  if (c.baselines == baseline_choice::tries) return result;
  bool const all = c.baselines != baseline_choice::tree;
  if (all) {
    auto const pairs = unsorted_pairs(set);
    array<pair_of<Key>> copy(pairs.size());
    for (int const threads : c.threads) {
      progress const shown(context, "tbb::parallel_sort");
      std::vector<double> runs;
      for (int r = 0; r < c.repeat; ++r) {
        std::copy(pairs.data(), pairs.data() + pairs.size(), copy.data());
        tbb::task_arena arena(threads);
        wall_clock clock;
        arena.execute([&] { sort_pairs(copy, set.generated()); });
        runs.push_back(clock.stop());
      }
      baseline const b{"tbb::parallel_sort", threads, seconds::of(std::move(runs)),
                       set.size(),           0,       pairs.size() * sizeof(pair_of<Key>)};
      result.push_back(b.time.median);
      out.add(b);
    }
  }

  sorted_set<Key> const sorted(set);
  auto const fill = [&](std::string const& name, auto const& make) {
    progress const shown(context, name);
    std::uint64_t held = 0;
    wall_clock clock;
    auto const map = make(held);
    double const time = clock.stop();
    out.add({name, 1, {time, time, time}, set.size(), 0, held});
  };
  fill("absl::btree_map", [&](std::uint64_t& held) { return make_btree(sorted, held); });
  if constexpr (!is_string<Key>)
    if (all) fill("absl::flat_hash_map", [&](std::uint64_t& held) { return make_hash_map(set, held); });
  return result;
}

template void run_cpu_point_baselines(config const&, key_set<std::uint32_t> const&, sorted_set<std::uint32_t> const&,
                                      std::span<std::uint32_t const>, std::span<std::uint32_t const>,
                                      cli_context const&, report&);
template void run_cpu_point_baselines(config const&, key_set<std::uint64_t> const&, sorted_set<std::uint64_t> const&,
                                      std::span<std::uint64_t const>, std::span<std::uint32_t const>,
                                      cli_context const&, report&);
template void run_cpu_point_baselines(config const&, key_set<u128> const&, sorted_set<u128> const&,
                                      std::span<u128 const>, std::span<std::uint32_t const>, cli_context const&,
                                      report&);
template void run_cpu_range_baselines(config const&, key_set<std::uint32_t> const&, sorted_set<std::uint32_t> const&,
                                      range_set<std::uint32_t> const&, cli_context const&, report&);
template void run_cpu_range_baselines(config const&, key_set<std::uint64_t> const&, sorted_set<std::uint64_t> const&,
                                      range_set<std::uint64_t> const&, cli_context const&, report&);
template void run_cpu_range_baselines(config const&, key_set<u128> const&, sorted_set<u128> const&,
                                      range_set<u128> const&, cli_context const&, report&);
template std::vector<double> run_cpu_build_baselines(config const&, key_set<std::uint32_t> const&, cli_context const&,
                                                     report&);
template std::vector<double> run_cpu_build_baselines(config const&, key_set<std::uint64_t> const&, cli_context const&,
                                                     report&);
template std::vector<double> run_cpu_build_baselines(config const&, key_set<u128> const&, cli_context const&, report&);
template void run_cpu_point_baselines(config const&, key_set<std::string_view> const&,
                                      sorted_set<std::string_view> const&, std::span<std::string_view const>,
                                      std::span<std::uint32_t const>, cli_context const&, report&);
template void run_cpu_range_baselines(config const&, key_set<std::string_view> const&,
                                      sorted_set<std::string_view> const&, range_set<std::string_view> const&,
                                      cli_context const&, report&);
template std::vector<double> run_cpu_build_baselines(config const&, key_set<std::string_view> const&,
                                                     cli_context const&, report&);

}  // namespace warpdex::bench
