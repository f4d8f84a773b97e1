// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/paper.hpp"
#include "bench/grouped_loads.hpp"
#include "run_bench.hpp"

#include <warpdex/index.hpp>

#include <map>
#include <set>
#include <utility>

namespace warpdex::bench {
namespace {

constexpr char const* small = " --scale 16 --repeat 1 --threads 1 --backend cpu --figure ";

/// Number of lines of each figure without baselines.
std::map<std::string, std::size_t> const sizes = {
    {"1a", 21},  {"1b", 21},  {"7", 11},   {"14a", 72}, {"14b", 72}, {"14c", 36}, {"15", 72}, {"16", 72},
    {"17a", 72}, {"17b", 90}, {"18a", 72}, {"18b", 90}, {"19", 40},  {"20", 112}, {"21", 55}, {"22", 91}};

TEST(bench_paper, every_figure_has_its_cells) {
  ASSERT_EQ(figures().size(), sizes.size());
  for (auto const& f : figures()) {
    SCOPED_TRACE(f.name);
    auto const lines = run("paper" + std::string(small) + f.name);
    ASSERT_TRUE(sizes.contains(f.name));
    EXPECT_EQ(lines.size(), sizes.at(f.name));
    std::set<std::pair<record, record>> places;
    for (auto const& line : lines) {
      for (auto const* field : {"bench", "figure", "scale", "series", "x", "name", "n", "median_s", "rate"})
        ASSERT_TRUE(line.contains(field)) << field;
      EXPECT_EQ(line["figure"], f.name);
      EXPECT_EQ(line["scale"], 16);
      EXPECT_TRUE(line["series"].is_string());
      EXPECT_TRUE(line["x"].is_string());
      EXPECT_NE(line["kind"], "baseline");
      EXPECT_TRUE(places.emplace(line["series"], line["x"]).second) << line;
    }
  }
}

TEST(bench_paper, sizes_are_those_of_the_paper) {
  for (auto const& f : figures())
    for (auto const& p : f.panels(0)) {
      std::map<panel::kind, int> const batches = {
          {panel::kind::point, 27}, {panel::kind::range, 16}, {panel::kind::build, 0}, {panel::kind::loads, 10}};
      EXPECT_EQ(p.batch, batches.at(p.what)) << f.name;
      EXPECT_TRUE(p.x.starts_with("2^") || p.keys == 28) << f.name;
      EXPECT_EQ(p.sorted, std::string(f.name) == "1b");
      EXPECT_EQ(f.panels(8).front().keys, f.panels(0).front().keys - 8) << f.name;
    }
}

TEST(bench_paper, no_cell_is_refused) {
  for (auto const& f : figures())
    for (auto const& p : f.panels(0)) {
      if (p.what == panel::kind::loads) continue;
      for (auto const& c : p.cells)
        EXPECT_NO_THROW(resolve(c.name, key_type::u32, row_type::u32, std::uint64_t{1} << p.keys, backend_kind::cuda))
            << f.name << ' ' << c.name;
    }
}

TEST(bench_paper, lines_stand_where_the_figure_has_them) {
  auto const place_of = [](std::vector<record> const& lines, std::string const& name) {
    for (auto const& line : lines)
      if (line["name"] == name) return std::pair(line["series"].get<std::string>(), line["x"]);
    ADD_FAILURE() << "no line of " << name;
    return std::pair(std::string(), record());
  };
  auto const by_layout = run("paper --baselines cpu" + std::string(small) + "14c");
  EXPECT_EQ(
      place_of(by_layout, "AO+BS/layout=AoS/schedule=static/threads=128/probes=16/pin=full/reorder=block+restore"),
      std::pair(std::string("pin=full/reorder=block+restore"), record("static/AoS")));
  EXPECT_EQ(place_of(by_layout, "std::lower_bound"), std::pair(std::string("std::lower_bound"), record()));
  auto const by_keys = run("paper --baselines cpu" + std::string(small) + "1b");
  EXPECT_EQ(place_of(by_keys, "AO+BS"), std::pair(std::string("AO+BS"), record("2^0")));
  EXPECT_EQ(place_of(by_keys, "absl::flat_hash_map"), std::pair(std::string("absl::flat_hash_map"), record("2^0")));
  EXPECT_EQ(by_keys.front()["sorted"], true);
}

TEST(bench_paper, figures_come_in_lists) {
  auto const lines = run("paper" + std::string(small) + "'1a, 7'");
  EXPECT_EQ(lines.size(), sizes.at("1a") + sizes.at("7"));
  EXPECT_EQ(find_figures({"all"}).size(), figures().size());
}

TEST(bench_paper, usage_errors) {
  for (auto const* wrong : {"23", "14", "1a,all,x", "1a,"})
    EXPECT_THROW(run("paper" + std::string(small) + wrong), usage_error) << wrong;
  EXPECT_THROW(run("paper"), CLI::ParseError);
  EXPECT_THROW(run("paper --figure 1a --scale 17"), CLI::ParseError);
  EXPECT_THROW(run("paper --figure 1a --scale -1"), CLI::ParseError);
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
