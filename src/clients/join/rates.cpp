// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/join.hpp>
#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <limits>

#include "base/api_border.hpp"
#include "base/stopwatch.hpp"

namespace warpdex {
namespace {

using u64 = std::uint64_t;

/// Keys of the builds and joins, and of the index over host memory. The line that a search reads of the latter is
/// rarely the line of another, and the device's cache holds few of them.
struct trial_sizes {
  u64 keys;
  u64 remote_keys;
  u64 remote_probes;
};
constexpr trial_sizes on_cpu{u64{1} << 20, 0, 0};
constexpr trial_sizes on_device{u64{1} << 24, u64{1} << 25, u64{1} << 21};

/// The least time of three runs, after one that takes memory from pools.
template <class Run> double seconds_of(Run const& run) {
  double least = std::numeric_limits<double>::infinity();
  run();
  for (int i = 0; i < 3; ++i) {
    stopwatch clock;
    run();
    least = std::min(least, clock.lap());
  }
  return least;
}

double billions(u64 count) { return static_cast<double>(count) / 1e9; }

/// Random keys, each of which comes `copies` times.
buffer random_keys(u64 size, u64 copies, execution const& exec) {
  constexpr u64 seed = 17;
  buffer keys(size * sizeof(u64), execution(host_memory()));
  for (u64 i = 0; i < size; ++i) keys.as<u64>()[i] = mix(i / copies, seed);
  buffer placed(keys.bytes(), exec);
  copy(placed.data(), keys.data(), keys.bytes(), exec);
  return placed;
}

column column_of(buffer const& keys) { return {keys.data(), keys.bytes() / sizeof(u64), key_type::u64}; }

double seconds_of_join(index const& right, column probes, execution const& exec) {
  return seconds_of([&] {
    join(
        right, probes, join_kind::inner, [](join_batch const&) {}, exec);
  });
}

/// @return the rate of a merge of as many values on both sides
double rate_of_merge(u64 size, execution const& exec) {
  buffer const sorted(size * sizeof(u64), execution(host_memory()));
  for (u64 i = 0; i < size; ++i) sorted.as<u64>()[i] = i * (std::numeric_limits<u64>::max() / size);
  buffer const left(sorted.bytes(), exec), right(sorted.bytes(), exec);
  copy(left.data(), sorted.data(), sorted.bytes(), exec);
  copy(right.data(), sorted.data(), sorted.bytes(), exec);
  return billions(2 * size) / seconds_of([&] {
           merge_join(
               column_of(left), column_of(right), join_kind::inner, [](join_batch const&) {}, exec);
         });
}

/// Rates of the link: of copies, and of lines of 128 bytes that probes read in windows.
void measure_link(join_rates& rates, execution const& exec) {
  constexpr auto sizes = on_device;
  buffer const sorted(sizes.remote_keys * sizeof(u64), execution(pinned_memory()));
  constexpr u64 step = std::numeric_limits<u64>::max() / sizes.remote_keys;
  for (u64 i = 0; i < sizes.remote_keys; ++i) sorted.as<u64>()[i] = i * step;
  buffer const copied(sorted.bytes(), exec);
  rates.bytes =
      billions(sorted.bytes()) / seconds_of([&] { copy(copied.data(), sorted.data(), sorted.bytes(), exec); });
  buffer const probes = random_keys(sizes.remote_probes, 1, exec);
  auto const right = index::over_sorted("AO+PB+KS(17)/reorder=window", column_of(sorted), exec);
  double const searched = seconds_of([&] {
    join(
        right, column_of(probes), join_kind::inner, [](join_batch const&) {}, exec);
  });
  double const partitioned = billions(sizes.remote_probes) / rates.probed_ordered;
  rates.lines = billions(sizes.remote_probes) / std::max(searched - partitioned, searched / 2);
}

}  // namespace

join_rates measured_rates(execution const& exec) {
  return run_call("measured_rates", exec, [&] {
    bool const gpu = exec.memory->backend() == backend_kind::cuda;
    u64 const n = (gpu ? on_device : on_cpu).keys;
    join_rates rates;
    buffer const once = random_keys(n, 1, exec);
    auto const rate_of_build = [&](char const* spec) {
      return billions(n) / seconds_of([&] { index::build(spec, column_of(once), exec); });
    };
    rates.built_ordered = rate_of_build("auto(ranges)");
    rates.built_hashed = rate_of_build("HT(open)");
    auto const ordered = index::build("auto(ranges)", column_of(once), exec);
    rates.probed_ordered = billions(n) / seconds_of_join(ordered, column_of(once), exec);
    auto const hashed = index::build("HT(open)", column_of(once), exec);
    double const found = seconds_of_join(hashed, column_of(once), exec);
    rates.probed_hashed = billions(n) / found;

    constexpr u64 copies = 8;
    buffer const often = random_keys(n, copies, exec);
    auto const repeating = index::build("HT(open)", column_of(often), exec);
    buffer const few(n / copies * sizeof(u64), exec);
    copy(few.data(), once.data(), few.bytes(), exec);
    double const paired = seconds_of_join(repeating, column_of(few), exec);
    rates.pairs = billions(n) / std::max(paired - found / copies, paired / 2);

    rates.merged = rate_of_merge(n, exec);

    if (gpu) {
      measure_link(rates, exec);
    } else {
      buffer const copied(once.bytes(), exec);
      rates.bytes = billions(once.bytes()) / seconds_of([&] { copy(copied.data(), once.data(), once.bytes(), exec); });
      rates.lines = rates.probed_ordered;  // all memory is the host's
    }
    return rates;
  });
}

}  // namespace warpdex
