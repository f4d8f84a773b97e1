// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/lookup.hpp"
#include "run_bench.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr char const* small = " --index 'AO+BS,EO+KS(2)/rows=u64' --n 1000 --repeat 2 --threads 1,2 --backend cpu";

TEST(bench_run, point_has_its_fields) {
  auto const lines = run("point" + std::string(small) + " --probes 2^10 --key-type u64 --hit-rate 0.5");
  auto const indexes = of_kind(lines, "index");
  ASSERT_EQ(indexes.size(), 4u);
  auto baselines = of_kind(lines, "baseline");
  std::erase_if(baselines, [](record const& line) { return line["name"] == "JudyL"; });  // where it is installed
  ASSERT_EQ(baselines.size(), 10u);
  for (auto const* field : {"kind",
                            "name",
                            "bench",
                            "version",
                            "cpu",
                            "cores",
                            "gpu",
                            "cuda",
                            "backend",
                            "keys",
                            "uniformity",
                            "key_type",
                            "n",
                            "seed",
                            "repeat",
                            "op",
                            "probes",
                            "hit_rate",
                            "miss",
                            "zipf",
                            "order",
                            "place",
                            "threads",
                            "median_s",
                            "min_s",
                            "max_s",
                            "rate",
                            "build_s",
                            "build_prepare_s",
                            "build_sort_s",
                            "build_layout_s",
                            "build_peak_bytes",
                            "index_bytes",
                            "pair_bytes",
                            "auxiliary_bytes",
                            "scratch_bytes",
                            "rate_per_byte",
                            "resolved",
                            "row_type",
                            "ratios"})
    EXPECT_TRUE(indexes[0].contains(field)) << field;
  EXPECT_EQ(indexes[0]["name"], "AO+BS");
  EXPECT_EQ(indexes[0]["probes"], 1024);
  EXPECT_EQ(indexes[0]["threads"], 1);
  EXPECT_EQ(indexes[1]["threads"], 2);
  EXPECT_EQ(indexes[2]["row_type"], "u64");
  EXPECT_EQ(indexes[0]["index_bytes"], 12000);
  EXPECT_GE(indexes[0]["build_peak_bytes"], 12000);
  for (auto const* name :
       {"std::lower_bound@1", "std::lower_bound+huge_pages@2", "absl::btree_map@1", "absl::flat_hash_map@2"})
    EXPECT_TRUE(indexes[0]["ratios"].contains(name)) << name;
}

TEST(bench_run, every_operation_and_key_set) {
  for (auto const* op : {"find", "contains", "count", "retrieve", "lower_bound", "upper_bound", "floor", "ceil"})
    for (auto const* keys : {" --keys dense --miss out", " --copies 4", " --uniformity 50",
                             " --key-type u64 --zipf 1.1 --order sorted", " --keys wiki --key-type u64"})
      EXPECT_EQ(of_kind(run("point" + std::string(small) + " --probes 500 --hit-rate 0.7 --ops " + op + keys), "index")
                    .size(),
                4u)
          << op << keys;
  for (auto const* op : {"sum", "count", "retrieve"})
    for (auto const* keys : {"", " --keys dense --hits 5000", " --key-type u64 --hits 1 --order sorted"})
      EXPECT_EQ(of_kind(run("range" + std::string(small) + " --ranges 100 --ops " + op + keys), "index").size(), 4u)
          << op << keys;
}

TEST(bench_run, paths) {
  for (auto const* keys : {"", " --keys dense --hit-rate 0.5 --miss out", " --key-type u128", " --keys nested"})
    EXPECT_EQ(
        of_kind(run("point --index AO+BS,AO+BS/rows=u64 --n 1003 --repeat 1 --threads 1 --backend cpu --probes 500 "
                    "--ops ancestors" +
                    std::string(keys)),
                "index")
            .size(),
        2u)
        << keys;
  EXPECT_THROW(run("point --index AO+BS --n 10 --backend cpu --ops ancestors --keys wiki"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --n 10 --backend cpu --keys isbn"), usage_error);
}

TEST(bench_run, paths_by_a_loop) {
  for (auto const* keys : {"", " --keys dense --hit-rate 0.5 --miss out", " --key-type u128"}) {
    auto const lines =
        run("point --index AO+BS,GRT/layout=SoA,HT(open) --n 1003 --repeat 1 --threads 1 --backend cpu --probes 500 "
            "--ops singular_ancestors" +
            std::string(keys));
    ASSERT_EQ(lines.size(), 3u) << keys;
    for (auto const& line : lines) {
      EXPECT_EQ(line["op"], "singular_ancestors");
      // The paths of 1003 keys have up to 4 rows.
      EXPECT_GT(line["match_rate"], line["rate"]) << keys;
      EXPECT_LE(line["match_rate"], 4.001 * line["rate"].get<double>()) << keys;
    }
  }
  EXPECT_THROW(run("point --index GRT --n 10 --backend cpu --ops singular_ancestors --keys nested"), usage_error);
}

TEST(bench_run, probes_one_at_a_time) {
  for (auto const* keys : {"", " --key-type u64 --hit-rate 0.5", " --keys wiki --key-type u64"})
    EXPECT_EQ(run("point --index 'AO+BS,PGM(128)/layout=SoA,B+(16)/layout=SoA,GRT/layout=SoA,HT(open)' --n 1000 "
                  "--repeat 1 --threads 1 --backend cpu --probes 500 --ops singular --baselines none" +
                  std::string(keys))
                  .size(),
              5u)
        << keys;
  EXPECT_THROW(run("point --index EO+BS --n 10 --backend cpu --ops singular"), usage_error);
  EXPECT_THROW(run("point --index AO+PB+BS/layout=AoS --n 10 --backend cpu --ops singular"), usage_error);
}

/// Sparse ranges hold as many entries as there happen to be, dense ones their length. The nodes are those of the last
/// two levels, as all keys share the bytes before.
TEST(bench_run, ranges_of_a_length) {
  std::string const some = "range --index AO+BS --n 2^16 --ranges 1000 --repeat 1 --threads 1 --backend cpu --ops ";
  for (auto const* op : {"sum", "count", "retrieve"}) {
    auto const sparse = of_kind(run(some + op + " --length 2^24"), "index").front();
    EXPECT_EQ(sparse["length"], 1 << 24);
    EXPECT_TRUE(sparse["hits"].is_null());
    EXPECT_NEAR(sparse["entries"].get<double>(), 256e3, 10e3);
    auto const dense = of_kind(run(some + op + " --length 1000 --keys dense"), "index").front();
    EXPECT_LE(dense["entries"], 1'000'000);
    EXPECT_NEAR(dense["entries"].get<double>(), 993e3, 6e3) << "some end beyond the last key";
    EXPECT_NEAR(dense["inner_nodes"].get<double>(), 1 + 999 / 256. + 1, 0.2);
  }
  auto const last = run("range --index AO+BS --n 100 --ranges 100 --backend cpu --length 4294967295 --baselines none");
  EXPECT_GT(last.front()["entries"], 4000) << "ranges end at the last value of the type";
  EXPECT_THROW(run("range --index AO+BS --n 100 --backend cpu --length 10 --hits 10"), bad_arguments);
  EXPECT_THROW(run("range --index AO+BS --n 100 --backend cpu --length 10 --keys words"), usage_error);
}

TEST(bench_run, build_compares_with_a_sort) {
  auto const lines = run("build" + std::string(small));
  auto const indexes = of_kind(lines, "index");
  ASSERT_EQ(indexes.size(), 4u);
  EXPECT_TRUE(indexes[0]["time_to_sort"].is_number());
  EXPECT_TRUE(indexes[1]["ratios"].contains("tbb::parallel_sort@2"));
  EXPECT_EQ(of_kind(run("build" + std::string(small) + " --baselines none"), "baseline").size(), 0u);
}

TEST(bench_run, build_may_end_with_a_move) {
  auto const lines = of_kind(run("build" + std::string(small) + " --baselines none --move"), "index");
  ASSERT_EQ(lines.size(), 4u);
  for (auto const& line : lines) {
    EXPECT_GT(line["build_move_s"], 0) << line;
    EXPECT_GT(line["build_s"], line["build_move_s"]);
    EXPECT_EQ(line["move"], true);
  }
  EXPECT_FALSE(of_kind(run("build" + std::string(small)), "index")[0].contains("build_move_s"));
}

/// More boxes are tested, the more triangles have moved, and none after a rebuild.
TEST(bench_run, refitted_boxes_are_tested_more_often) {
  double before = 0;
  for (auto const* moved : {"0", "50", "5000"}) {
    auto const lines =
        run("refit --n 5000 --probes 500 --repeat 1 --threads 1,2 --backend cpu --moved " + std::string(moved));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0]["name"], "refitted boxes");
    EXPECT_EQ(lines[2]["name"], "rebuilt boxes");
    EXPECT_EQ(lines[0]["tested"], lines[1]["tested"]);
    double const refitted = lines[0]["tested"].get<double>();
    EXPECT_GT(refitted, before);
    if (before == 0) EXPECT_EQ(lines[0]["tested"], lines[2]["tested"]);
    else EXPECT_GT(refitted, lines[2]["tested"].get<double>() * 1.5);
    before = refitted;
  }
  EXPECT_EQ(run("refit --n 1 --moved 1 --probes 3 --repeat 1 --threads 1 --backend cpu").size(), 2u);
  EXPECT_THROW(run("refit --n 10 --moved 11 --backend cpu"), usage_error);
}

TEST(bench_run, no_keys_at_all) {
  for (auto const* bench : {"point", "range", "build"})
    EXPECT_EQ(
        of_kind(run(bench + std::string(" --index AO+BS --n 0 --repeat 1 --threads 1 --backend cpu")), "index").size(),
        1u);
}

TEST(bench_run, usage_errors) {
  EXPECT_THROW(run("point --index AO+BS --n 2^32"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --n ten"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --key-type f32"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --keys dense --n 100 --hit-rate 0 --baselines none --backend cpu"),
               usage_error);
  EXPECT_THROW(run("point --index AO+BS,AO+XX"), spec_error);
  EXPECT_THROW(run("point --index AO+BS --keys no_such_file"), io_error);
  EXPECT_THROW(run("point --index AO+BS --key-type u32 --keys no_such_file"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --hit-rate 1.5"), bad_arguments);
  EXPECT_THROW(run("point --index AO+BS --backend cpu --place host"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --place disk"), bad_arguments);
  EXPECT_THROW(run("point"), bad_arguments);
}

TEST(bench_run, rays_are_counted) {
  auto const lines = of_kind(run("point --index 'RX,cgRX(bucket=4),AO+BS' --scenes --keys dense --n 1000 --probes 1000 "
                                 "--repeat 1 --backend cpu --baselines none"),
                             "index");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["triangles"], 1000);
  EXPECT_EQ(lines[1]["triangles"], 250);
  for (auto const& line : {lines[0], lines[1]}) {
    EXPECT_GT(line["rays"], 0.9);
    EXPECT_LE(line["rays"], 1);
    EXPECT_EQ(line["wrong_hits"], 0);
  }
  EXPECT_FALSE(lines[2].contains("triangles"));
}

TEST(bench_run, host_arrays_are_compared_with_the_link) {
  if (devices().empty()) GTEST_SKIP() << "no device";
  for (auto const* place : {"host", "pinned"}) {
    auto const lines =
        run("point --index AO+BS --n 1000 --probes 1000 --repeat 1 --backend cuda --baselines none "
            "--ops floor --place " +
            std::string(place));
    auto const limits = of_kind(lines, "limit");
    ASSERT_EQ(limits.size(), 2u);
    EXPECT_EQ(limits[0]["name"], "host to device copy, pinned");
    EXPECT_EQ(limits[1]["name"], "host to device copy and back, pinned");
    auto const indexes = of_kind(lines, "index");
    ASSERT_EQ(indexes.size(), 1u);
    EXPECT_EQ(indexes[0]["place"], place);
    EXPECT_TRUE(indexes[0]["link_share"].is_number());
    EXPECT_TRUE(indexes[0]["two_way_link_share"].is_number());
  }
}

TEST(bench_run, times_of_host_arrays_are_predicted) {
  if (devices().empty()) GTEST_SKIP() << "no device";
  for (auto const* place : {"device", "host", "pinned"}) {
    auto const lines = of_kind(
        run("point --index PGM,AO+BS --n 1000 --probes 1000 --repeat 1 --backend cuda --baselines none --place " +
            std::string(place)),
        "index");
    ASSERT_EQ(lines.size(), 2u);
    for (auto const& line : lines) {
      EXPECT_EQ(line.contains("predicted_s"), place != std::string("device"));
      EXPECT_TRUE(!line.contains("predicted_s") || line["predicted_s"] > 0) << line;
    }
  }
}

TEST(bench_run, the_tree_may_be_the_only_baseline) {
  for (auto const* bench : {"point --probes 100", "build"}) {
    auto const lines =
        run(bench + std::string(" --index AO+BS --n 1000 --repeat 1 --threads 1 --backend cpu --baselines tree"));
    ASSERT_EQ(lines.size(), 2u) << bench;
    EXPECT_EQ(lines[0]["name"], "absl::btree_map");
    EXPECT_EQ(lines[1]["name"], "AO+BS");
    EXPECT_EQ(lines[1]["ratios"].size(), 1u);
    EXPECT_EQ(lines[1]["place"], "device");
  }
}

TEST(bench_run, what_needs_no_keys_is_checked_before_any_are_read) {
  test::folder const files;
  std::ofstream(files / "bad.bytes") << "abc";
  std::ofstream(files / "bad.offsets") << std::string(8, '\xff');
  std::string const keys = " --n 10 --backend cpu --keys " + (files / "bad.bytes").string();
  EXPECT_THROW(run("point --index AO+BS" + keys), format_error);
  EXPECT_THROW(run("point --index 'EO+KS(8)'" + keys), spec_error);
  EXPECT_THROW(run("point --index 'AO+BS,HT(open)' --ops floor" + keys), unsupported);
  EXPECT_THROW(run("point --index AO+BS --ops sum" + keys), bad_arguments);
  EXPECT_THROW(run("point --index AO+BS --place host" + keys), usage_error);
  EXPECT_THROW(run("range --index 'HT(open)'" + keys), unsupported);
  EXPECT_THROW(run("join --index 'HT(open)' --how asof --n 10 --backend cpu"), unsupported);
  if (devices().empty()) {
    EXPECT_THROW(run("point --index AO+BS --backend cuda --n 10"), device_error);
  }
}

TEST(bench_run, text_comes_in_lines_that_fit) {
  bench_context context;
  report out(context, "point", {{"cpu", std::string(60, 'c')}, {"keys", "uniform"}, {"n", 1000}});
  testing::internal::CaptureStdout();
  out.add({"std::lower_bound+huge_pages", 1, {1, 1, 1}, 1000});
  std::string const first = testing::internal::GetCapturedStdout();
  EXPECT_NE(first.find("keys uniform, n 1000\n\nstd::lower_bound+huge_pages  threads 1\n  rate 1.00 K/s"),
            std::string::npos)
      << first;
  testing::internal::CaptureStdout();
  out.add_index({{"name", "AO+BS"}, {"threads", 1}, {"rate", 2e6}, {"median_s", 0.5}, {"index_bytes", 12000}}, 2e6);
  std::string const second = testing::internal::GetCapturedStdout();
  EXPECT_EQ(second,
            "AO+BS  threads 1\n"
            "  rate 2.00 M/s           median 500 ms           bytes 12.0 KB\n"
            "  2000.00 x std::lower_bound+huge_pages\n");
  std::istringstream lines(first + second);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;

  EXPECT_EQ(out.label("a", 3), "a");
  EXPECT_TRUE(out.label("b", 3).starts_with("b (2 of 3, about 0 s left)"));
}

TEST(bench_run, wrong_answers_are_noticed) {
  std::vector<std::uint32_t> const keys = {30, 10, 20};
  std::vector<std::uint32_t> const probes = {10, 20, 30, 40};
  execution const exec;
  auto const built = warpdex::index::build("AO+BS", column(std::span(keys)), exec);
  placed<std::uint32_t> const placed_probes(probes, exec);
  point_lookup<std::uint32_t> lookup(lookups::find, built, placed_probes, exec);
  expect_wrong_answers_noticed(lookup, {1, 2, 0, missing}, keys, exec);
}

}  // namespace
}  // namespace warpdex::bench
