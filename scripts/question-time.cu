// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions beyond lookups on a device: sums of windows, ranges within groups, intervals, networks, and text of
// addresses. Answers are checked against a scan of all rows, or against those of the host.
//
//   nvcc -O2 -std=c++20 -arch=native --extended-lambda scripts/question-time.cu -lwarpdex -o question-time
//   ./question-time [window between intervals networks text] [--scale BITS]
//
// BITS divides all sizes by a power of two. The environment's SPEC is that of networks.
#include <warpdex/grouped_index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/payload.hpp>

#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace warpdex;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

__host__ __device__ u64 mixed(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}
__host__ __device__ double unit(u64 x) { return static_cast<double>(mixed(x) >> 11) * 0x1p-53; }

/// An array on the device.
template <class T> struct array {
  buffer data;
  u64 size;

  array(u64 n, execution const& exec) : data(n * sizeof(T), exec), size(n) {}
  template <class Make> array(u64 n, execution const& exec, Make make) : array(n, exec) {
    thrust::device_ptr<T> const begin(get());
    thrust::tabulate(begin, begin + static_cast<std::ptrdiff_t>(n), make);
    cudaDeviceSynchronize();
  }
  array(std::vector<T> const& host, execution const& exec) : array(host.size(), exec) {
    copy(get(), host.data(), data.bytes(), exec);
  }

  T* get() const { return data.as<T>(); }
  std::span<T> all() const { return {get(), size}; }
  std::vector<T> first(u64 n, execution const& exec) const {
    std::vector<T> host(std::min(n, size));
    copy(host.data(), get(), host.size() * sizeof(T), exec);
    return host;
  }
};

/// @return the median milliseconds of calls that synchronise
double median_ms(std::function<void()> const& call) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times(5);
  call();
  for (double& time : times) {
    cudaDeviceSynchronize();
    auto const begin = clock::now();
    call();
    cudaDeviceSynchronize();
    time = std::chrono::duration<double, std::milli>(clock::now() - begin).count();
  }
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

void show(char const* what, double ms, double things, char const* unit, bool right = true) {
  std::printf("%-44s %9.3f ms %8.2f G%s/s%s\n", what, ms, things / ms / 1e6, unit, right ? "" : ", WRONG");
  std::fflush(stdout);
}

struct market {
  u64 size;
  u64 seed;
  u64 day = 86'400'000'000;

  /// @return microseconds, which ascend
  __host__ __device__ i64 time(u64 i) const {
    double const gap = static_cast<double>(day) / static_cast<double>(size);
    return static_cast<i64>((static_cast<double>(i) + unit(i + seed)) * gap);
  }
  /// @return one of 1000 symbols by Zipf's law with exponent 2
  __host__ __device__ u32 symbol(u64 i) const {
    return static_cast<u32>(fmin(1000.0, floor(1 / (1 - unit(i + (seed << 32))))));
  }
};

/// One block per sampled trade scans all prices.
__global__ void scan_prices(i64 const* times, u32 const* symbols, double const* bids, u64 prices, i64 const* of_trades,
                            u32 const* of_symbols, u64 step, i64 reach, double* sums, unsigned long long* counts) {
  i64 const time = of_trades[blockIdx.x * step];
  u32 const symbol = of_symbols[blockIdx.x * step];
  double sum = 0;
  unsigned long long count = 0;
  for (u64 i = threadIdx.x; i < prices; i += blockDim.x)
    if (symbols[i] == symbol && times[i] >= time - reach && times[i] <= time + reach) {
      sum += bids[i];
      ++count;
    }
  atomicAdd(&sums[blockIdx.x], sum);
  atomicAdd(&counts[blockIdx.x], count);
}

void windows(execution const& exec, int scale) {
  constexpr i64 second = 1'000'000;
  u64 const trades = u64{50'000'000} >> scale, prices = u64{150'000'000} >> scale;
  market const of_trades{trades, 1}, of_prices{prices, 2};
  array<i64> const time(trades, exec, [=] __device__(u64 i) { return of_trades.time(i); });
  array<u32> const symbol(trades, exec, [=] __device__(u64 i) { return of_trades.symbol(i); });
  array<i64> const lower(trades, exec, [=] __device__(u64 i) { return of_trades.time(i) - second; });
  array<i64> const upper(trades, exec, [=] __device__(u64 i) { return of_trades.time(i) + second; });
  array<i64> const when(prices, exec, [=] __device__(u64 i) { return of_prices.time(i); });
  array<u32> const which(prices, exec, [=] __device__(u64 i) { return of_prices.symbol(i); });
  array<double> const bid(prices, exec, [=] __device__(u64 i) { return 100 + unit(i + 77); });
  array<double> const ask(prices, exec, [=] __device__(u64 i) { return 101 + unit(i + 99); });
  array<aggregate<double>> const bids(trades, exec), asks(trades, exec);

  auto const build = [&] { return grouped_index::build("AO+BS", column(which.all()), column(when.all()), exec); };
  double const build_ms = median_ms([&] { build(); });
  show("window: index of prices", build_ms, static_cast<double>(prices), "rows");
  grouped_index const index = build();
  double const payload_ms = median_ms([&] { payload(index.entries(), bid.all(), exec); });
  show("window: payload of a column", payload_ms, static_cast<double>(prices), "rows");
  payload const of_bids(index.entries(), bid.all(), exec), of_asks(index.entries(), ask.all(), exec);
  key_ranges const ranges{column(lower.all()), column(upper.all())};
  auto const place = [&] { return index.place_ranges(column(symbol.all()), ranges, exec); };
  double const place_ms = median_ms([&] { place(); });
  show("window: places of trades", place_ms, static_cast<double>(trades), "rows");
  placed_ranges const placed = place();
  array<u64> const first(trades, exec), last(trades, exec);
  double const rank_ms = median_ms([&] {
    index.entries().lower_bound(placed.view().lower, first.all(), exec);
    index.entries().upper_bound(placed.view().upper, last.all(), exec);
  });
  show("window: ranks of trades", rank_ms, static_cast<double>(trades), "rows");
  double const sum_ms = median_ms([&] { of_bids.of_ranks(first.all(), last.all(), bids.all(), exec); });
  of_asks.of_ranks(first.all(), last.all(), asks.all(), exec);

  constexpr u64 samples = 128;
  u64 const step = trades / samples;
  array<double> const sums(std::vector<double>(samples), exec);
  array<unsigned long long> const counts(std::vector<unsigned long long>(samples), exec);
  scan_prices<<<samples, 1024>>>(when.get(), which.get(), bid.get(), prices, time.get(), symbol.get(), step, second,
                                 sums.get(), counts.get());
  auto const found = bids.first(trades, exec);
  auto const expected = sums.first(samples, exec);
  auto const numbers = counts.first(samples, exec);
  bool right = true;
  for (u64 i = 0; i < samples; ++i) {
    auto const& one = found[i * step];
    right &= one.values == numbers[i] && std::abs(one.sum - expected[i]) <= 1e-12 * std::abs(expected[i]);
  }
  show("window: sums of a column", sum_ms, static_cast<double>(trades), "rows", right);
  double const all_ms = build_ms + place_ms + rank_ms + 2 * (payload_ms + sum_ms);
  show("window: all, two columns", all_ms, static_cast<double>(trades), "rows", right);
}

void between(execution const& exec, int scale) {
  u64 const size = u64{1} << (24 - scale);
  constexpr u32 groups = 1000;
  u64 const span = size / groups * 64;  // of each group: four of 256 units
  array<u32> const group(size, exec, [=] __device__(u64 i) { return static_cast<u32>(mixed(i + 5) % groups); });
  array<i64> const key(size, exec, [=] __device__(u64 i) { return static_cast<i64>(mixed(i + 6) % span); });
  array<u32> const asked(size, exec, [=] __device__(u64 i) { return static_cast<u32>(mixed(i + 7) % groups); });
  array<i64> const lower(size, exec, [=] __device__(u64 i) { return static_cast<i64>(mixed(i + 8) % span); });
  array<i64> const upper(size, exec, [=] __device__(u64 i) { return static_cast<i64>(mixed(i + 8) % span) + 255; });
  grouped_index const index = grouped_index::build("AO+BS", column(group.all()), column(key.all()), exec);
  grouped_index const host = index.clone(execution{});
  key_ranges const ranges{column(lower.all()), column(upper.all())};
  array<u64> const counts(size, exec);
  double const count_ms = median_ms([&] { index.range_count(column(asked.all()), ranges, counts.all(), exec); });
  show("between: counts", count_ms, static_cast<double>(size), "rows");
  u64 pairs = 0;
  double const ms = median_ms([&] { pairs = index.range_retrieve(column(asked.all()), ranges, exec).total; });
  constexpr u64 checked = 1 << 16;
  auto const of = asked.first(checked, exec);
  auto const low = lower.first(checked, exec), high = upper.first(checked, exec);
  matches const expected = host.range_retrieve(column(of), {column(low), column(high)}, execution{});
  array<u32> const of_device(of, exec);
  array<i64> const low_device(low, exec), high_device(high, exec);
  matches const found =
      index.range_retrieve(column(of_device.all()), {column(low_device.all()), column(high_device.all())}, exec);
  std::vector<u32> rows(found.total);
  copy(rows.data(), found.rows.data(), found.total * sizeof(u32), exec);
  bool const right = found.total == expected.total && std::equal(rows.begin(), rows.end(), expected.rows.as<u32>());
  show("between: pairs", ms, static_cast<double>(pairs), "pairs", right);
}

void intervals_of_mixed_length(execution const& exec, int scale) {
  u64 const size = u64{1} << (24 - scale);
  u64 const span = size * 100;
  auto const start = [=] __host__ __device__(u64 i) { return static_cast<i64>(mixed(i + 11) % span); };
  auto const length = [=] __host__ __device__(u64 i) {
    if (i < 2) return static_cast<i64>(span);
    if (mixed(i + 12) % 1000 == 0) return static_cast<i64>(1000 + mixed(i + 13) % (span / 1000 - 999));
    return static_cast<i64>(pow(10.0, 1 + 2 * unit(i + 14)));
  };
  array<i64> const starts(size, exec, start);
  array<i64> const ends(size, exec, [=] __device__(u64 i) { return start(i) + length(i); });
  array<i64> const points(size, exec, [=] __device__(u64 i) { return static_cast<i64>(mixed(i + 15) % span); });
  auto const build = [&] {
    return intervals::build(column(starts.all()), column(ends.all()), exec, closed_ends::left);
  };
  show("intervals: build", median_ms([&] { build(); }), static_cast<double>(size), "rows");
  intervals const index = build();
  auto const host_starts = starts.first(size, exec), host_ends = ends.first(size, exec);
  intervals const host = intervals::build(column(host_starts), column(host_ends), execution{}, closed_ends::left);
  array<u64> const counts(size, exec);
  double const count_ms = median_ms([&] { index.count(column(points.all()), counts.all(), exec); });
  constexpr u64 checked = 1 << 16;
  auto const asked = points.first(checked, exec);
  matches const expected = host.retrieve(column(asked));
  auto const some = counts.first(checked, exec);
  bool right = true;
  for (u64 i = 0; i < some.size(); ++i) right &= some[i] == expected.rows_of(i).size();
  show("intervals: count", count_ms, static_cast<double>(size), "points", right);
  u64 pairs = 0;
  double const ms = median_ms([&] { pairs = index.retrieve(column(points.all()), exec).total; });
  array<i64> const few(asked, exec);
  matches const found = index.retrieve(column(few.all()), exec);
  std::vector<u32> rows(found.total);
  copy(rows.data(), found.rows.data(), found.total * sizeof(u32), exec);
  right = found.total == expected.total && std::equal(rows.begin(), rows.end(), expected.rows.as<u32>());
  show("intervals: rows", ms, static_cast<double>(pairs), "pairs", right);
}

/// Networks of a routing table: the upper 64 bits of IPv6, or all 32 bits of IPv4.
struct routes {
  std::vector<u128> addresses;
  std::vector<std::uint8_t> lengths;
};

routes routes_of_ipv6(u64 count) {
  constexpr std::uint8_t usual[] = {48, 48, 48, 48, 48, 44, 44, 40, 32, 36};
  routes made;
  u64 const owners = count / 12;
  for (u64 i = 0; i < count; ++i) {
    u64 const owner = i < owners ? i : mixed(i) % owners * (mixed(i + 1) % owners) / owners;
    u64 const upper = (u64{1} << 61 | mixed(owner + 21) >> 6) >> 32 << 32;
    int const length = i < owners ? 32 : usual[mixed(i + 22) % 10];
    u64 const inner = i < owners ? 0 : (mixed(i + 23) & 0xffffffff) >> (64 - length) << (64 - length);
    made.addresses.push_back(u128{upper | inner} << 64);
    made.lengths.push_back(static_cast<std::uint8_t>(length));
  }
  return made;
}

routes routes_of_ipv4(u64 count) {
  constexpr std::uint8_t usual[] = {24, 24, 24, 24, 24, 24, 23, 22, 20, 16};
  routes made;
  for (u64 i = 0; i < count; ++i) {
    int const length = usual[mixed(i + 31) % 10];
    u32 const address = static_cast<u32>(mixed(i + 32)) >> (32 - length) << (32 - length);
    made.addresses.push_back(address_of(address));
    made.lengths.push_back(static_cast<std::uint8_t>(length));
  }
  return made;
}

template <class Address>
void find_networks(char const* what, routes const& from, array<Address> const& asked, execution const& exec) {
  char const* const given = std::getenv("SPEC");
  networks const index(column(from.addresses), from.lengths, exec, host_bits::refuse, given ? given : "auto(ranges)");
  networks const host(column(from.addresses), from.lengths, execution{});
  array<u32> const rows(asked.size, exec);
  double const ms = median_ms([&] { index.find(column(asked.all()), row_output(rows.all()), exec); });
  constexpr u64 checked = 1 << 16;
  bool const right = rows.first(checked, exec) == host.find(column(asked.first(checked, exec)));
  show(what, ms, static_cast<double>(asked.size), "addresses", right);
}

void look_up_networks(execution const& exec, int scale) {
  u64 const size = u64{1} << (24 - scale);
  routes const six = routes_of_ipv6(230'000), four = routes_of_ipv4(1'000'000);
  array<u128> const anywhere(
      size, exec, [=] __device__(u64 i) { return u128{u64{1} << 61 | mixed(i + 41) >> 3} << 64 | mixed(i + 42); });
  find_networks("IPv6: anywhere", six, anywhere, exec);
  array<u128> const nets(six.addresses, exec);
  u128 const* const of = nets.get();
  u64 const known = nets.size;
  array<u128> const inside(size, exec, [=] __device__(u64 i) {
    return of[mixed(i + 43) % known] | mixed(i + 44) >> 40 | u128{mixed(i + 45) >> 48} << 64;
  });
  find_networks("IPv6: in networks", six, inside, exec);
  array<u32> const any(size, exec, [=] __device__(u64 i) { return static_cast<u32>(mixed(i + 46)); });
  find_networks("IPv4: anywhere", four, any, exec);
  array<u128> const mapped(size, exec, [=] __device__(u64 i) { return address_of(static_cast<u32>(mixed(i + 46))); });
  find_networks("IPv4 as IPv6: anywhere", four, mapped, exec);
}

void parse(char const* what, std::vector<std::string> const& texts, execution const& exec) {
  std::vector<u64> offsets(1);
  std::string all;
  for (auto const& text : texts) {
    all += text;
    offsets.push_back(all.size());
  }
  std::vector<char> const letters(all.begin(), all.end());
  array<char> const bytes(letters, exec);
  array<u64> const places(offsets, exec);
  column const strings(std::as_bytes(bytes.all()), places.all());
  array<u128> const out(texts.size(), exec);
  double const ms = median_ms([&] { parse_addresses(strings, out.all(), exec); });
  std::vector<u128> expected(texts.size());
  parse_addresses(byte_strings(texts), std::span(expected), execution{});
  show(what, ms, static_cast<double>(all.size()), "B", out.first(texts.size(), exec) == expected);
}

void parse_texts(execution const& exec, int scale) {
  u64 const size = u64{1} << (22 - scale);
  std::vector<std::string> six, four;
  char text[64];
  for (u64 i = 0; i < size; ++i) {
    u64 const a = mixed(i + 51), b = mixed(i + 52);
    auto const group = [](u64 from, int k) { return static_cast<unsigned>(from >> 16 * k & 0xffff); };
    std::snprintf(text, sizeof text, "%x:%x:%x:%x:%x:%x:%x:%x", group(a, 0), group(a, 1), group(a, 2), group(a, 3),
                  group(b, 0), group(b, 1), group(b, 2), group(b, 3));
    six.emplace_back(text);
    std::snprintf(text, sizeof text, "%u.%u.%u.%u", group(a, 0) & 255, group(a, 1) & 255, group(a, 2) & 255,
                  group(a, 3) & 255);
    four.emplace_back(text);
  }
  parse("text of IPv6", six, exec);
  parse("text of IPv4", four, exec);
}

}  // namespace

int main(int argc, char** argv) {
  int scale = 0;
  std::vector<std::string_view> asked;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--scale" && i + 1 < argc) scale = std::atoi(argv[++i]);
    else asked.emplace_back(argv[i]);
  auto const wants = [&](char const* what) {
    return asked.empty() || std::find(asked.begin(), asked.end(), what) != asked.end();
  };
  execution const exec(device_memory());
  if (wants("window")) windows(exec, scale);
  if (wants("between")) between(exec, scale);
  if (wants("intervals")) intervals_of_mixed_length(exec, scale);
  if (wants("networks")) look_up_networks(exec, scale);
  if (wants("text")) parse_texts(exec, scale);
}
