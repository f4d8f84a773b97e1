// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of the README, line by line, as a program that is built and run as a test. A second test
// compares the two texts (document_agrees.cmake).
#include <warpdex/index.hpp>

#include <cstdio>
#include <filesystem>
#include <vector>

int main() {
  std::vector<std::uint32_t> keys = {30, 10, 20, 10}, probes = {10, 25}, lower = {10}, upper = {20}, rows(2);
  std::vector<std::uint64_t> sums(1);
  warpdex::execution exec;  // host memory, all cores
  auto index = warpdex::index::build("auto", keys, exec);
  index.find(probes, rows, exec);               // {1, no_row}: smallest row of each key
  index.range_sum({lower, upper}, sums, exec);  // {1 + 3 + 2}
  index.save("ten_to_thirty.wdx");              // checked, mappable, portable to the GPU

  std::printf("rows: %u %u, sum: %llu\n", rows[0], rows[1], static_cast<unsigned long long>(sums[0]));
  bool const right = rows == std::vector<std::uint32_t>{1, warpdex::no_row<std::uint32_t>} &&
                     sums == std::vector<std::uint64_t>{1 + 3 + 2} &&
                     warpdex::index::load("ten_to_thirty.wdx", exec).size() == keys.size();
  std::filesystem::remove("ten_to_thirty.wdx");
  return right ? 0 : 1;
}
