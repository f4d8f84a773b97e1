// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/baselines.hpp"
#include "bench/gpu.hpp"
#include "bench/parallel.hpp"
#include "bench/placed_strings.hpp"
#include "bench/strings.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

template <class Run> seconds time_runs(config const& c, execution const& exec, Run const& run) {
  auto const clock = make_timer(exec);
  run();  // the first launch of a kernel also loads it
  std::vector<double> runs;
  for (int r = 0; r < c.repeat; ++r) {
    clock->start();
    run();
    runs.push_back(clock->stop());
  }
  return seconds::of(std::move(runs));
}

/// Fails unless every position is the one that a search of the sorted keys finds.
template <class Position, class Key>
void check_positions(std::string const& name, bool upper, sorted_set<Key> const& sorted, std::span<Key const> probes,
                     result_array const& positions) {
  std::atomic<std::uint64_t> wrong = probes.size();
  parallel_chunks(probes.size(), [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto const p = positions.at<Position>(i);
      auto const before = [&](Key key) { return upper ? key <= probes[i] : key < probes[i]; };
      if (p > sorted.size() || (p > 0 && !before(sorted.keys[p - 1])) || (p < sorted.size() && before(sorted.keys[p])))
        wrong = i;
    }
  });
  if (auto const i = wrong.load(); i < probes.size())
    throw error(fmt::format("{}: wrong position {} of probe {}, {}", name, positions.at<Position>(i), i, probes[i]));
}

/// The machine's limits for `bytes` bytes of data.
void run_limits(config const& c, std::uint64_t bytes, execution const& exec, report& out) {
  constexpr std::uint64_t gathers = std::uint64_t{1} << 27;
  constexpr std::uint64_t smallest = std::uint64_t{1} << 20;
  bytes = std::max(bytes, smallest) / 32 * 32;
  buffer const data(bytes, exec), other(bytes, exec), sink(sizeof(std::uint32_t), exec);
  gpu::copy(data.data(), other.data(), bytes, exec);
  auto const gather =
      time_runs(c, exec, [&] { gpu::gather(data.data(), bytes, gathers, c.seed, sink.as<std::uint32_t>(), exec); });
  out.add({"random 32-byte reads", 0, gather, gathers, 0, bytes, true, true});
  auto const copying = time_runs(c, exec, [&] { gpu::copy(data.data(), other.data(), bytes, exec); });
  out.add({"copied bytes", 0, copying, bytes, 0, bytes, true});
}

/// Keys as thrust compares them: numbers, or references to strings.
template <class Key> class compared {
 public:
  compared(std::span<Key const> host, execution const& exec) : keys_(host, exec) {
    if constexpr (is_string<Key>) references_ = gpu::references(keys_.keys(), exec);
  }
  column keys() const {
    if constexpr (is_string<Key>) return {references_.data(), keys_.size(), key_type::bytes};
    else return keys_.keys();
  }
  std::uint64_t bytes() const noexcept { return keys_.bytes() + references_.bytes(); }

 private:
  placed<Key> keys_;
  buffer references_;
};

template <class Key>
seconds time_bounds(config const& c, bool upper, sorted_set<Key> const& sorted, compared<Key> const& keys,
                    std::span<Key const> probes, execution const& exec) {
  compared<Key> const wanted(probes, exec);
  result_array positions(probes.size(), sizeof(std::uint32_t), exec);
  positions.poison();
  auto* const to = positions.as<std::uint32_t>().data();
  auto const time = time_runs(c, exec, [&] {
    if (upper) gpu::upper_bound(keys.keys(), wanted.keys(), to, exec);
    else gpu::lower_bound(keys.keys(), wanted.keys(), to, exec);
  });
  positions.fetch();
  check_positions<std::uint32_t>(upper ? "thrust::upper_bound" : "thrust::lower_bound", upper, sorted, probes,
                                 positions);
  return time;
}

template <class Key>
void run_device_find(config const& c, gpu::device_find const& find, sorted_set<Key> const& sorted,
                     compared<Key> const& keys, std::span<Key const> probes, execution const& exec, report& out) {
  compared<Key> const wanted(probes, exec);
  result_array positions(probes.size(), sizeof(std::uint64_t), exec);
  positions.poison();
  buffer scratch;
  auto const time = time_runs(
      c, exec, [&] { find.run(keys.keys(), wanted.keys(), positions.as<std::uint64_t>().data(), scratch, exec); });
  positions.fetch();
  check_positions<std::uint64_t>(find.name(), find.upper, sorted, probes, positions);
  out.add({find.name(), 0, time, probes.size(), 0, keys.bytes()});
}

}  // namespace

link_rates run_link_limits(config const& c, std::uint64_t bytes, execution const& exec, report& out) {
  constexpr std::uint64_t smallest = std::uint64_t{1} << 26;  // fewer bytes do not reach the link's rate
  bytes = std::max(bytes, smallest);
  execution const pinned(gpu::pinned_memory());
  buffer const from(bytes, pinned), back(bytes, pinned), to(bytes, exec), other(bytes, exec);
  std::memset(from.data(), 0, bytes);
  std::memset(back.data(), 0, bytes);
  gpu::fill(other.data(), 0, bytes, exec);
  auto const copying = time_runs(c, exec, [&] { gpu::copy_to_device(to.data(), from.data(), bytes, exec); });
  out.add({"host to device copy, pinned", 0, copying, bytes, 0, bytes, true});
  gpu::two_way_copy two_way;
  auto const exchanging =
      time_runs(c, exec, [&] { two_way.run(to.data(), from.data(), back.data(), other.data(), bytes, exec); });
  out.add({"host to device copy and back, pinned", 0, exchanging, bytes, 0, bytes, true});
  return {rate_of(bytes, copying.median), rate_of(bytes, exchanging.median)};
}

copy_costs measure_copies(config const& c, execution const& exec) {
  constexpr std::uint64_t small = std::uint64_t{1} << 12;
  constexpr std::uint64_t large = std::uint64_t{1} << 24;
  buffer const host(large, c.place == placement::pinned ? execution(gpu::pinned_memory()) : execution());
  buffer const device(large, exec);
  std::memset(host.data(), 0, large);
  auto const cost = [&](void* to, void const* from) {
    auto const time = [&](std::uint64_t bytes) {
      return time_runs(c, exec, [&] { warpdex::copy(to, from, bytes, exec); }).median;
    };
    return linear_cost::through(static_cast<double>(small), time(small), static_cast<double>(large), time(large));
  };
  return {cost(device.data(), host.data()), cost(host.data(), device.data())};
}

void run_right_copy(config const& c, void const* right, std::uint64_t bytes, execution const& exec, report& out) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 28;
  buffer const to(std::min(bytes, piece), exec);
  auto const time = time_runs(c, exec, [&] {
    for (std::uint64_t at = 0; at < bytes; at += piece)
      gpu::copy_to_device(to.data(), static_cast<char const*>(right) + at, std::min(piece, bytes - at), exec);
  });
  out.add({"copy of the right side, pinned", 0, time, c.probes, 0, bytes, true, true});
}

template <class Key>
void run_gpu_point_baselines(config const& c, sorted_set<Key> const& sorted, std::span<Key const> probes,
                             execution const& exec, report& out) {
  bool const upper = c.what == &lookups::floor || c.what == &lookups::upper_bound;
  std::uint64_t key_bytes = 0;
  {
    compared<Key> const keys(sorted.keys.first(sorted.size()), exec);
    key_bytes = keys.bytes();
    auto const time = time_bounds(c, upper, sorted, keys, probes, exec);
    out.add({upper ? "thrust::upper_bound" : "thrust::lower_bound", 0, time, probes.size(), 0, key_bytes});
    if constexpr (!is_string<Key> && sizeof(Key) <= 8)
      if (gpu::device_find::present()) {
        run_device_find(c, {upper, false}, sorted, keys, probes, exec, out);
        if (c.order == probe_order::sorted) run_device_find(c, {upper, true}, sorted, keys, probes, exec, out);
      }
  }
  run_limits(c, key_bytes + sorted.size() * sizeof(std::uint32_t), exec, out);
}

template <class Key>
void run_gpu_range_baselines(config const& c, sorted_set<Key> const& sorted, range_set<Key> const& ranges,
                             execution const& exec, report& out) {
  std::uint64_t key_bytes = 0;
  {
    compared<Key> const keys(sorted.keys.first(sorted.size()), exec);
    key_bytes = keys.bytes();
    auto const lower = time_bounds(c, false, sorted, keys, ranges.lower.first(ranges.size()), exec);
    auto const upper = time_bounds(c, true, sorted, keys, ranges.upper.first(ranges.size()), exec);
    seconds const both{lower.median + upper.median, lower.min + upper.min, lower.max + upper.max};
    out.add({"thrust bounds", 0, both, ranges.size(), 0, key_bytes});
  }
  run_limits(c, key_bytes + sorted.size() * sizeof(std::uint32_t), exec, out);
}

template <class Key>
double run_gpu_build_baselines(config const& c, key_set<Key> const& set, execution const& exec, report& out) {
  auto const n = set.size();
  array<std::uint32_t> positions(n);
  parallel_chunks(n, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) positions[i] = static_cast<std::uint32_t>(i);
  });
  seconds time;
  {
    compared<Key> const keys(set.keys(), exec);
    placed<std::uint32_t> const rows(positions.first(n), exec);
    result_array sorted_keys(n, size_of(keys.keys().type), exec), sorted_rows(n, sizeof(std::uint32_t), exec);
    buffer scratch;
    auto const sort = [&] {
      gpu::sort_pairs(keys.keys(), sorted_keys.data(), rows.data(), sorted_rows.as<std::uint32_t>().data(), scratch,
                      exec);
    };
    sort();
    time = time_runs(c, exec, sort);
    sorted_keys.fetch();
    sorted_rows.fetch();
    auto const row = [&](std::uint64_t i) { return sorted_rows.at<std::uint32_t>(i); };
    // Sorted references lead to strings on the device; their rows tell which these are.
    auto const is_key = [&](std::uint64_t i) {
      if constexpr (is_string<Key>) return true;
      else return sorted_keys.at<Key>(i) == set.keys()[row(i)];
    };
    auto const is_behind = [&](std::uint64_t i) {
      auto const& before = set.keys()[row(i - 1)];
      auto const& key = set.keys()[row(i)];
      return before < key || (before == key && row(i - 1) < row(i));
    };
    std::atomic<std::uint64_t> wrong = n;
    parallel_chunks(n, [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i)
        if (row(i) >= n || !is_key(i) || (i > 0 && (row(i - 1) >= n || !is_behind(i)))) wrong = i;
    });
    char const* const name = is_string<Key> ? "thrust::stable_sort_by_key" : "cub::DeviceRadixSort";
    if (auto const i = wrong.load(); i < n) throw error(fmt::format("{}: wrong pair {} of row {}", name, i, row(i)));
    out.add({name, 0, time, n, 0,
             keys.bytes() + n * (size_of(keys.keys().type) + 2 * sizeof(std::uint32_t)) + scratch.bytes()});
  }
  run_limits(c, pair_bytes(set), exec, out);
  return time.median;
}

template void run_gpu_point_baselines(config const&, sorted_set<std::uint32_t> const&, std::span<std::uint32_t const>,
                                      execution const&, report&);
template void run_gpu_point_baselines(config const&, sorted_set<std::uint64_t> const&, std::span<std::uint64_t const>,
                                      execution const&, report&);
template void run_gpu_point_baselines(config const&, sorted_set<u128> const&, std::span<u128 const>, execution const&,
                                      report&);
template void run_gpu_range_baselines(config const&, sorted_set<std::uint32_t> const&, range_set<std::uint32_t> const&,
                                      execution const&, report&);
template void run_gpu_range_baselines(config const&, sorted_set<std::uint64_t> const&, range_set<std::uint64_t> const&,
                                      execution const&, report&);
template void run_gpu_range_baselines(config const&, sorted_set<u128> const&, range_set<u128> const&, execution const&,
                                      report&);
template double run_gpu_build_baselines(config const&, key_set<std::uint32_t> const&, execution const&, report&);
template double run_gpu_build_baselines(config const&, key_set<std::uint64_t> const&, execution const&, report&);
template double run_gpu_build_baselines(config const&, key_set<u128> const&, execution const&, report&);
template void run_gpu_point_baselines(config const&, sorted_set<std::string_view> const&,
                                      std::span<std::string_view const>, execution const&, report&);
template void run_gpu_range_baselines(config const&, sorted_set<std::string_view> const&,
                                      range_set<std::string_view> const&, execution const&, report&);
template double run_gpu_build_baselines(config const&, key_set<std::string_view> const&, execution const&, report&);

}  // namespace warpdex::bench
