// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of docs/guide/joins.md, line by line, as a program that is built and run as a test. A second test
// compares the two texts (document_agrees.cmake).
#include <warpdex/join.hpp>

#include <cstdio>
#include <utility>
#include <vector>

using namespace warpdex;

namespace {

using row_pair = std::pair<std::uint32_t, std::uint32_t>;
std::vector<row_pair> consumed;

void consume(row_column left, row_column right) {
  auto const row = [](row_column from, std::uint64_t i) { return static_cast<std::uint32_t const*>(from.data)[i]; };
  for (std::uint64_t i = 0; i < left.size; ++i) consumed.emplace_back(row(left, i), row(right, i));
}

}  // namespace

int main() {
  std::vector<std::uint32_t> const orders = {7, 3, 9, 3};  // customer of each order
  std::vector<std::uint32_t> const customers = {3, 5, 7};  // key of each customer
  index const by_customer = index::build("AO+BS", customers, execution());

  joined const all = join(by_customer, orders, join_kind::left, execution());
  // (0, 2) (1, 0) (2, none) (3, 0)

  auto const sink = [](join_batch const& batch) { consume(batch.left, batch.right); };
  std::uint64_t const pairs = join(by_customer, orders, join_kind::inner, sink, execution());

  std::vector<row_pair> const inner = {{0, 2}, {1, 0}, {3, 0}};
  bool const right = pairs == 3 && std::exchange(consumed, {}) == inner;
  consume(all.left_rows(), all.right_rows());
  std::printf("pairs: %llu\n", static_cast<unsigned long long>(all.size));
  return right && consumed == std::vector<row_pair>{{0, 2}, {1, 0}, {2, no_row<std::uint32_t>}, {3, 0}} ? 0 : 1;
}
