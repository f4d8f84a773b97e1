// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/grouped_loads.hpp"
#include "bench/line_reads.hpp"
#include "run_bench.hpp"

namespace warpdex::bench {
namespace {

TEST(bench_loads, has_a_line_for_each_group) {
  auto const lines = run("loads --n 2^10 --probes 4 --repeat 1 --threads 1 --backend cpu");
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(lines.front()["name"], "loads by groups of 1");
  EXPECT_EQ(lines.back()["name"], "loads by groups of 1024");
  for (auto const& line : lines) {
    EXPECT_EQ(line["bench"], "loads");
    EXPECT_EQ(line["kind"], "limit");
    EXPECT_EQ(line["work"], 4 << 16);
  }
}

TEST(bench_calls, each_number_of_threads) {
  auto const lines = run("calls --index 'AO+BS,HT(open)' --n 1000 --probes 16 --repeat 1 --threads 1,3 --backend cpu");
  ASSERT_EQ(lines.size(), 4u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["name"], i < 2 ? "AO+BS" : "HT(open)");
    EXPECT_EQ(lines[i]["threads"], i % 2 == 0 ? 1 : 3);
    EXPECT_EQ(lines[i]["probes"], 16);
    EXPECT_GT(lines[i]["host_s"], 0);
    EXPECT_GT(lines[i]["rate"], 0);
  }
}

TEST(bench_lines, random_and_ascending_ones) {
  for (auto const* size : {"1", "2^10", "2^16"}) {
    auto const lines = run(std::string("lines --probes 1000 --repeat 1 --threads 1 --backend cpu --n ") + size);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["name"], "random lines");
    EXPECT_EQ(lines[1]["name"], "ascending lines");
    for (auto const& line : lines) {
      EXPECT_EQ(line["kind"], "limit");
      EXPECT_EQ(line["work"], 1000);
    }
  }
  EXPECT_THROW(run("lines --n 10 --probes 10 --backend cpu --place host"), usage_error);
}

TEST(bench_lines, ascending_reads_are_of_equal_parts) {
  for (std::uint64_t const lines : {1, 7, 99, 100, 1000, 1037}) {
    line_reads const random{lines, 100, 5}, ascending{lines, 100, 5, true};
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      EXPECT_LT(random.place(i), lines);
      auto const position = ascending.place(i);
      EXPECT_GE(position, i * lines / 100);
      EXPECT_LT(position, i * lines / 100 + std::max<std::uint64_t>(1, lines / 100));
      EXPECT_LT(position, lines);
      EXPECT_GE(position, last);
      last = position;
    }
  }
}

/// Scenes are counted: RX has a triangle per key, larger buckets have fewer, and no hit is wrong.
TEST(bench_scenes, rays_are_counted) {
  auto const lines =
      run("point --index 'RX,cgRX(bucket=16)/reorder=none' --n 1000 --probes 100 --scenes --repeat 1 "
          "--threads 1 --backend cpu --baselines none");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["triangles"], 1000);
  EXPECT_LT(lines[1]["triangles"].get<int>(), 1000);
  for (auto const& line : lines) {
    EXPECT_LE(line["rays"].get<double>(), 5);
    EXPECT_EQ(line["wrong_hits"], 0);
  }
}

TEST(bench_run, baselines_alone) {
  auto const lines =
      run("point --index none --n 100 --probes 100 --repeat 1 --threads 1 --backend cpu --baselines tree");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["name"], "absl::btree_map");
}

TEST(bench_loads, threads_of_a_group_read_neighbours) {
  constexpr std::uint64_t size = 1000, steps = 50;
  auto const position = [](std::uint64_t i) { return static_cast<std::uint32_t>(i); };
  for (int const bits : {0, 1, 5}) {
    grouped_loads const loads{size, steps, bits, 7};
    for (std::uint64_t group = 0; group < 4; ++group) {
      auto const first = loads.sum(group << bits, position);
      for (std::uint64_t lane = 0; lane < loads.group_size(); ++lane)
        EXPECT_EQ(loads.sum((group << bits) + lane, position), first + lane * steps);
    }
    EXPECT_NE(loads.sum(0, position), loads.sum(std::uint64_t{1} << bits, position)) << "groups read elsewhere";
  }
  grouped_loads const whole{32, steps, 5, 7};
  EXPECT_EQ(whole.sum(31, position), 31 * steps) << "one place is all there is";
}

}  // namespace
}  // namespace warpdex::bench
