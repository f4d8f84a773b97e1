// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Joins trades with prices as of their time: which price of its symbol was the last one when a trade took place?
//
//   join_trades [TRADES [PRICES [SYMBOLS]]]
//
// Both are made from a seed. Prices are in the order of their times, as a feed delivers them. Trades are in any order,
// as in a table of a database. A few symbols have most of both. The index answers all trades in one call, on the CPU
// and on a GPU if there is one. Every answer is compared with that of the plain way: sort the trades by time, and
// merge.
#include <warpdex/join.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr auto none = warpdex::no_row<std::uint32_t>;

/// A day of events.
struct events {
  std::vector<std::uint32_t> symbol;
  std::vector<warpdex::timestamp> time;
};

// Equal seeds give equal events. Some have equal times.
events make_events(std::size_t count, std::uint32_t symbols, std::uint64_t seed, bool in_order) {
  constexpr std::int64_t opening = 1'767'603'600'000'000;  // a Monday in January, 9:00
  constexpr std::uint64_t day = 8ull * 60 * 60 * 1'000'000;
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> moments(count);
  for (auto& moment : moments) moment = random() % day;
  if (in_order) std::sort(moments.begin(), moments.end());
  events result;
  for (std::uint64_t const moment : moments) {
    result.time.push_back({opening + static_cast<std::int64_t>(moment)});
    double const part = static_cast<double>(random() >> 11) * 0x1p-53;
    result.symbol.push_back(static_cast<std::uint32_t>(part * part * part * symbols));
  }
  return result;
}

struct timed_row {
  std::int64_t time;
  std::uint32_t row;
};

// The rows of events in the order of their times.
std::vector<timed_row> sort_by_time(events const& all) {
  std::vector<timed_row> sorted(all.time.size());
  for (std::uint32_t row = 0; row < sorted.size(); ++row) sorted[row] = {all.time[row].microseconds, row};
  std::sort(sorted.begin(), sorted.end(), [](timed_row const& a, timed_row const& b) { return a.time < b.time; });
  return sorted;
}

// The row of the last price of each trade's symbol that is not after the trade. Of prices at one time the first counts.
void merge(events const& trades, std::vector<timed_row> const& order, events const& prices, std::uint32_t symbols,
           std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> last(symbols, none);
  std::uint32_t next = 0;
  for (auto const [now, trade] : order) {
    for (; next < prices.time.size() && prices.time[next].microseconds <= now; ++next) {
      std::uint32_t& row = last[prices.symbol[next]];
      if (row == none || prices.time[row].microseconds != prices.time[next].microseconds) row = next;
    }
    rows[trade] = last[trades.symbol[trade]];
  }
}

// Median seconds of three runs.
template <class Work> double seconds_of(Work const& work) {
  double seconds[3];
  for (double& s : seconds) {
    auto const start = std::chrono::steady_clock::now();
    work();
    s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds, seconds + 3);
  return seconds[1];
}

void print_rate(char const* what, std::size_t rows, double seconds) {
  std::printf("  %-42s %8.3f s  %9.2f million rows/s\n", what, seconds, static_cast<double>(rows) / seconds / 1e6);
}

void expect_equal(std::vector<std::uint32_t> const& rows, std::vector<std::uint32_t> const& expected,
                  char const* where) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != expected[i])
      throw std::runtime_error(std::string("the join on the ") + where + " and the plain way disagree at trade " +
                               std::to_string(i));
  }
}

// Builds the index where `exec` says, and joins. Trades and rows are on the host.
void join(events const& trades, events const& prices, warpdex::execution const& exec, char const* where,
          std::vector<std::uint32_t> const& expected) {
  auto const build = [&] {
    return warpdex::grouped_index::build("AO+BS", std::span(prices.symbol), std::span(prices.time), exec);
  };
  double const build_seconds = seconds_of(build);
  auto const index = build();
  std::vector<std::uint32_t> rows(expected.size(), 0);
  double const seconds = seconds_of(
      [&] { warpdex::join_asof(index, std::span(trades.symbol), std::span(trades.time), std::span(rows), exec); });
  expect_equal(rows, expected, where);
  std::printf("%s\n", where);
  print_rate("index over the prices", prices.time.size(), build_seconds);
  print_rate("join, arrays on the host", rows.size(), seconds);
  if (exec.memory->backend() == warpdex::backend_kind::cpu) return;

  // The same with trades and rows in the memory of the device, where a query would have left them.
  warpdex::buffer const symbol(trades.symbol.size() * sizeof(std::uint32_t), exec);
  warpdex::buffer const time(trades.time.size() * sizeof(warpdex::timestamp), exec);
  warpdex::buffer const out(rows.size() * sizeof(std::uint32_t), exec);
  warpdex::copy(symbol.data(), trades.symbol.data(), symbol.bytes(), exec);
  warpdex::copy(time.data(), trades.time.data(), time.bytes(), exec);
  warpdex::column const symbols(symbol.data(), rows.size(), warpdex::key_type::u32);
  warpdex::column const times(time.data(), rows.size(), warpdex::key_type::timestamp);
  warpdex::row_output const found(out.data(), rows.size(), warpdex::row_type::u32);
  double const device_seconds = seconds_of([&] { warpdex::join_asof(index, symbols, times, found, exec); });
  std::fill(rows.begin(), rows.end(), 0);
  warpdex::copy(rows.data(), out.data(), out.bytes(), exec);
  expect_equal(rows, expected, where);
  print_rate("join, arrays on the device", rows.size(), device_seconds);
}

int run(std::size_t trade_count, std::size_t price_count, std::uint32_t symbols) {
  if (symbols == 0) throw std::runtime_error("there are no symbols");
  events const trades = make_events(trade_count, symbols, 2026, false);
  events const prices = make_events(price_count, symbols, 2027, true);
  std::vector<std::uint32_t> expected(trade_count);
  std::vector<timed_row> order;
  double const sort_seconds = seconds_of([&] { order = sort_by_time(trades); });
  double const merge_seconds = seconds_of([&] { merge(trades, order, prices, symbols, expected); });
  auto const early = std::count(expected.begin(), expected.end(), none);
  std::printf("%zu trades, %zu prices, %u symbols; %lld trades before the first price of their symbol\n\n", trade_count,
              price_count, symbols, static_cast<long long>(early));

  join(trades, prices, warpdex::execution(warpdex::host_memory(), {}, 1), "CPU, one thread", expected);
  join(trades, prices, warpdex::execution(), "CPU, all threads", expected);
  auto const gpus = warpdex::devices();
  if (!gpus.empty()) join(trades, prices, warpdex::execution(warpdex::device_memory()), gpus[0].name.c_str(), expected);
  std::printf("the plain way, one thread\n");
  print_rate("sort of the trades by time, and merge", trade_count, sort_seconds + merge_seconds);
  print_rate("merge alone, of trades that are sorted", trade_count, merge_seconds);
  std::printf("\nEach time is the median of 3 runs. Every row equals that of the plain way.\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto const argument = [&](int i, char const* otherwise) { return std::stoull(argc > i ? argv[i] : otherwise); };
  try {
    return run(argument(1, "10000000"), argument(2, "1000000"), static_cast<std::uint32_t>(argument(3, "500")));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "join_trades: %s\n", e.what());
    return 1;
  }
}
