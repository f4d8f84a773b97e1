// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of the README, word for word, as a program that is built and run as a test.
#include <warpdex/index.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<std::uint64_t> const keys = {30, 10, 20, 10};
  std::vector<std::uint64_t> const probes = {10, 25, 30};
  std::vector<std::uint32_t> rows(probes.size());
  std::vector<std::uint64_t> const lower = {10, 21}, upper = {20, 29};
  std::vector<std::uint64_t> sums(lower.size());
  warpdex::execution const exec;  // host memory, all cores
  auto const index = warpdex::index::build("EO+KS(9)", std::span(keys), exec);
  index.find(std::span(probes), std::span(rows), exec);             // 1, no_row, 0
  index.range_sum(std::span(lower), std::span(upper), sums, exec);  // 1 + 3 + 2, 0
  for (auto const row : rows) std::printf("%d ", static_cast<int>(row));
  for (auto const sum : sums) std::printf("%d ", static_cast<int>(sum));
  bool const right = rows == std::vector<std::uint32_t>{1, warpdex::no_row<std::uint32_t>, 0} &&
                     sums == std::vector<std::uint64_t>{6, 0};
  return right ? 0 : 1;
}
