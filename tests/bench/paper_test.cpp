// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/paper.hpp"
#include "bench/contenders.hpp"
#include "bench/grouped_loads.hpp"
#include "run_bench.hpp"

#include <warpdex/index.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace warpdex::bench {
namespace {

constexpr char const* small = " --scale 16 --repeat 1 --threads 1 --backend cpu --figure ";

/// Number of contenders in a figure that compares structures.
std::size_t compared(std::string_view figure, key_type keys = key_type::u32) { return cells_of(figure, keys).size(); }

/// Number of contenders of figure 6b of paper 004.
std::size_t beside_k_ary() {
  auto const cells = cells_of("004/3");
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [](cell const& c) {
    return c.name.starts_with("GRT") || c.name.starts_with("AO+PB+KS");
  }));
}

/// Number of fan-outs that a group of lanes can search.
std::size_t grouped_fanouts() {
  for (auto const& info : structures())
    if (!info.fanouts.empty()) return info.fanouts.size() - 1;
  return 0;
}

/// Number of lines of figures 4 and 5 of paper 001: five batches, one of which is not for CPUs.
std::size_t lines_by_batch() { return 5 * 2 * compared("001/5") + 4 * compared("001/4"); }

/// Number of lines of each figure without baselines, by paper.
std::map<std::string, std::map<std::string, std::size_t>> const sizes = {
    {"000",
     {{"1a", 7 * compared("000/1")},
      {"1b", 7 * compared("000/1")},
      {"7", 11},
      {"14a", 72},
      {"14b", 72},
      {"14c", 36},
      {"15", 72},
      {"16", 72},
      {"17a", 72},
      {"17b", 18 * grouped_fanouts()},
      {"18a", 72},
      {"18b", 18 * grouped_fanouts()},
      {"19", 40},
      {"20", 7 * compared("000/20")},
      {"21", 5 * compared("000/21")},
      {"22", 7 * compared("000/22")}}},
    {"001",
     {{"II", 4 * (compared("001/II") + compared("001/4") + 1)},
      {"gaps", lines_by_batch()},
      {"wiki", lines_by_batch()},
      {"outlier", lines_by_batch()},
      {"osm", lines_by_batch()},
      {"eps", 4 * 8},
      {"model", 2 * 12}}},
    {"002", {{"3", 8 * 6}, {"5", 8 * 6}, {"7", 9 * 4}, {"8", 8 * 4}, {"9", 8 * 2}}},
    {"003",
     {{"rays", 9 * 4},
      {"8a", 6 * 8},
      {"8b", 6 * 8},
      {"t1", 3 * (4 + 3)},
      {"10a", 3 * 19},
      {"10b", 3 * 19},
      {"11", 6 * compared("003/11")},
      {"11u64", 6 * compared("003/11")},
      {"12", 6 * compared("003/12")},
      {"13", 7 * compared("003/11")},
      {"14", 9 * compared("003/11")},
      {"15", 16 * compared("003/15")}}},
    {"004",
     {{"2a", 5 * 3 * compared("004/3")},
      {"2b", 5 * 3 * compared("004/3")},
      {"3a", 5 * 2 * compared("004/3")},
      {"3dense", 5 * 2 * compared("004/3")},
      {"3b", 5 * 2 * 2},
      {"3c", 2 * compared("004/3")},
      {"4", 2 * (compared("004/3") + compared("004/3", key_type::u128) + 3 * compared("004/3", key_type::bytes))},
      {"5", 2 * 4 * compared("004/5")},
      {"F", 18 * compared("004/5")},
      {"6a", 4 * 2 * 2},
      {"6b", 2 * 3 * beside_k_ary()},
      {"6c", 2 * 2 * compared("004/3")}}}};

/// Whether a line is one of a tracer that need not be there.
bool may_be_absent(record const& line) {
  auto const name = line["name"].get<std::string>();
  return name.ends_with("/tracer=vulkan") || name.ends_with("/tracer=embree");
}

TEST(bench_paper, every_figure_has_its_cells) {
  for (std::string const paper : papers) {
    ASSERT_EQ(figures(paper).size(), sizes.at(paper).size());
    for (auto const& f : figures(paper)) {
      SCOPED_TRACE(paper + " " + f.name);
      auto lines = run("paper --paper " + paper + small + f.name);
      std::erase_if(lines, [](record const& line) {
        return line["name"] == "absl::btree_map" || line["name"] == "JudyL" || may_be_absent(line);
      });
      if (f.name == std::string_view("rays") && lines.empty()) continue;  // no Vulkan
      ASSERT_TRUE(sizes.at(paper).contains(f.name));
      EXPECT_EQ(lines.size(), sizes.at(paper).at(f.name));
      EXPECT_GE(lines.size(), 11u);
      std::set<std::pair<record, record>> places;
      for (auto const& line : lines) {
        for (auto const* field : {"bench", "paper", "figure", "scale", "series", "x", "name", "n", "median_s", "rate"})
          ASSERT_TRUE(line.contains(field)) << field;
        EXPECT_EQ(line["paper"], paper);
        EXPECT_EQ(line["figure"], f.name);
        EXPECT_EQ(line["scale"], 16);
        EXPECT_TRUE(line["series"].is_string());
        EXPECT_TRUE(line["x"].is_string());
        EXPECT_NE(line["kind"], "baseline");
        EXPECT_TRUE(places.emplace(line["series"], line["x"]).second) << line;
      }
    }
  }
}

/// Scenes are counted: RX has a triangle per key, larger buckets have fewer, and no hit is wrong.
TEST(bench_paper, rays_are_counted) {
  std::size_t counted = 0;
  for (auto const& line : run("paper --paper 003" + std::string(small) + "10b")) {
    if (!line.contains("triangles")) continue;
    ++counted;
    auto const triangles = line["triangles"].get<std::uint64_t>();
    EXPECT_GT(triangles, 0u);
    if (line["x"] == "2^0") {
      EXPECT_EQ(triangles, line["n"].get<std::uint64_t>());
    }
    EXPECT_LE(line["rays"].get<double>(), 5);
    EXPECT_EQ(line["wrong_hits"], 0);
  }
  EXPECT_GE(counted, 3 * 19u);
}

TEST(bench_paper, sizes_are_those_of_paper_000) {
  for (auto const& f : figures("000"))
    for (auto const& p : f.panels(0)) {
      std::map<panel::kind, int> const batches = {
          {panel::kind::point, 27}, {panel::kind::range, 16}, {panel::kind::build, 0}, {panel::kind::loads, 10}};
      EXPECT_EQ(p.batch, batches.at(p.what)) << f.name;
      EXPECT_TRUE(p.x.starts_with("2^") || p.keys == 28) << f.name;
      EXPECT_EQ(p.sorted, std::string(f.name) == "1b");
      EXPECT_EQ(p.uniformity, 100);
      EXPECT_EQ(f.panels(8).front().keys, f.panels(0).front().keys - 8) << f.name;
    }
}

TEST(bench_paper, sizes_are_those_of_paper_003) {
  for (auto const& f : figures("003"))
    for (auto const& p : f.panels(0)) {
      if (p.what == panel::kind::rays) continue;
      bool const ranges = p.what == panel::kind::range;
      EXPECT_EQ(p.keys, ranges ? 23 : 26) << f.name;
      EXPECT_EQ(p.batch, p.what == panel::kind::build ? 0 : ranges ? 22 : 27) << f.name;
      std::set<std::string> const narrow = {"11", "12", "13", "14"};
      bool const both = std::string(f.name).starts_with("8");
      EXPECT_TRUE(both || (p.type == key_type::u32) == narrow.contains(f.name)) << f.name;
      EXPECT_EQ(f.panels(8).front().keys, p.keys - 8) << f.name;
    }
  auto const field = [](std::string const& name, char const* of) {
    std::set<record> values;
    for (auto const& line : run("paper --paper 003" + std::string(small) + name)) values.insert(line[of]);
    return values;
  };
  EXPECT_EQ(field("11", "uniformity"), (std::set<record>{0.0, 20.0, 40.0, 60.0, 80.0, 100.0}));
  EXPECT_EQ(field("11u64", "key_type"), (std::set<record>{"u64"}));
  EXPECT_EQ(field("12", "hits"), (std::set<record>{1, 4, 16, 64, 256, 1024}));
  EXPECT_EQ(field("13", "hit_rate"), (std::set<record>{0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(field("13", "miss"), (std::set<record>{"in", "out"}));
  EXPECT_EQ(field("15", "n"), (std::set<record>{1024}));
  EXPECT_EQ(field("15", "size").size(), 9u) << "eight waves up and eight down";
  EXPECT_EQ(field("14", "zipf"), (std::set<record>{0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0}));
}

TEST(bench_paper, sizes_are_those_of_paper_001) {
  std::map<std::string, std::set<std::string>> batches;
  std::map<std::string, key_type> const types = {
      {"gaps", key_type::u32}, {"wiki", key_type::u64}, {"outlier", key_type::u32}, {"osm", key_type::u64}};
  for (auto const& f : figures("001"))
    for (auto const& p : f.panels(0)) {
      EXPECT_EQ(p.keys, 27) << f.name;
      EXPECT_EQ(f.panels(8).front().keys, 19) << f.name;
      EXPECT_EQ(p.type, types.at(p.shape)) << f.name;
      if (!p.on_cpu && p.place == placement::host) batches[f.name].insert(p.x);
    }
  std::set<std::string> const powers_of_ten = {"2^13", "2^17", "2^20", "2^23", "2^27"};
  for (auto const& [shape, type] : types) EXPECT_EQ(batches[shape], powers_of_ten) << shape;
  EXPECT_EQ(batches["model"].size(), 18u) << "2^10 to 2^27";
}

TEST(bench_paper, sizes_are_those_of_paper_002) {
  std::map<std::string, std::set<int>> keys, parts;
  std::map<std::string, std::set<double>> zipfs;
  for (auto const& f : figures("002"))
    for (auto const& p : f.panels(0)) {
      EXPECT_EQ(p.batch, 26) << f.name;
      EXPECT_EQ(p.type, key_type::u64) << f.name;
      keys[f.name].insert(p.keys);
      parts[f.name].insert(p.part);
      zipfs[f.name].insert(p.zipf);
      for (auto const& c : p.cells) {
        EXPECT_EQ(c.name.ends_with("/reorder=none"), f.name == std::string("3")) << c.name;
        bool const tree = c.series.starts_with("B+") || c.series.starts_with("Harmonia");
        EXPECT_EQ(c.name.find("/pairs=host") != std::string::npos, tree) << c.name;
        EXPECT_EQ(p.right, right_side::host) << c.name;
      }
    }
  std::set<int> const all = {26, 27, 28, 29, 30, 31, 32, 33};
  for (auto const* figure : {"3", "5", "9"}) EXPECT_EQ(keys[figure], all) << figure;
  for (auto const* figure : {"7", "8"}) EXPECT_EQ(keys[figure], (std::set<int>{33})) << figure;
  EXPECT_EQ(parts["5"], (std::set<int>{26})) << "one window over all probes";
  EXPECT_EQ(parts["7"], (std::set<int>{18, 19, 20, 21, 22, 23, 24, 25, 26}));
  EXPECT_EQ(parts["8"], (std::set<int>{22})) << "32 MiB";
  EXPECT_EQ(zipfs["8"], (std::set<double>{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75}));
}

TEST(bench_paper, sizes_are_those_of_paper_004) {
  std::map<std::string, std::set<std::uint64_t>> keys;
  std::map<std::string, std::set<double>> uniformities;
  for (auto const& f : figures("004"))
    for (auto const& p : f.panels(0)) {
      keys[f.name].insert(p.n != 0 ? p.n : std::uint64_t{1} << p.keys);
      uniformities[f.name].insert(p.uniformity);
      EXPECT_TRUE(p.what != panel::kind::range || p.batch + p.hits == 28) << p.x;
      EXPECT_TRUE(p.asked != &lookups::trace || 5.5 * std::exp2(p.batch) > 1e8) << f.name;
    }
  EXPECT_EQ(keys["4"], (std::set<std::uint64_t>{1 << 20, 7'000'000, 9'000'000, 1 << 24}));
  EXPECT_EQ(keys["6b"], (std::set<std::uint64_t>{1 << 16, 1 << 26}));
  for (char const* const both : {"3b", "5", "6a"}) EXPECT_EQ(uniformities[both], (std::set<double>{0, 100})) << both;
  std::set<record> hits, shapes;
  for (auto const& line : run("paper --paper 004 --scale 8 --repeat 1 --backend cpu --figure 5"))
    hits.insert(line["hits"]);
  EXPECT_EQ(hits, (std::set<record>{1, 4, 8, 32, 64, 512, 4096}));
  for (auto const& line : run("paper --paper 004" + std::string(small) + "4")) shapes.insert(line["keys"]);
  EXPECT_EQ(shapes, (std::set<record>{"isbn", "uniform", "words", "tuples", "urls"}));
}

/// A radix tree of another library represents ART, on one core, and nothing else runs along.
TEST(bench_paper, figure_6a_of_paper_004_has_tries_as_baselines) {
  auto const lines = run("paper --paper 004 --scale 16 --repeat 1 --threads 2 --backend cpu --figure 6a");
  for (auto const& line : lines) EXPECT_EQ(line["threads"], 1) << line["name"];
  auto const baselines = of_kind(lines, "baseline");
  EXPECT_TRUE(baselines.empty() || baselines.size() == 8) << "without libjudy-dev there are none";
  for (auto const& line : baselines) EXPECT_EQ(line["name"], "JudyL");
}

TEST(bench_paper, figures_of_paper_001_have_the_tree_as_baseline) {
  for (std::string const name : {"wiki", "II"}) {
    auto const lines = of_kind(run("paper --paper 001 --baselines none" + std::string(small) + name), "baseline");
    EXPECT_EQ(lines.size(), name == "II" ? 4u : 1u);
    for (auto const& line : lines) {
      EXPECT_EQ(line["name"], "absl::btree_map");
      EXPECT_EQ(line["threads"], 1);
      EXPECT_EQ(line["x"].is_null(), name == "wiki") << "of all batches, or of a build";
    }
  }
}

TEST(bench_paper, panels_of_a_cpu_say_so) {
  std::set<record> builds;
  for (auto const& line : run("paper --paper 001" + std::string(small) + "II")) {
    EXPECT_EQ(line["place"], "device") << "where the backend works, for a CPU";
    if (line["name"] == "PGM(128,build=optimal)") builds.insert(line["x"]);
  }
  EXPECT_EQ(builds, (std::set<record>{"gaps", "wiki", "outlier", "osm"}));
  std::set<std::string> cpu, either;
  for (auto const& line : run("paper --paper 001" + std::string(small) + "osm"))
    if (line["kind"] == "index") {
      auto const series = line["series"].get<std::string>();
      (series.ends_with(" on a CPU") ? cpu : either).insert(series);
      EXPECT_EQ(line["keys"], "osm");
      EXPECT_TRUE(line["uniformity"].is_null());
    }
  EXPECT_EQ(cpu.size(), compared("001/4"));
  EXPECT_EQ(either.size(), 2 * compared("001/5")) << "from the host, and resident";
}

TEST(bench_paper, no_cell_is_refused) {
  for (auto const* paper : papers)
    for (auto const& f : figures(paper))
      for (auto const& p : f.panels(0)) {
        if (p.what == panel::kind::loads) continue;
        auto const backend = p.on_cpu ? backend_kind::cpu : backend_kind::cuda;
        auto const rows = p.keys < 32 ? row_type::u32 : row_type::u64;
        for (auto const& c : p.cells) {
          if (c.name.ends_with("/tracer=vulkan") || c.name.ends_with("/tracer=embree")) continue;  // where they are
          EXPECT_NO_THROW(resolve(c.name, p.type, rows, std::uint64_t{1} << p.keys, backend))
              << f.name << ' ' << c.name;
        }
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
  EXPECT_EQ(lines.size(), sizes.at("000").at("1a") + sizes.at("000").at("7"));
  for (auto const* paper : papers) EXPECT_EQ(find_figures(paper, {"all"}).size(), figures(paper).size());
}

TEST(bench_paper, usage_errors) {
  for (auto const* wrong : {"23", "14", "1a,all,x", "1a,"})
    EXPECT_THROW(run("paper" + std::string(small) + wrong), usage_error) << wrong;
  for (auto const* paper : {"001", "003", "004"})
    EXPECT_THROW(run("paper --paper " + std::string(paper) + small + "1a"), usage_error);
  EXPECT_THROW(run("paper"), CLI::ParseError);
  EXPECT_THROW(run("paper --paper 005 --figure 1"), CLI::ParseError);
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
