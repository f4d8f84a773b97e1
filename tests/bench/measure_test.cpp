// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"
#include "bench/context.hpp"
#include "bench/options.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>
#include <vector>

namespace warpdex::bench {
namespace {

TEST(bench_config, lists_of_specs) {
  using list = std::vector<std::string>;
  EXPECT_EQ(split_list("AO+BS"), (list{"AO+BS"}));
  EXPECT_EQ(split_list("AO+BS, EO+KS(9)"), (list{"AO+BS", "EO+KS(9)"}));
  EXPECT_EQ(split_list("RS(bits=18,eps=32)/rows=u64,AO+BS"), (list{"RS(bits=18,eps=32)/rows=u64", "AO+BS"}));
  EXPECT_EQ(split_list("A,,B"), (list{"A", "", "B"}));
}

TEST(bench_config, threads) {
  EXPECT_EQ(parse_threads("1,2"), (std::vector<int>{1, 2}));
  std::thread([] {
    cpu_set_t first;
    ASSERT_EQ(::sched_getaffinity(0, sizeof first, &first), 0);
    EXPECT_EQ(parse_threads("0").at(0), CPU_COUNT(&first));
    for (int core = 0, held = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &first) && held++ != 0) CPU_CLR(core, &first);
    ASSERT_EQ(::sched_setaffinity(0, sizeof first, &first), 0);
    EXPECT_EQ(parse_threads("0").at(0), 1);
  }).join();
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
