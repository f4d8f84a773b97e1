// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/paper.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

// Exponents of 2, section 3.2. The paper's largest relation R has 2^33.9 keys; ours is the largest power below.
constexpr int all_probes = 26;
constexpr int smallest_keys = 26;
constexpr int largest_keys = 33;
constexpr int smallest_part = 18;
constexpr int usual_part = 22;  // 32 MiB, sections 5.2.2 and 5.2.3

constexpr double zipfs[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};

/// Contenders that search a sorted column of the host, and trees, whose leaves are there.
std::vector<std::string> const borrowing = {"AO+BS", "AO+PB+KS(17)", "RS", "PGM"};
std::vector<std::string> const trees = {"B+(page=4096)/pairs=host", "Harmonia(32)/pairs=host"};

panel joins(int keys, int part, int scale, std::string x) {
  panel p{panel::kind::join, scaled(keys, scale), scaled(all_probes, scale)};
  p.type = key_type::u64;
  p.shape = "stepped";
  p.part = scaled(part, scale);
  p.x = std::move(x);
  return p;
}

std::vector<cell> cells(std::vector<std::string> const& specs, char const* reorder) {
  std::vector<cell> made;
  for (auto const& s : specs) made.push_back({fmt::format("{}/reorder={}", s, reorder), s.substr(0, s.find('/')), ""});
  return made;
}

panel over_link(panel p, std::vector<std::string> const& specs, char const* reorder) {
  p.right = right_side::host;
  p.cells = cells(specs, reorder);
  return p;
}

/// Trees are separate panels, so one that does not fit is left out alone.
std::vector<panel> by_keys(int scale, int part, char const* reorder, std::vector<std::string> const& host,
                           std::vector<std::string> const& apart) {
  std::vector<panel> panels;
  for (int keys = smallest_keys; keys <= largest_keys; ++keys) {
    auto const p = joins(keys, part, scale, power(scaled(keys, scale)));
    panels.push_back(over_link(p, host, reorder));
    for (auto const& spec : apart) {
      panels.push_back(over_link(p, {spec}, reorder));
      panels.back().baselines = baseline_choice::none;
    }
  }
  return panels;
}

std::vector<panel> by_part(int scale) {
  std::vector<panel> panels;
  for (int part = smallest_part; part <= all_probes; ++part)
    panels.push_back(over_link(joins(largest_keys, part, scale, power(scaled(part, scale))), borrowing, "window"));
  return panels;
}

std::vector<panel> by_zipf(int scale) {
  std::vector<panel> panels;
  for (double const zipf : zipfs) {
    panels.push_back(over_link(joins(largest_keys, usual_part, scale, fmt::format("{}", zipf)), borrowing, "window"));
    panels.back().zipf = zipf;
  }
  return panels;
}

}  // namespace

std::vector<figure> const& figures_of_002() {
  static std::vector<figure> const all = {
      {"3", [](int s) { return by_keys(s, all_probes, "none", borrowing, trees); }},
      {"5", [](int s) { return by_keys(s, all_probes, "window", borrowing, trees); }},
      {"7", by_part},
      {"8", by_zipf},
      {"9", [](int s) { return by_keys(s, usual_part, "window", {"RS"}, {"Harmonia(32)/pairs=host"}); }},
  };
  return all;
}

}  // namespace warpdex::bench
