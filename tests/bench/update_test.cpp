// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "run_bench.hpp"

#include "bench/context.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr char const* small = "update --n 1000 --probes 500 --backend cpu --threads 1 --repeat 2";

TEST(bench_update, waves_grow_and_shrink_the_index) {
  auto const lines = run(small + std::string(" --index 'AO+PB+KS(9),HT(open)' --waves 3"));
  auto const indexes = of_kind(lines, "index");
  ASSERT_EQ(indexes.size(), 12u);
  std::vector<int> const sizes = {1400, 1800, 2200, 1800, 1400, 1000};
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    auto const& line = indexes[i];
    EXPECT_EQ(line["name"], i < 6 ? "AO+PB+KS(9)" : "HT(open)");
    EXPECT_EQ(line["bench"], "update");
    EXPECT_EQ(line["n"], 1000);
    EXPECT_EQ(line["batch"], 400);
    EXPECT_EQ(line["waves"], 3);
    EXPECT_EQ(line["probes"], 500);
    EXPECT_EQ(line["threads"], 1);
    EXPECT_EQ(line["wave"], i % 6 + 1);
    EXPECT_EQ(line["change"], i % 6 < 3 ? "insert" : "erase");
    EXPECT_EQ(line["size"], sizes[i % 6]);
    for (auto const* field : {"median_s", "min_s", "max_s", "rate", "rebuild_s", "speedup", "lookup_s", "lookup_rate",
                              "index_bytes", "scratch_bytes", "resolved", "ratios"})
      EXPECT_TRUE(line.contains(field)) << field;
  }
  auto const baselines = of_kind(lines, "baseline");
  ASSERT_EQ(baselines.size(), 4u);
  for (auto const* name :
       {"absl::btree_map insert", "absl::btree_map erase", "absl::flat_hash_map insert", "absl::flat_hash_map erase"})
    EXPECT_TRUE(indexes[0]["ratios"].contains(std::string(name) + "@1")) << name;
}

TEST(bench_update, one_batch_of_any_size) {
  auto const lines = run(small + std::string(" --index EO+BS --key-type u64 --waves 1 --batch 2^12 --baselines none"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["size"], 5096);
  EXPECT_EQ(lines[1]["size"], 1000);
  EXPECT_EQ(lines[1]["key_type"], "u64");
}

TEST(bench_update, rows_change_and_change_back) {
  auto const lines = run(small + std::string(" --index 'GRT,HT(open)' --waves 2 --assign"));
  auto const indexes = of_kind(lines, "index");
  ASSERT_EQ(indexes.size(), 12u);
  std::vector<std::string> const changes = {"insert", "insert", "assign", "assign", "erase", "erase"};
  std::vector<int> const sizes = {1600, 2200, 2200, 2200, 1600, 1000};
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    EXPECT_EQ(indexes[i]["change"], changes[i % 6]);
    EXPECT_EQ(indexes[i]["size"], sizes[i % 6]);
    EXPECT_EQ(indexes[i]["assign"], true);
  }
  EXPECT_TRUE(indexes[0]["ratios"].contains("absl::btree_map assign@1"));
  EXPECT_TRUE(indexes[0]["ratios"].contains("absl::flat_hash_map assign@1"));
}

TEST(bench_update, refusals) {
  EXPECT_THROW(run(small + std::string(" --index AO+BS --keys keys.csv")), usage_error);
  EXPECT_THROW(run(small + std::string(" --index AO+BS --batch 2^31 --waves 2")), usage_error);
  EXPECT_THROW(run(small + std::string(" --index AO+BS --batch many")), usage_error);
}

}  // namespace
}  // namespace warpdex::bench
