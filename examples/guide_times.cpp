// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// An example of docs/guide/cpp.md, line by line, as a program that is built and run as a test. A second test compares
// the two texts (document_agrees.cmake).
#include <warpdex/index.hpp>
#include <warpdex/join.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

int main() {
  using namespace std::chrono_literals;
  warpdex::execution const exec;
  using moment = std::chrono::sys_time<std::chrono::microseconds>;
  std::vector<moment> const quoted = {moment(1s), moment(3s), moment(6s)};
  std::vector<moment> const traded = {moment(2s), moment(6s), moment(500ms)};

  auto const quotes = warpdex::index::build("auto(order)", quoted, exec);
  std::vector<std::uint32_t> const before = quotes.floor(traded);  // {0, 2, no_row}: the last quote not later
  std::vector<std::uint32_t> const after = quotes.ceil(traded);    // {1, 2, 0}: the first quote not earlier

  std::vector<std::uint32_t> rows(traded.size());
  warpdex::asof_options how;
  how.tolerance = 500'000;                              // in microseconds
  warpdex::join_asof(quotes, traded, rows, exec, how);  // {no_row, 2, no_row}

  how.offsets = {0, 4'000'000};  // the quotes at each trade, and four seconds later
  std::vector<std::uint32_t> pair(2 * traded.size());
  warpdex::join_asof(quotes, traded, pair, exec, how);  // {no_row, 2, no_row, 2, no_row, no_row}

  constexpr auto none = warpdex::no_row<std::uint32_t>;
  std::printf("last quotes: %u %u\n", before[0], before[1]);
  using row_ids = std::vector<std::uint32_t>;
  return before == row_ids{0, 2, none} && after == row_ids{1, 2, 0} && rows == row_ids{none, 2, none} &&
                 pair == row_ids{none, 2, none, 2, none, none}
             ? 0
             : 1;
}
