// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/join.hpp>
#include <warpdex/lookups.hpp>
#include <warpdex/sharded.hpp>
#include <warpdex/spec.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::bench {

/// Whether a lookup answers the smallest row of each probe.
inline bool is_find(lookup const& what) { return what.op == search_op::find && !what.lists(); }

/// Joins of `warpdex-bench join`.
enum class join_op { inner, left, semi, anti, range, asof };

/// The order in which probes come: as drawn; sorted; descending; nearly sorted, each up to 1023 places off; or sorted,
/// but in blocks of 2^16 that are mixed up.
enum class probe_order { random, sorted, descending, near, blocks };

/// What the right side of a join is: a built index; an index over a sorted column in the backend's memory; one over a
/// sorted column in pinned host memory, for the cuda backend; or an unsorted column, of which each join builds an index
/// first.
enum class right_side { index, sorted, host, unsorted };

/// Which baselines run along.
enum class baseline_choice { all, cpu, gpu, limits, tree, tries, none };

/// @return whether the choice has baselines of point lookups and builds on a CPU
inline bool runs_on_cpu(baseline_choice c) {
  return c == baseline_choice::all || c == baseline_choice::cpu || c == baseline_choice::tree ||
         c == baseline_choice::tries;
}

/// Where probes and answers, or the keys of a build, are for the cuda backend.
enum class placement { device, host, pinned };

/// What one run measures. The defaults are those of `--help`.
struct config {
  std::vector<spec> specs;
  std::uint64_t n = std::uint64_t{1} << 20;
  std::string keys = "uniform";      ///< `uniform`, `dense`, the name of a shape (shapes.hpp, strings.hpp), or a file
  std::optional<double> uniformity;  ///< percentage of the keys drawn at random; the others are 0, 1, 2, ...
  std::uint64_t copies = 1;          ///< entries of each generated key
  std::optional<key_type> type;
  std::uint64_t seed = 1;
  std::string backend = "auto";
  std::vector<int> threads;  ///< worker threads of the CPU, never 0
  int repeat = 5;
  baseline_choice baselines = baseline_choice::all;

  std::uint64_t probes = std::uint64_t{1} << 20;  ///< probes, or ranges
  std::string probe_file;                         ///< that has the probes of a benchmark of points; empty: drawn
  double hit_rate = 1;
  bool miss_inside = true;  ///< misses are between the smallest and the largest key
  double zipf = 0;
  probe_order order = probe_order::random;
  lookup const* what = &lookups::find;  ///< a row of the table, of `range` one that takes ranges
  bool singular =
      false;  ///< `find` or `ancestors` by a loop over the index's view in place of a batch, on a GPU in a kernel
  placement place = placement::device;
  std::vector<int> devices;  ///< of a sharded index that is measured after each index; -1 for the host
  warpdex::placement placed_by = warpdex::placement::automatic;
  bool moves = false;   ///< whether an index is built on the CPU, and moved from there
  bool scenes = false;  ///< whether the rays of ray indexes are counted

  int waves = 8;            ///< number of waves of inserts, and also of erases
  std::uint64_t batch = 0;  ///< keys per wave
  bool assigns = false;     ///< whether two waves change rows

  std::uint64_t moved = 0;  ///< triangles that get other keys

  std::uint64_t hits = 64;   ///< entries in a range; of joins other than range joins, entries of each key
  std::uint64_t length = 0;  ///< values in a range, from a key on, whatever number of entries that is; 0: `hits` counts

  join_op join = join_op::inner;
  right_side right = right_side::index;
  asof_options asof;
  std::uint64_t batch_pairs = join_options{}.batch_pairs;
  std::uint64_t part_probes = join_options{}.part_probes;
};

/// Keys per wave with which all waves of inserts together grow an index 2.2 times (paper 003, section 6.5).
std::uint64_t usual_batch(config const& c) noexcept;

/// The same configuration with a column that also holds the keys of all batches, after those of the index.
config with_batches(config c);

char const* to_string(join_op op) noexcept;
char const* to_string(right_side right) noexcept;
char const* to_string(probe_order order) noexcept;
char const* to_string(asof_strategy strategy) noexcept;
char const* to_string(placement place) noexcept;

}  // namespace warpdex::bench
