// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/range_aggregates.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

/// @file
/// The lookups within groups of docs/guide/joins.md.
using namespace warpdex;

int main() {
  execution const exec;
  std::vector<std::uint32_t> const symbols = {7, 7, 9, 7};   // of each quote
  std::vector<std::int64_t> const times = {10, 20, 20, 30};  // in seconds
  std::vector<std::int64_t> const quote_sizes = {1, 2, 4, 8};
  std::vector<std::uint32_t> const trade_symbols = {7, 9, 8};  // of each trade
  std::vector<std::int64_t> const trade_times = {25, 25, 25}, from = {15, 15, 15}, to = {35, 35, 35};
  std::vector<std::uint64_t> counts(3);
  std::vector<std::uint32_t> rows(3);
  std::vector<aggregate<i128>> sums(3);

  grouped_index const quotes = grouped_index::build("AO+BS", symbols, times, exec);
  quotes.range_count(trade_symbols, {from, to}, counts, exec);            // quotes of its symbol between two times
  join_asof(quotes, trade_symbols, trade_times, row_output(rows), exec);  // the last one before each trade
  range_aggregates const sizes(quotes.entries(), quote_sizes, exec, moments::sums);
  placed_ranges const around = quotes.place_ranges(trade_symbols, {from, to}, exec);
  sizes.in_ranges(quotes.entries(), around.view(), sums, exec);  // and what their sizes add up to

  constexpr auto none = no_row<std::uint32_t>;
  bool const right = counts == std::vector<std::uint64_t>{2, 1, 0} && rows == std::vector<std::uint32_t>{1, 2, none} &&
                     sums[0].sum == 10 && sums[1].sum == 4 && sums[2].count == 0;
  std::puts(right ? "right" : "wrong");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
