// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tuning.hpp"
#include "clients/aggregates/aggregate_steps.hpp"
#include "clients/sharded/searched_index.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

/// @file
/// What belongs to the entries of an index in the order of their ranks, and how calls ask for ranges of them.
namespace warpdex {

/// Throws invalid_argument if a row has no value. @param first the number of the first row in messages
void expect_values(char const* call, aggregate_steps::has_no_value const& check, std::uint64_t size,
                   std::uint64_t first, execution const& exec);

/// The row ids of all entries, in the order of their ranks.
struct ranked_rows {
  void const* rows;
  buffer copied;  ///< of a structure that does not hold them in this order
};

ranked_rows rows_by_rank(searched_index const& of, execution const& exec);

/// @param size number of entries that are known
/// @throws as lookups of ranges; invalid_argument also for an index of another size
void expect_ranges(char const* call, searched_index const& over, probe_form form, key_ranges const& ranges,
                   std::uint64_t size);

/// Ranges of ranks that a call asks for.
struct asked_ranks {
  char const* call;
  std::span<std::uint64_t const> first;
  std::span<std::uint64_t const> last;
  backend_kind backend;
  int device;
  std::uint64_t entries;  ///< of the index
};

/// Calls work(ranks, their number, output) for parts of ranges of ranks, which are checked. Synchronises.
/// @param size elements of the output
template <class Work>
void run_ranks(asked_ranks const& request, batch_array const& out, std::uint64_t size, execution const& exec,
               Work const& work) {
  auto const& [call, first, last, kind, device, entries] = request;
  expect_size(call, "the column of last ranks", last.size(), first.size());
  expect_size(call, out.what, size, first.size());
  staging stage(call, kind, device, exec);
  if (first.empty()) return;
  auto const& backend = backend_of(kind);
  std::uint64_t done = 0;
  std::uint64_t const end = entries + 1;
  auto const column = [](std::span<std::uint64_t const> of, char const* what) {
    return batch_array{const_cast<std::uint64_t*>(of.data()), sizeof(std::uint64_t), what, true, false};
  };
  stage.run(
      first.size(), {column(first, "the column of first ranks"), column(last, "the column of last ranks"), out},
      tuning::aggregate_part,
      [&, name = call](void* const* at, std::uint64_t count) {
        for (int const bound : {0, 1})
          if (auto const bad = backend.first_not_below(static_cast<std::uint64_t const*>(at[bound]), count, end, exec))
            throw invalid_argument(std::string(name) + ": " + (bound == 0 ? "first" : "last") + " rank number " +
                                   std::to_string(done + *bad) + " is beyond the " + std::to_string(end - 1) +
                                   " entries");
        work(ranks_of_ranges{at[0], at[1], false}, count, at[2]);
        done += count;
      },
      true);
  backend.synchronize(exec);
}

/// Calls work(ranks, their number, output) for parts of ranges of keys. Synchronises.
/// @param s what answers the ranges @param size elements of the output
template <class Work>
void run_ranked(char const* call, searched_index const& s, probe_form form, key_ranges const& ranges,
                batch_array const& out, std::uint64_t size, execution const& exec, Work const& work) {
  expect_size(call, out.what, size, ranges.size());
  staging stage(call, s.shape().backend, s.shape().device, exec);
  if (ranges.size() == 0) return;
  staged_ranges const probes(form, ranges, stage);
  std::vector<batch_array> arrays = probes.columns(stage);
  std::size_t const columns = arrays.size();
  arrays.push_back(out);
  std::uint64_t done = 0;
  stage.run(ranges.size(), std::move(arrays), tuning::aggregate_part, [&](void* const* at, std::uint64_t count) {
    buffer const first(count * sizeof(std::uint64_t), exec);
    buffer const counts(count * sizeof(std::uint64_t), exec);
    s.find_ranges(probes.part(at, done), count, {counts.as<std::uint64_t>(), first.as<std::uint64_t>()}, exec);
    work(ranks_of_ranges{first.data(), counts.data(), true}, count, at[columns]);
    done += count;
  });
  backend_of(s.shape().backend).synchronize(exec);
}

}  // namespace warpdex
