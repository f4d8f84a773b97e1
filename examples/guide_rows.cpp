// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// An example of docs/guide/cpp.md, line by line, as a program that is built and run as a test. A second test compares
// the two texts (document_agrees.cmake).
#include <warpdex/index.hpp>
#include <warpdex/range_aggregates.hpp>

#include <cstdio>
#include <vector>

int main() {
  warpdex::execution const exec;
  std::uint64_t spent = 0, last = 0;
  std::vector<std::uint64_t> const customer = {70, 30, 90, 30};   // of each order
  std::vector<std::uint32_t> const cents = {500, 250, 125, 999};  // of each order

  auto const orders = warpdex::index::build("auto(points)", customer, exec);
  std::vector<std::uint64_t> const query = {30, 31};

  std::vector<std::uint32_t> const first = orders.find(query);  // {1, no_row}: the first order of each
  warpdex::matches const all = orders.retrieve(query);          // every order of each
  for (auto const [probe, rows] : all.each())
    for (std::uint32_t const row : rows) spent += cents[row];
  if (auto const row = orders.find(90u)) last = cents[*row];  // a single key

  std::vector<std::uint32_t> const paid = warpdex::gather(first, cents, 0);  // {250, 0}: of the first orders, else 0

  // The values of whole ranges and keys are added up without a list of their rows.
  auto const sorted = warpdex::index::build("auto(ranges)", customer, exec);
  warpdex::range_aggregates const amounts(sorted, cents, exec);
  std::vector<std::uint64_t> const low = {0, 80}, high = {79, 99};
  auto const totals = amounts.in_ranges(sorted, {low, high});  // sums 500 + 250 + 999 and 125
  auto const per_customer = amounts.of_keys(sorted, query);    // sum, min, max, count and mean() of each

  // So are the greatest values of each range found, here up to two.
  auto const top = amounts.top_k(sorted, {low, high}, 2);
  auto const best = top.rows_of(0);          // {3, 0}
  auto const most_spent = top.values_of(0);  // {999, 500}

  std::printf("spent: %d\n", static_cast<int>(spent));
  bool const right = first == std::vector<std::uint32_t>{1, warpdex::no_row<std::uint32_t>} && spent == 250 + 999 &&
                     last == 125 && paid == std::vector<std::uint32_t>{250, 0} && totals[0].sum == 500 + 250 + 999 &&
                     totals[1].sum == 125 && per_customer[0].max == 999 && per_customer[1].count == 0 &&
                     best.size() == 2 && best[0] == 3 && most_spent[1] == 500 && top.rows_of(1).size() == 1;
  return right ? 0 : 1;
}
