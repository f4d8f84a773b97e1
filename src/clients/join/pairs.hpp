// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>
#include <warpdex/stop.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "clients/join/join_steps.hpp"
#include "clients/sharded/searched_index.hpp"
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

/// Pairs of a join, in arrays that may have room for more.
struct made_pairs {
  buffer left;
  buffer right;  ///< empty for semi and anti joins
  std::uint64_t size = 0;
};

/// Takes the pairs of a join, part by part, on the calling thread. The work that made them is complete.
struct pair_taker {
  virtual ~pair_taker() = default;
  virtual void take(made_pairs pairs) = 0;

  /// Called when the memory of the join is out. @return whether there is more of it now
  virtual bool make_room() { return false; }

  /// @return the most pairs to hand over at a time @param of_options that of the join's options
  virtual std::uint64_t most_at_a_time(std::uint64_t of_options) const { return of_options; }
};

/// Hands pairs to a sink, in batches.
class to_sink : public pair_taker {
 public:
  /// @param left, right types of the rows @param most pairs of a batch
  to_sink(join_sink const& sink, row_type left, row_type right, std::uint64_t most)
      : sink_(sink), left_(left), right_(right), most_(most) {}

  void take(made_pairs pairs) override {
    auto const batch = [&](buffer const& of, row_type type, std::uint64_t begin, std::uint64_t size) {
      return of.bytes() == 0 ? row_column{nullptr, 0, type}
                             : row_column{of.as<char>() + begin * size_of(type), size, type};
    };
    for (std::uint64_t begin = 0; begin < pairs.size; begin += most_) {
      stop_scope::look();
      std::uint64_t const size = std::min(most_, pairs.size - begin);
      sink_({batch(pairs.left, left_, begin, size), batch(pairs.right, right_, begin, size)});
    }
  }

 private:
  join_sink const& sink_;
  row_type left_, right_;
  std::uint64_t most_;
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
joined collect_join(searched_index const& right, join_request const& request, execution const& exec,
                    join_options const& options);

/// Hands all pairs of a join to a taker, or in batches to a sink. Synchronises.
/// @return the number of pairs
std::uint64_t run_join(searched_index const& right, join_request const& request, pair_taker& taker,
                       execution const& exec, join_options const& options);
std::uint64_t run_join(searched_index const& right, join_request const& request, join_sink const& sink,
                       execution const& exec, join_options const& options);

/// @return the most probes of a part: so few that 64 bits count their pairs, even if each probe matches all entries
std::uint64_t most_probes_of_part(backend_kind kind, std::uint64_t entries, std::uint64_t limit);

/// @return the most pairs of a batch, whose arrays then have fewer than 2^64 bytes
constexpr std::uint64_t most_pairs_of_batch(std::uint64_t limit) {
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  return limit < most ? limit : most;
}

/// @return the narrowest type of row numbers for a column
inline row_type row_type_for(std::uint64_t size) {
  return size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
}

}  // namespace warpdex
