// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches inside your own loop. The views of warpdex/search/ are header-only: a lookup, the test of its
// result and the sum become one loop, with no array of results in between.
//
// Views hold keys as u32 or u64 in ascending order. For signed keys, floats, dates and timestamps, pass
// encode(key) of warpdex/search/codec.hpp.
#include <warpdex/index.hpp>
#include <warpdex/search/eytzinger.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using pairs = warpdex::soa_pairs<std::uint32_t, std::uint32_t>;
constexpr auto nowhere = warpdex::no_row<std::uint64_t>;

int wrong_answers = 0;

void print_and_check(char const* what, std::uint64_t got, std::uint64_t expected) {
  std::printf("%-46s %10llu\n", what, static_cast<unsigned long long>(got));
  if (got == expected) return;
  std::printf("  but a plain loop says %llu\n", static_cast<unsigned long long>(expected));
  ++wrong_answers;
}

// (a) The view of an index that warpdex has built: parts in no order, and orders that name parts.
void over_a_built_index() {
  std::vector<std::uint32_t> part_number(5000), price(5000), ordered(20000);
  for (std::uint32_t i = 0; i < 5000; ++i) part_number[i] = i * 7919u % 5003u * 2u;  // even numbers, no two equal
  for (std::uint32_t i = 0; i < 5000; ++i) price[i] = 1 + i % 100;
  for (std::uint32_t i = 0; i < 20000; ++i) ordered[i] = i * 31u % 10007u;

  auto const index = warpdex::index::build("EO+KS(9)/layout=SoA", std::span(part_number), warpdex::execution());
  // The type says structure, layout, and widths of keys and rows; another type would throw. The view
  // points into the index and is valid while the index lives.
  auto const view = index.view<warpdex::eytzinger<9, pairs>>();

  std::uint64_t revenue = 0, expected = 0;
  for (std::uint32_t const part : ordered) {
    auto const row = warpdex::find(view, part);
    if (row != nowhere && price[row] > 50) revenue += price[row];
  }
  for (std::uint32_t const part : ordered) {
    auto const at = std::find(part_number.begin(), part_number.end(), part) - part_number.begin();
    if (at < 5000 && price[static_cast<std::size_t>(at)] > 50) expected += price[static_cast<std::size_t>(at)];
  }
  print_and_check("revenue of parts dearer than 50:", revenue, expected);

  // lower_bound returns a slot: where the entry is. Its rank is its place in key order.
  auto const slot = warpdex::lower_bound(view, 4001u);
  print_and_check("first part number from 4001 on:", view.pairs.key(slot),
                  *std::min_element(part_number.begin(), part_number.end(), [](std::uint32_t a, std::uint32_t b) {
                    return (a < 4001 ? ~0u : a) < (b < 4001 ? ~0u : b);
                  }));
  print_and_check("part numbers below it:", view.rank(slot),
                  static_cast<std::uint64_t>(
                      std::count_if(part_number.begin(), part_number.end(), [](std::uint32_t n) { return n < 4001; })));

  // scan visits the slots of a range, both bounds included: one stretch of adjacent slots per tree level.
  std::uint64_t total = 0, expected_total = 0;
  warpdex::scan(view, 1000u, 1999u, [&](auto s) { total += price[view.pairs.row(s)]; });
  for (std::size_t i = 0; i < 5000; ++i)
    if (part_number[i] >= 1000 && part_number[i] <= 1999) expected_total += price[i];
  print_and_check("prices of parts 1000 to 1999 together:", total, expected_total);
}

// (b) A view over existing sorted arrays: nothing is built or copied.
void over_arrays_of_ones_own() {
  std::vector<std::uint32_t> second(9000), reading(9000);  // three readings per second, in order of time
  for (std::uint32_t i = 0; i < 9000; ++i) second[i] = 100 + i / 3;
  std::iota(reading.begin(), reading.end(), 7u);  // the "row ids" may be any numbers that belong to the keys
  warpdex::sorted_array<pairs> const view(pairs{second.data(), reading.data()}, second.size());

  print_and_check("first reading of second 1234:", warpdex::find(view, 1234u), 7 + 3 * (1234 - 100));
  print_and_check("readings before second 1234:", warpdex::lower_bound(view, 1234u), 3 * (1234 - 100));
  print_and_check("nothing at second 99, which is no_row:", warpdex::find(view, 99u), nowhere);

  std::uint64_t largest = 0;
  warpdex::scan(view, 200u, 299u, [&](auto slot) { largest = std::max<std::uint64_t>(largest, view.pairs.row(slot)); });
  print_and_check("largest reading of seconds 200 to 299:", largest, 7 + 3 * (299 - 100) + 2);
}

}  // namespace

int main() {
  over_a_built_index();
  over_arrays_of_ones_own();
  return wrong_answers == 0 ? 0 : 1;
}
