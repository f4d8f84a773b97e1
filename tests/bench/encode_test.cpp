// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "run_bench.hpp"

#include "bench/context.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpdex::bench {
namespace {

constexpr char const* small = "encode --backend cpu --threads 1,2 --repeat 2 --n ";

TEST(bench_encode, both_ways_beside_a_copy) {
  auto const lines = run(small + std::string("3000"));
  ASSERT_EQ(of_kind(lines, "baseline").size(), 1u);
  auto const results = of_kind(lines, "index");
  ASSERT_EQ(results.size(), 4u);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& line = results[i];
    EXPECT_EQ(line["bench"], "encode");
    EXPECT_EQ(line["name"], i % 2 == 0 ? "encode" : "decode");
    EXPECT_EQ(line["threads"], i / 2 + 1);
    EXPECT_EQ(line["n"], 3000);
    // 4 bytes of day, 8 of text and an offset of 4 become 12 bytes and an offset of 8.
    EXPECT_EQ(line["moved_bytes"], 3000 * (4 + 8 + 4 + 12 + 8) + 4 + 8);
    for (auto const* field : {"median_s", "min_s", "max_s", "rate", "byte_rate", "ratios"})
      EXPECT_TRUE(line.contains(field)) << field;
  }
}

TEST(bench_encode, none_and_one) {
  for (char const* const n : {"0", "1"}) EXPECT_EQ(run(small + std::string(n) + " --baselines none").size(), 4u) << n;
}

TEST(bench_encode, refusals) { EXPECT_THROW(run(small + std::string("2^40")), usage_error); }

}  // namespace
}  // namespace warpdex::bench
