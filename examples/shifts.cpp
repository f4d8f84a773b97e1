// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of docs/guide/intervals.md, line by line, as a program that is built and run as a test. A second test
// compares the two texts (document_agrees.cmake).
#include <warpdex/intervals.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace warpdex;

int main() {
  std::vector<std::int64_t> const starts = {0, 10, 12};
  std::vector<std::int64_t> const ends = {10, 20, 14};
  intervals const shifts = intervals::build(starts, ends, execution(), closed_ends::left);

  std::vector<std::int64_t> const points = {3, 10, 13, 20};
  std::vector<std::uint64_t> const counts = shifts.count(points);  // 1 1 2 0
  matches const found = shifts.retrieve(points);                   // rows 0, 1, 1 2 and none
  std::vector<std::int64_t> const from = {9, 21}, to = {13, 25};
  joined const pairs = shifts.join({from, to}, join_kind::left, execution());  // (0, 0) (0, 1) (0, 2) (1, none)

  bool const right = counts == std::vector<std::uint64_t>{1, 1, 2, 0} && found.total == 4 && pairs.size == 4;
  std::printf("pairs: %llu\n", static_cast<unsigned long long>(pairs.size));
  return right ? 0 : 1;
}
