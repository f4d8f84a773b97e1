// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "run_bench.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <warpdex/error.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

/// @file
/// `--against`: a run is compared with lines whose rates are known to be higher or lower than any that it can have.
namespace warpdex::bench {
namespace {

using test::throws;

constexpr char const* benchmark =
    "point --index AO+BS,HT(open) --n 1000 --probes 500 --repeat 1 --threads 1 --backend cpu";
constexpr double beyond = 1e6;

class against : public testing::Test {
 protected:
  /// Writes the lines of a run, changed, in the place of an earlier one. @return the arguments of a run against them
  std::string earlier(std::function<void(record&)> const& change) {
    std::ofstream file(path_);
    for (record line : lines_) {
      change(line);
      file << line.dump() << "\n";
    }
    return "--against " + path_.string() + " " + benchmark;
  }

  void multiply(record& line, char const* field, double by) {
    if (line.contains(field)) line[field] = line[field].get<double>() * by;
  }

  test::folder folder_;
  std::filesystem::path path_ = folder_ / "earlier.jsonl";
  std::vector<record> lines_ = run(benchmark);
};

TEST_F(against, lower_rates_are_kept) {
  auto const lines = of_kind(run(earlier([&](record& line) { multiply(line, "rate", 1 / beyond); })), "index");
  ASSERT_EQ(lines.size(), 2u);
  for (auto const& line : lines) EXPECT_GT(line["against"]["rate"].get<double>(), 1);
}

TEST_F(against, a_rate_that_fell_is_named) {
  auto const arguments =
      earlier([&](record& line) { multiply(line, "rate", line["name"] == "AO+BS" ? beyond : 1 / beyond); });
  EXPECT_TRUE(throws<error>([&] { run(arguments); }, "1 of 2 rates fell", "rate of AO+BS is"));
}

TEST_F(against, baselines_and_other_measurements_do_not_count) {
  EXPECT_NO_THROW(run(earlier([&](record& line) {
    multiply(line, "rate", line["kind"] == "index" ? 1 / beyond : beyond);
    line["version"] = "0.0.9";
    line["repeat"] = 7;
  })));
  for (char const* const field : {"cpu", "n", "seed", "threads", "key_type", "name", "bench"})
    EXPECT_TRUE(throws<invalid_argument>([&] { run(earlier([&](record& line) { line[field] = "another"; })); },
                                         "no line of an index of this machine"))
        << field;
}

TEST_F(against, files_that_hold_no_lines) {
  EXPECT_TRUE(throws<io_error>([&] { run(std::string("--against /nowhere/old.jsonl ") + benchmark); }, "/nowhere/old"));
  std::ofstream(path_) << "{\"kind\":\"limit\"}\n[1]\n";
  EXPECT_TRUE(throws<format_error>([&] { run("--against " + path_.string() + " " + benchmark); }, "line 2"));
}

}  // namespace
}  // namespace warpdex::bench
