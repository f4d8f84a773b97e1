// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/aggregates/ranked_ranges.hpp"

#include <string>
#include <vector>

#include "base/tuning.hpp"
#include "request/expect.hpp"

namespace warpdex {

void expect_values(char const* call, aggregate_steps::has_no_value const& check, std::uint64_t size,
                   std::uint64_t first, execution const& exec) {
  auto const at = steps::find_first(check, size, exec);
  if (!at) return;
  std::uint64_t row = 0;
  std::size_t const width = size_of(check.rows.type);
  backend_of(exec).copy(&row, static_cast<std::byte const*>(check.rows.rows) + *at * width, width, exec);
  backend_of(exec).synchronize(exec);
  throw invalid_argument(std::string(call) + ": row id number " + std::to_string(first + *at) + " is " +
                         std::to_string(row) + ", but there are " + std::to_string(check.size) + " values");
}

ranked_rows rows_by_rank(searched_index const& of, execution const& exec) {
  if (of.whole() == nullptr) {
    buffer rows = of.rows_in_shards("rows_at", exec);
    return {rows.data(), std::move(rows)};
  }
  structure const& s = *of.whole();
  auto const held = s.entries_in_place();
  if (held && held->order.by_rank() && held->rows != nullptr) {
    s.expect_whole();
    return {held->rows, {}};
  }
  std::uint64_t const size = s.shape().size;
  auto const& backend = backend_of(s.shape().backend);
  std::vector<std::uint64_t> ends;
  for (std::uint64_t at = 0; at < size; at += tuning::aggregate_ranks) ends.push_back(at);
  ends.push_back(size);
  buffer const places(ends.size() * sizeof ends[0], exec);
  backend.copy(places.data(), ends.data(), ends.size() * sizeof ends[0], exec);
  buffer rows(size * size_of(s.shape().rows), exec);
  auto const* const at = places.as<std::uint64_t>();
  s.fill({at, at, ends.size() - 1, rows.data()}, exec);
  backend.synchronize(exec);
  return {rows.data(), std::move(rows)};
}

void expect_ranges(char const* call, searched_index const& over, probe_form form, key_ranges const& ranges,
                   std::uint64_t size) {
  expect_ordered(over.like(), call);
  expect_size(call, "the index", over.shape().size, size);
  expect_probes(over.like(), call, form, ranges);
}

}  // namespace warpdex
