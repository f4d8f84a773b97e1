// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/paper.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace warpdex::bench {
namespace {

// Exponents of 2, section III. The paper has up to 64 M keys of 4 bytes, and more than 10^8 lookups each.
constexpr int key_sets[] = {16, 20, 24, 26, 28};
constexpr int all_probes = 27;
constexpr int range_keys = 26;
constexpr int range_entries = 28;                  // of all ranges of a batch together
constexpr int range_lengths[] = {10, 13, 17, 20};  // r, the powers next to 10^3, 10^4, 10^5, 10^6
constexpr int updated_keys = 24;
constexpr std::uint64_t books = 7'000'000;
constexpr std::uint64_t pieces_of_music = 9'000'000;
constexpr int hierarchy_keys = 26;
constexpr int few_keys[] = {17, 20};  // about 100,000 keys of 8 bytes, compared with a hash table, and ten times that
constexpr int alone_keys[] = {16, 20, 24, 26};
constexpr int alone_probes = 22;       // lookups one at a time have the same rate for any number of probes
constexpr int fast_keys[] = {16, 26};  // 64 K and 64 M keys

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

/// Builds, on the GPU from a column there (pre-allocation) or on the host, and on a CPU. "2a" are those of sparse keys,
/// "2b" those of dense ones; the paper's 2a has both, and its 2b is memory.
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

/// Figure 3c, but for its tree: chains of keys, each the parent of the one before, of 5.5 keys on average.
std::vector<panel> hierarchies(int scale) {
  panel p = lookups(hierarchy_keys, sparse, scale);
  p.batch = scaled(all_probes - 2, scale);
  p.asked = &lookups::trace;
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
      p.singular = true;
      p.baselines = baseline_choice::none;
      panels.push_back(std::move(p));
    }
  return panels;
}

/// Strings on the host, of which making and checking takes longer.
panel strings(char const* shape, int keys, int scale) {
  panel p = lookups(keys, sparse, scale, key_type::bytes);
  p.batch = scaled(all_probes - 2, scale);
  p.shape = p.x = shape;
  p.baselines = baseline_choice::none;
  return p;
}

/// Figure 4: ISBN-13, and ids of 16 random bytes. The paper has no strings.
std::vector<panel> real(int scale) {
  panel isbn = lookups(23, sparse, scale, key_type::u64);
  isbn.n = books >> scale;
  isbn.shape = isbn.x = "isbn";
  panel music = lookups(23, sparse, scale, key_type::u128);
  music.n = pieces_of_music >> scale;
  music.x = "music";
  return {isbn, music, strings("words", 20, scale), strings("tuples", 24, scale), strings("urls", 24, scale)};
}

/// Figures 5a and 5b: the row ids of ranges with as many entries as [k, k + r - 1] has on average. Of sparse keys one
/// value in 64 is there.
std::vector<panel> ranges(int scale) {
  std::vector<panel> panels;
  for (int const length : range_lengths)
    for (double const uniformity : {sparse, dense}) {
      int const hits = uniformity == dense ? length : length - (32 - range_keys);
      panel p{panel::kind::range, scaled(range_keys, scale), scaled(range_entries - hits, scale)};
      p.uniformity = uniformity;
      p.hits = scaled(hits, scale);
      p.asked = &lookups::range_retrieve;
      p.x = power(length);  // of the paper: scaled ones would coincide
      p.cells = marked(cells_of("004/5"), uniformity == dense ? " dense" : " sparse");
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

/// Figure 6a: on one core, one probe at a time, compared with a radix tree of another library, which represents ART.
std::vector<panel> alone_on_cpu(int scale) {
  std::vector<panel> panels;
  for (int const keys : alone_keys)
    for (double const uniformity : {sparse, dense}) {
      panel p = lookups(keys, uniformity, scale);
      p.batch = scaled(alone_probes, scale);
      p.x += uniformity == dense ? " dense" : " sparse";
      p.cells = marked(cells_of("004/3"), " on a CPU");
      std::erase_if(p.cells, [](cell const& c) { return !c.name.starts_with("GRT"); });
      for (cell& c : p.cells) c.name += "/layout=SoA";
      p.singular = true;
      p.on_cpu = true;
      p.baselines = baseline_choice::tries;
      panels.push_back(std::move(p));
    }
  return panels;
}

/// Figure 6b: compared with a K-ary tree, which represents FAST, on both kinds of processors.
std::vector<panel> beside_k_ary(int scale) {
  std::vector<panel> panels;
  for (int const keys : fast_keys) {
    panel p = lookups(keys, sparse, scale);
    std::erase_if(p.cells, [](cell const& c) { return !c.name.starts_with("GRT") && !c.name.starts_with("AO+PB+KS"); });
    p.baselines = baseline_choice::none;
    panels.push_back(p);
    std::erase_if(p.cells, [](cell const& c) { return c.name.ends_with("/reorder=none"); });
    p.cells = marked(std::move(p.cells), " on a CPU");
    p.batch = scaled(all_probes - 3, scale);
    p.on_cpu = true;
    panels.push_back(std::move(p));
  }
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
      {"6a", alone_on_cpu},
      {"6b", beside_k_ary},
      {"6c", few},
  };
  return all;
}

}  // namespace warpdex::bench
