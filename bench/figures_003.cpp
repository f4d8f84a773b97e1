// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/paper.hpp"

#include <fmt/format.h>

#include <string_view>

namespace warpdex::bench {
namespace {

// Exponents of 2, sections 5.1 and 6. The number of ranges is our choice; the paper gives none.
constexpr int all_keys = 26;
constexpr int all_probes = 27;
constexpr int dense_keys = 23;
constexpr int all_ranges = 22;

constexpr double uniformities[] = {0, 20, 40, 60, 80, 100};
constexpr int range_hits[] = {0, 2, 4, 6, 8, 10};
constexpr double zipfs[] = {0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5};

struct hit_ratio {
  double hits;
  bool inside;  ///< whether misses are between the smallest and the largest key
};
constexpr hit_ratio hit_ratios[] = {{1, true}, {0.75, true}, {0.5, true}, {0.25, true},
                                    {0, true}, {0.5, false}, {0, false}};

// Section 5, with keys of 64 bits unless a figure says otherwise.
constexpr int bucket_bits[] = {2, 4, 8, 16};
constexpr int all_bucket_bits[] = {1, 2, 4, 6, 8, 10, 12, 14, 16};
constexpr int largest_linear_bits = 8;
constexpr int usual_bits = 4;
constexpr double few_uniformities[] = {0, 50, 100};

struct named_layout {
  char const* series;
  char const* option;
};
/// Rays are measured without windows, which on a GPU search columns of keys in shared memory and trace none.
constexpr char const* no_windows = "/reorder=none";

/// Tracers of triangles, measured where they are.
constexpr char const* tracers[] = {"vulkan", "embree"};
/// The other figures leave out drivers, which would take hours: their software walks long rows as lists.
constexpr char const* embree_option = "/tracer=embree";
constexpr int most_traced_scene_bits = 4;  ///< of the buckets that these trace in figures 8a and 8b

// The first measure of a tracer by Vulkan.
constexpr int triangle_bits[] = {10, 12, 14, 16, 18, 20, 22, 24, 26};
constexpr int ray_bits = 22;

constexpr named_layout layouts[] = {{"column", "SoA"}, {"row", "AoS"}, {"packed row", "packed"}};

/// Figures 8a and 8b: both scenes. warpdex's own tracer has integers for coordinates, so scales make no difference to
/// it.
std::vector<panel> by_scene(int scale, char const* scaling) {
  std::vector<panel> panels;
  for (key_type const type : {key_type::u32, key_type::u64})
    for (double const uniformity : few_uniformities) {
      panel p{panel::kind::point, scaled(all_keys, scale), scaled(all_probes, scale)};
      p.type = type;
      p.uniformity = uniformity;
      p.scenes = true;
      for (char const* const scene : {"naive", "optimized"})
        for (int const bits : bucket_bits) {
          auto const spec = fmt::format("cgRX(bucket={},scene={},scale={}){}", 1 << bits, scene, scaling, no_windows);
          auto const series = fmt::format("{} {} {}%", scene, to_string(type), uniformity);
          p.cells.push_back({spec, series, power(bits)});
          if (bits > most_traced_scene_bits) continue;
          for (char const* const tracer : tracers)
            p.cells.push_back(
                {fmt::format("{}/tracer={}", spec, tracer), fmt::format("{}, {}", series, tracer), power(bits)});
        }
      panels.push_back(std::move(p));
    }
  return panels;
}

/// Table 1: how buckets are searched and laid out.
std::vector<panel> by_bucket_search(int scale) {
  panel p{panel::kind::point, scaled(all_keys, scale), scaled(all_probes, scale)};
  p.type = key_type::u64;
  for (char const* const search : {"binary", "linear"})
    for (auto const& layout : layouts)
      for (int const bits : bucket_bits)
        if (bits <= largest_linear_bits || search == std::string_view("binary")) {
          auto const spec =
              fmt::format("cgRX(bucket={},search={})/layout={}{}", 1 << bits, search, layout.option, no_windows);
          auto const series = fmt::format("{} {}", search, layout.series);
          p.cells.push_back({spec, series, power(bits)});
          if (bits == usual_bits) p.cells.push_back({spec + embree_option, series + ", embree", power(bits)});
        }
  return {p};
}

/// Figures 10a and 10b: builds and lookups by bucket; RX has buckets of one key. An index without a tracer shows what
/// primitives and boxes cost when it is built, and what rays cost when it bisects the representatives instead.
std::vector<panel> by_bucket(int scale, panel::kind what) {
  std::vector<panel> panels;
  for (double const uniformity : few_uniformities) {
    panel p{what, scaled(all_keys, scale), what == panel::kind::point ? scaled(all_probes, scale) : 0};
    p.type = key_type::u64;
    p.uniformity = uniformity;
    p.scenes = true;
    auto const add = [&](std::string const& name, int bits, std::string const& spec) {
      p.cells.push_back({spec + no_windows, fmt::format("{} {}%", name, uniformity), power(bits)});
      for (char const* const tracer : tracers)
        p.cells.push_back({fmt::format("{}{}/tracer={}", spec, no_windows, tracer),
                           fmt::format("{} {}%, {}", name, uniformity, tracer), power(bits)});
    };
    add("RX", 0, "RX");
    for (int const bits : all_bucket_bits) {
      auto const spec = fmt::format("cgRX(bucket={})", 1 << bits);
      add("cgRX", bits, spec);
      p.cells.push_back(
          {fmt::format("{}{}/tracer=none", spec, no_windows), fmt::format("no rays {}%", uniformity), power(bits)});
    }
    panels.push_back(std::move(p));
  }
  return panels;
}

/// Bare rays, by the number of triangles.
std::vector<panel> by_triangles(int scale) {
  std::vector<panel> panels;
  for (int const bits : triangle_bits)
    panels.push_back({panel::kind::rays, scaled(bits, scale), scaled(ray_bits, scale), 0, false, power(bits)});
  return panels;
}

void add_embree(panel& p) {
  p.cells.push_back({std::string("cgRX") + no_windows + embree_option, "cgRX(16) naive, embree", {}});
}

panel lookups(int scale, std::string x) {
  panel p{panel::kind::point, scaled(all_keys, scale), scaled(all_probes, scale)};
  p.x = std::move(x);
  p.cells = cells_of("003/11");
  add_embree(p);
  return p;
}

std::vector<panel> by_uniformity(int scale, key_type type) {
  std::vector<panel> panels;
  for (double const uniformity : uniformities) {
    auto p = lookups(scale, fmt::format("{}%", uniformity));
    p.type = type;
    p.uniformity = uniformity;
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> by_hits(int scale) {
  std::vector<panel> panels;
  for (int const hits : range_hits) {
    panel p{panel::kind::range, scaled(dense_keys, scale), scaled(all_ranges, scale)};
    p.uniformity = 0;
    p.hits = hits;
    p.x = power(hits);
    p.cells = cells_of("003/12");
    add_embree(p);
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> by_hit_ratio(int scale) {
  std::vector<panel> panels;
  for (auto const& ratio : hit_ratios) {
    auto p = lookups(scale, fmt::format("{}%{}", 100 * ratio.hits, ratio.inside ? "" : " out"));
    p.hit_rate = ratio.hits;
    p.miss_inside = ratio.inside;
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> by_zipf(int scale) {
  std::vector<panel> panels;
  for (double const zipf : zipfs) {
    panels.push_back(lookups(scale, fmt::format("{}", zipf)));
    panels.back().zipf = zipf;
  }
  return panels;
}

std::vector<panel> by_wave(int scale) {
  panel p{panel::kind::update, scaled(all_keys, scale), scaled(all_probes, scale)};
  p.type = key_type::u64;
  p.cells = cells_of("003/15");
  return {p};
}

}  // namespace

std::vector<figure> const& figures_of_003() {
  static std::vector<figure> const all = {
      {"rays", by_triangles},
      {"8a", [](int s) { return by_scene(s, "off"); }},
      {"8b", [](int s) { return by_scene(s, "on"); }},
      {"t1", by_bucket_search},
      {"10a", [](int s) { return by_bucket(s, panel::kind::build); }},
      {"10b", [](int s) { return by_bucket(s, panel::kind::point); }},
      {"11", [](int s) { return by_uniformity(s, key_type::u32); }},
      {"11u64", [](int s) { return by_uniformity(s, key_type::u64); }},
      {"12", by_hits},
      {"13", by_hit_ratio},
      {"14", by_zipf},
      {"15", by_wave},
  };
  return all;
}

}  // namespace warpdex::bench
