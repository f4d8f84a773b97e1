// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of joins in docs/guide/cpp.md, line by line, as a program that is built and run as a test. A second test
// compares the two texts (document_agrees.cmake).
#include <warpdex/join.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  std::vector<std::uint32_t> orders = {7, 3, 9, 3}, ids = {3, 5, 7}, rows(4);
  warpdex::execution exec;
  auto customers = warpdex::index::build("AO+BS", ids, exec);
  auto pairs = warpdex::join(customers, orders, warpdex::join_kind::left, exec);  // 0-2 1-0 2-none 3-0
  warpdex::join_asof(customers, orders, rows, exec);                              // {2, 0, 2, 0}: the nearest not above

  constexpr auto none = warpdex::no_row<std::uint32_t>;
  std::uint32_t const left[] = {0, 1, 2, 3}, right[] = {2, 0, none, 0};
  bool const agree = pairs.size == 4 && std::memcmp(pairs.left.data(), left, sizeof left) == 0 &&
                     std::memcmp(pairs.right.data(), right, sizeof right) == 0 &&
                     rows == std::vector<std::uint32_t>{2, 0, 2, 0};
  std::printf("pairs: %llu\n", static_cast<unsigned long long>(pairs.size));
  return agree ? 0 : 1;
}
