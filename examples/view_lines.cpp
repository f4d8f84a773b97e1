// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of views in docs/guide/cpp.md, line by line, as a program that is built and run as a test. A second test
// compares the two texts (document_agrees.cmake).
#include <warpdex/index.hpp>
#include <warpdex/search/eytzinger.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<std::uint32_t> const column = {30, 10, 20, 10};
  auto const index = warpdex::index::build("EO+KS(9)", std::span(column), warpdex::execution());
  std::uint32_t const key = 10, low = 15, high = 30;
  std::uint64_t sum = 0;

  using view_t = warpdex::eytzinger<9, warpdex::soa_pairs<std::uint32_t, std::uint32_t>>;
  view_t view = index.view<view_t>();            // of an EO+KS(9); pass it to a kernel by value
  std::uint32_t row = warpdex::find(view, key);  // one thread; or a lane_tile<8> as third argument
  warpdex::scan(view, low, high, [&](auto slot) { sum += view.pairs.row(slot); });
  // Views hold unsigned numbers in the order of the keys: of signed numbers, floats and dates search for encode(key).

  std::uint32_t const keys[] = {10, 10, 20, 30}, rows[] = {1, 3, 2, 0}, size = 4;
  // Over your own sorted arrays, with no index built:
  warpdex::sorted_array own(warpdex::soa_pairs<std::uint32_t, std::uint32_t>{keys, rows}, size);

  std::printf("row: %u, sum: %llu\n", row, static_cast<unsigned long long>(sum));
  return row == 1 && sum == 2 + 0 && warpdex::find(own, key) == 1 ? 0 : 1;
}
