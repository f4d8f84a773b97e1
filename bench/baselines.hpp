// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/cost_model.hpp"
#include "bench/data.hpp"
#include "bench/join.hpp"
#include "bench/report.hpp"

#include <warpdex/memory.hpp>

#include <cstdint>
#include <functional>
#include <span>

/// @file
/// The baselines that run along with an index. Every baseline's results are checked like the index's own.
namespace warpdex::bench {

/// Ranges, and the ranks of the entries in each: [begin, end).
template <class Key> struct range_set {
  array<Key> lower;
  array<Key> upper;
  array<std::uint32_t> begin;
  array<std::uint32_t> end;

  std::uint64_t size() const noexcept { return lower.size(); }
};

/// @return the numbers of threads that CPU baselines run with: 1, and those of `--threads`
std::vector<int> thread_counts(config const& c);

/// The limit of the CPU: reads of random cache lines from an array of `bytes` bytes in huge pages, with as many lines
/// on their way as a core can wait for.
void run_random_lines(config const& c, std::uint64_t bytes, report& out);

/// std::lower_bound over a std::vector and over the library's own memory (huge pages), absl::btree_map and
/// absl::flat_hash_map (for `contains` also absl::flat_hash_set), each with one thread and with each of `--threads`,
/// one probe after the other. A structure that cannot answer `c.point` is left out, and with `baseline_choice::tree`
/// all but the tree, with `tries` all but tries. Measured over the first 2^22 probes.
template <class Key>
void run_cpu_point_baselines(config const& c, key_set<Key> const& set, sorted_set<Key> const& sorted,
                             std::span<Key const> probes, std::span<std::uint32_t const> answers,
                             cli_context const& context, report& out);

/// The same for ranges: bounds from std::lower_bound and std::upper_bound and a loop over the rows, and a walk
/// through absl::btree_map.
template <class Key>
void run_cpu_range_baselines(config const& c, key_set<Key> const& set, sorted_set<Key> const& sorted,
                             range_set<Key> const& ranges, cli_context const& context, report& out);

/// One tbb::parallel_sort of the pairs with each of `--threads`, and filling the absl maps; with
/// `baseline_choice::tree` filling absl::btree_map alone.
/// @return the seconds of the sort, one for each of `c.threads`; empty if it did not run
template <class Key>
std::vector<double> run_cpu_build_baselines(config const& c, key_set<Key> const& set, cli_context const& context,
                                            report& out);

/// thrust::lower_bound (for `floor` and `upper_bound` thrust::upper_bound), and the limits of the device: random
/// 32-byte reads over an array of the size of the pairs, and copying.
template <class Key>
void run_gpu_point_baselines(config const& c, sorted_set<Key> const& sorted, std::span<Key const> probes,
                             execution const& exec, report& out);

/// Rates of the link, in bytes per second to the device.
struct link_rates {
  double one_way;
  double two_way;  ///< while the same number of bytes comes back
};

/// Copies `bytes` bytes, or a few more, from pinned memory to the device: alone, and while the same number of bytes
/// is copied back.
link_rates run_link_limits(config const& c, std::uint64_t bytes, execution const& exec, report& out);

/// Copies between the device and host memory as `c.place` says, pageable or pinned.
struct copy_costs {
  linear_cost to_device;
  linear_cost to_host;
};

/// Times copies of 2^12 and of 2^24 bytes with `warpdex::copy`, each with the wait for its end.
copy_costs measure_copies(config const& c, execution const& exec);

/// Both bounds of each range from thrust. That is all of `range_count`, and the beginning of the other operations.
template <class Key>
void run_gpu_range_baselines(config const& c, sorted_set<Key> const& sorted, range_set<Key> const& ranges,
                             execution const& exec, report& out);

/// cub::DeviceRadixSort of the pairs, and copying. @return the seconds of the sort
template <class Key>
double run_gpu_build_baselines(config const& c, key_set<Key> const& set, execution const& exec, report& out);

/// A loop of std::lower_bound over the sorted right side, over the first 2^22 probes; for as-of joins one
/// tbb::parallel_sort of the probes, and one of the right side if that is not sorted, and a merge of both. Each with
/// one thread and with each of `--threads`.
template <class Key>
void run_cpu_join_baselines(config const& c, std::span<Key const> right, left_side<Key> const& left,
                            std::function<pair_sum(std::uint64_t probes)> const& expected, cli_context const& context,
                            report& out);

/// The floor of all joins that read the whole right side over the link: one copy of its `bytes` bytes in pinned memory.
void run_right_copy(config const& c, void const* right, std::uint64_t bytes, execution const& exec, report& out);

}  // namespace warpdex::bench
