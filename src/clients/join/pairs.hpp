// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>
#include <warpdex/stop.hpp>

#include <functional>
#include <optional>

#include "clients/join/join_steps.hpp"
#include "request/batches.hpp"
#include "structures/structure.hpp"

/// @file
/// The joins that hand out pairs.
namespace warpdex {

/// Finds the matches of the probes of an as-of join, and writes the row of each, or `no_row`. @return the keys of the
/// entries, if wanted; those of probes without a row mean nothing
using match_search =
    std::function<buffer(range_array const& part, std::uint64_t size, row_array rows, bool wants_keys)>;

/// How the matches of probes are found that are no ranges of an index's entries. The rows are its row ids all the same.
struct match_lister {
  /// Writes the number of matches of each probe.
  std::function<void(range_array const& part, std::uint64_t size, std::uint64_t* counts)> count;

  /// Writes the rows of probe i, but the first skipped[i] ones, to [offsets[i], offsets[i + 1]). Nothing is to be
  /// written for a probe without a match.
  std::function<void(range_array const& part, std::uint64_t const* skipped, std::uint64_t const* offsets,
                     std::uint64_t size, void* rows)>
      list;
};

/// What each probe looks for. An equality join takes keys, which are in `probes.lower` alone.
struct join_request {
  char const* call;
  join_kind kind;
  probe_form form;
  key_ranges probes;
  match_search nearest = {};  ///< of an as-of join; its probes are checked, and may be pairs of a group and a key
  match_lister const* lister = nullptr;  ///< if given, the probes are ranges that it alone understands
};

/// Lets the stop of a join end what the join calls, too.
class join_stop {
 public:
  explicit join_stop(join_options const& options) {
    if (options.stop.stop_possible()) scope_.emplace(options.stop);
  }

 private:
  std::optional<stop_scope> scope_;
};

/// @throws invalid_argument for a sink that is empty
void expect_sink(char const* call, join_sink const& sink);

/// @return all pairs of a join
joined collect_join(structure const& right, join_request const& request, execution const& exec,
                    join_options const& options);

/// Hands all pairs of a join to the sink. Synchronises.
/// @return the number of pairs
std::uint64_t run_join(structure const& right, join_request const& request, join_sink const& sink,
                       execution const& exec, join_options const& options);

/// @return the most probes of a part: so few that 64 bits count their pairs, even if each probe matches all entries
std::uint64_t most_probes_of_part(backend_kind kind, std::uint64_t entries, std::uint64_t asked);

/// @return the most pairs of a batch, whose arrays then have fewer than 2^64 bytes
constexpr std::uint64_t most_pairs_of_batch(std::uint64_t asked) {
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  return asked < most ? asked : most;
}

/// @return the narrowest type of row numbers for a column
inline row_type row_type_for(std::uint64_t size) {
  return size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
}

}  // namespace warpdex
