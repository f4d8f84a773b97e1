// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/paper.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpdex::bench {
namespace {

// Exponents of 2, section III. The paper has up to 64 M keys of 4 bytes, and more than 10^8 lookups each.
constexpr int key_sets[] = {16, 20, 24, 26, 28};
constexpr int all_probes = 27;
constexpr int range_keys = 26;
constexpr int range_entries = 30;               // of all ranges of a batch together
constexpr int range_hits[] = {10, 13, 17, 20};  // the powers next to 10^3, 10^4, 10^5, 10^6
constexpr int updated_keys = 24;
constexpr int real_keys = 23;  // about 7 M numbers of books, 9 M random numbers of pieces of music
constexpr int hierarchy_keys = 26;
constexpr int few_keys[] = {17, 20};  // about 100,000 keys of 8 bytes, beside a hash table, and ten times that

constexpr double sparse = 100;  // unique keys, drawn from all
constexpr double dense = 0;

/// @return the cells without windows: each search alone, as in the paper
std::vector<cell> plain(std::vector<cell> cells) {
  for (auto& c : cells) c.name += "/reorder=none";
  return marked(std::move(cells), " plain");
}

panel lookups(int keys, double uniformity, int scale, key_type type = key_type::u32) {
  panel p{panel::kind::point, scaled(keys, scale), scaled(all_probes, scale)};
  p.uniformity = uniformity;
  p.x = power(p.keys);
  p.type = type;
  p.cells = cells_of("004/3", type);
  for (cell& c : plain(p.cells)) p.cells.push_back(std::move(c));
  return p;
}

/// Figures 2a and 2b: on the GPU from a column that lies there (pre-allocation) or on the host, and on a CPU.
std::vector<panel> builds(int scale, double uniformity) {
  std::vector<panel> panels;
  for (int const keys : key_sets) {
    panel p{panel::kind::build, scaled(keys, scale)};
    p.uniformity = uniformity;
    p.x = power(p.keys);
    p.cells = marked(cells_of("004/3"), " resident");
    panels.push_back(p);
    p.place = placement::host;
    p.cells = cells_of("004/3");
    panels.push_back(p);
    p.on_cpu = true;
    p.cells = marked(cells_of("004/3"), " on a CPU");
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> bulk(int scale, double uniformity) {
  std::vector<panel> panels;
  for (int const keys : key_sets) panels.push_back(lookups(keys, uniformity, scale));
  return panels;
}

/// Figure 3c: paths of keys, each the parent of the one before.
std::vector<panel> hierarchies(int scale) {
  panel p = lookups(hierarchy_keys, sparse, scale);
  p.batch = scaled(all_probes - 3, scale);
  p.point = point_op::trace;
  return {p};
}

/// Figure 3b: each thread of a kernel looks for one key after the other.
std::vector<panel> singular(int scale) {
  std::vector<panel> panels;
  for (int const keys : key_sets)
    for (double const uniformity : {sparse, dense}) {
      panel p = lookups(keys, uniformity, scale);
      p.cells = marked(cells_of("004/3"), uniformity == dense ? " dense" : " sparse");
      std::erase_if(p.cells, [](cell const& c) { return !c.name.starts_with("GRT"); });
      for (cell& c : p.cells) c.name += "/layout=SoA";
      p.point = point_op::singular;
      p.baselines = baseline_choice::none;
      panels.push_back(std::move(p));
    }
  return panels;
}

/// Figure 4: ISBN-13, and ids of 16 random bytes.
std::vector<panel> real(int scale) {
  panel books = lookups(real_keys, sparse, scale, key_type::u64);
  books.shape = books.x = "isbn";
  panel music = lookups(real_keys, sparse, scale, key_type::u128);
  music.x = "music";
  return {books, music};
}

/// Figures 5a and 5b: the row ids of ranges of consecutive keys.
std::vector<panel> ranges(int scale) {
  std::vector<panel> panels;
  for (int const hits : range_hits) {
    panel p{panel::kind::range, scaled(range_keys, scale), scaled(range_entries - hits, scale)};
    p.uniformity = dense;
    p.hits = scaled(hits, scale);
    p.range = range_op::retrieve;
    p.x = power(hits);  // of the paper: scaled ones would coincide
    p.cells = cells_of("004/5");
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<panel> updates(int scale) {
  panel p{panel::kind::update, scaled(updated_keys, scale), scaled(all_probes, scale)};
  p.cells = cells_of("004/5");
  p.assigns = true;
  return {p};
}

/// Figure 6c: few keys of 8 bytes, with which the paper compares a hash table.
std::vector<panel> few(int scale) {
  std::vector<panel> panels;
  for (int const keys : few_keys) panels.push_back(lookups(keys, sparse, scale, key_type::u64));
  return panels;
}

}  // namespace

std::vector<figure> const& figures_of_004() {
  static std::vector<figure> const all = {
      {"2a", [](int s) { return builds(s, sparse); }},
      {"2b", [](int s) { return builds(s, dense); }},
      {"3a", [](int s) { return bulk(s, sparse); }},
      {"3dense", [](int s) { return bulk(s, dense); }},
      {"3b", singular},
      {"3c", hierarchies},
      {"4", real},
      {"5", ranges},
      {"F", updates},
      {"6c", few},
  };
  return all;
}

}  // namespace warpdex::bench
