// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"
#include "bench/config.hpp"
#include "cli/context.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace warpdex::bench {
namespace {

TEST(bench_config, numbers) {
  constexpr auto most = ~std::uint64_t{0};
  EXPECT_EQ(parse_number("--n", "0", 0, most), 0u);
  EXPECT_EQ(parse_number("--n", "67108864", 0, most), 67108864u);
  EXPECT_EQ(parse_number("--n", "2^26", 0, most), 67108864u);
  EXPECT_EQ(parse_number("--n", "2^63", 0, most), std::uint64_t{1} << 63);
  EXPECT_EQ(parse_number("--n", "10^6", 0, most), 1000000u);
  EXPECT_EQ(parse_number("--n", "1e6", 0, most), 1000000u);
  EXPECT_EQ(parse_number("--n", "1M", 0, most), 1000000u);
  EXPECT_EQ(parse_number("--n", "64k", 0, most), 64000u);
  EXPECT_EQ(parse_number("--n", "2G", 0, most), 2000000000u);
  EXPECT_EQ(parse_number("--n", "1_000_000", 0, most), 1000000u);
  for (char const* const text : {"M", "1MM", "e6", "1e", "1.5M", "99999999999G", "1T"})
    EXPECT_THROW(parse_number("--n", text, 0, most), usage_error) << text;
  EXPECT_EQ(parse_number("--n", "7^0", 0, most), 1u);
  EXPECT_EQ(parse_number("--n", "18446744073709551615", 0, most), most);
  for (auto const* bad :
       {"", "x", "-1", "2^64", "10^20", "2^", "^2", "2^2^2", "1.5", "1 ", "2^99999999999", "18446744073709551616"})
    EXPECT_THROW(parse_number("--n", bad, 0, most), usage_error) << bad;
  EXPECT_THROW(parse_number("--n", "9", 10, 20), usage_error);
  EXPECT_THROW(parse_number("--n", "21", 10, 20), usage_error);
}

TEST(bench_config, lists_of_specs) {
  using list = std::vector<std::string>;
  EXPECT_EQ(split_list("AO+BS"), (list{"AO+BS"}));
  EXPECT_EQ(split_list("AO+BS, EO+KS(9)"), (list{"AO+BS", "EO+KS(9)"}));
  EXPECT_EQ(split_list("RS(bits=18,eps=32)/rows=u64,AO+BS"), (list{"RS(bits=18,eps=32)/rows=u64", "AO+BS"}));
  EXPECT_EQ(split_list("A,,B"), (list{"A", "", "B"}));
}

TEST(bench_config, threads) {
  EXPECT_EQ(parse_threads("1,2"), (std::vector<int>{1, 2}));
  EXPECT_GE(parse_threads("0").at(0), 1);
  EXPECT_THROW(parse_threads("1,x"), usage_error);
}

TEST(bench_measure, median_and_spread) {
  auto const odd = seconds::of({3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(seconds::of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(seconds::of({7}).median, 7);
}

TEST(bench_measure, counting_resource_counts) {
  counting_resource counter(host_memory());
  execution exec;
  exec.memory = &counter;
  buffer const kept(1000, exec);
  EXPECT_EQ(counter.held(), 1000u);
  { buffer const scratch(500, exec); }
  EXPECT_EQ(counter.held(), 1000u);
  EXPECT_EQ(counter.peak(), 1500u);
  counter.forget_peak();
  EXPECT_EQ(counter.peak(), 1000u);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) buffer const scratch(8, exec);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(counter.held(), 1000u);
  EXPECT_LE(counter.peak(), 1032u);
  EXPECT_GE(counter.peak(), 1008u);
}

}  // namespace
}  // namespace warpdex::bench
