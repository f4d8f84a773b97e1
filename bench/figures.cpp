// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/loads.hpp"
#include "bench/paper.hpp"

#include <warpdex/index.hpp>

#include <fmt/format.h>

#include <string_view>

namespace warpdex::bench {
namespace {

// Exponents of 2, section 5.1. Lookups run over the largest key set unless a figure varies it.
constexpr int all_keys = 28;
constexpr int all_probes = 27;
constexpr int all_ranges = 16;
constexpr int loads_per_thread = 10;
constexpr int key_sets[] = {16, 18, 20, 22, 24, 26, 28};
constexpr int built_key_sets[] = {20, 22, 24, 26, 28};

/// Threads per block and lookup registers per thread: 1024 or 2048 registers per block (section 5.2).
struct occupancy {
  int threads;
  int registers;
};
constexpr occupancy occupancies[] = {{1024, 1}, {1024, 2}, {512, 2}, {512, 4}, {256, 4}, {256, 8}, {128, 8}, {128, 16}};
constexpr occupancy many_threads = occupancies[0];
constexpr occupancy many_registers = occupancies[7];

constexpr char const* schedules[] = {"static", "dynamic"};
constexpr char const* layouts[] = {"SoA", "AoS"};
constexpr int stored_levels[] = {10, 20, 24, 27};

panel lookups(int keys, int scale) { return {panel::kind::point, scaled(keys, scale), scaled(all_probes, scale)}; }

std::string run_as(char const* schedule, occupancy o) {
  return fmt::format("/schedule={}/threads={}/probes={}", schedule, o.threads, o.registers);
}

/// Pinning (section 4.2) times reordering (section 4.3), the series of figures 14 to 18.
void add_policies(panel& to, std::string const& x, std::string const& spec) {
  for (auto const* pin : {"none", "steps", "full"})
    for (auto const* reorder : {"none", "block", "block+restore"}) {
      auto const series = fmt::format("pin={}/reorder={}", pin, reorder);
      to.cells.push_back({fmt::format("{}/{}", spec, series), series, x});
    }
}

std::vector<panel> by_keys(int scale, bool sorted, char const* compared) {
  std::vector<panel> panels;
  for (int const keys : key_sets) {
    auto p = lookups(keys, scale);
    p.sorted = sorted;
    p.x = power(p.keys);
    p.cells = cells_of(compared);
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> by_group_size(int scale) {
  panel p{panel::kind::loads, scaled(all_keys, scale), scaled(loads_per_thread, scale)};
  for (int bits = 0; bits <= most_group_bits; ++bits)
    p.cells.push_back({loads_name(bits), "random loads", std::to_string(1 << bits)});
  return {p};
}

std::vector<panel> by_occupancy(int scale, std::string const& structure, char const* schedule) {
  auto p = lookups(all_keys, scale);
  for (auto const& o : occupancies)
    add_policies(p, fmt::format("{}/{}", o.threads, o.registers), structure + run_as(schedule, o));
  return {p};
}

std::vector<panel> by_schedule(int scale) {
  auto p = lookups(all_keys, scale);
  for (auto const* schedule : schedules)
    for (auto const* layout : layouts)
      add_policies(p, fmt::format("{}/{}", schedule, layout),
                   fmt::format("AO+BS/layout={}{}", layout, run_as(schedule, many_registers)));
  return {p};
}

std::vector<panel> by_levels(int scale) {
  auto p = lookups(all_keys, scale);
  for (int const levels : stored_levels)
    for (auto const* layout : layouts) {
      auto const stored = scaled(levels, scale);
      add_policies(p, fmt::format("{}/{}", stored, layout),
                   fmt::format("AO+PB+BS(levels={})/layout={}{}", stored, layout, run_as("dynamic", many_registers)));
    }
  return {p};
}

/// The fan-outs that are compiled, except 2, which no group of lanes searches.
std::vector<int> fanouts_of(std::string_view structure) {
  for (auto const& info : structures())
    if (info.name == structure) {
      auto fanouts = info.fanouts;
      std::erase(fanouts, 2);
      return fanouts;
    }
  return {};
}

std::vector<panel> by_fanout(int scale, char const* structure) {
  auto p = lookups(all_keys, scale);
  for (int const k : fanouts_of(structure))
    for (auto const* layout : layouts)
      add_policies(
          p, fmt::format("{}/{}", k, layout),
          fmt::format("{}({})/layout={}/lanes={}{}", structure, k, layout, k - 1, run_as("dynamic", many_threads)));
  return {p};
}

panel ranges(int hits, int scale) {
  panel p{panel::kind::range, scaled(all_keys, scale), scaled(all_ranges, scale)};
  p.hits = hits;
  p.x = power(hits);
  return p;
}

std::vector<panel> by_range_layout(int scale) {
  std::vector<panel> panels;
  for (int const hits : {6, 14}) {
    auto p = ranges(hits, scale);
    for (auto const* structure : {"AO+BS", "EO+BS", "AO+PB+BS", "EO+KS(9)", "AO+PB+KS(9)"})
      for (auto const* layout : layouts)
        for (auto const* scan : {"group", "warp"}) {
          auto const series = fmt::format("{}/scan={}", structure, scan);
          p.cells.push_back({fmt::format("{}/layout={}/scan={}", structure, layout, scan), series, p.x + "/" + layout});
        }
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> by_hits(int scale) {
  std::vector<panel> panels;
  for (int const hits : {2, 4, 6, 8, 10, 12, 14}) {
    panels.push_back(ranges(hits, scale));
    panels.back().cells = cells_of("000/22");
  }
  return panels;
}

std::vector<panel> by_built_keys(int scale) {
  std::vector<panel> panels;
  for (int const keys : built_key_sets) {
    panel p{panel::kind::build, scaled(keys, scale)};
    p.x = power(p.keys);
    p.cells = cells_of("000/21");
    panels.push_back(std::move(p));
  }
  return panels;
}

}  // namespace

std::vector<figure> const& figures_of_000() {
  static std::vector<figure> const all = {
      {"1a", [](int s) { return by_keys(s, false, "000/1"); }},
      {"1b", [](int s) { return by_keys(s, true, "000/1"); }},
      {"7", by_group_size},
      {"14a", [](int s) { return by_occupancy(s, "AO+BS", "static"); }},
      {"14b", [](int s) { return by_occupancy(s, "AO+BS", "dynamic"); }},
      {"14c", by_schedule},
      {"15", [](int s) { return by_occupancy(s, "EO+BS", "dynamic"); }},
      {"16", by_levels},
      {"17a", [](int s) { return by_occupancy(s, "EO+KS(9)/lanes=8", "dynamic"); }},
      {"17b", [](int s) { return by_fanout(s, "EO+KS"); }},
      {"18a", [](int s) { return by_occupancy(s, "AO+PB+KS(9)/lanes=8", "dynamic"); }},
      {"18b", [](int s) { return by_fanout(s, "AO+PB+KS"); }},
      {"19", by_range_layout},
      {"20", [](int s) { return by_keys(s, false, "000/20"); }},
      {"21", by_built_keys},
      {"22", by_hits},
  };
  return all;
}

}  // namespace warpdex::bench
