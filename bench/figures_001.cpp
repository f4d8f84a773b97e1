// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/paper.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// Shapes in place of the key sets of table I, with their types of keys.
struct stand_in {
  char const* shape;
  key_type type;
};
constexpr stand_in books{"gaps", key_type::u32};
constexpr stand_in wikipedia{"wiki", key_type::u64};
constexpr stand_in facebook{"outlier", key_type::u32};
constexpr stand_in open_street_map{"osm", key_type::u64};
constexpr stand_in stand_ins[] = {books, wikipedia, facebook, open_street_map};

// Exponents of 2. Table I counts 2 * 10^9 keys, but its bytes are those of 2 * 10^8. Batches are the powers that are
// next to 10^4, 10^5, ... 10^8.
constexpr int all_keys = 27;
constexpr int all_probes = 27;
constexpr int batches[] = {13, 17, 20, 23, 27};
constexpr int most_cpu_probes = 23;  // a CPU searches windows of 2^24 at most, so its rate no longer rises
constexpr int tree_probes = 20;
constexpr int smallest_modelled_batch = 10;

constexpr int errors[] = {8, 16, 32, 64, 128, 256, 512, 1024};

panel over(stand_in const& keys, panel::kind what, int batch, int scale) {
  panel p{what, scaled(all_keys, scale), scaled(batch, scale)};
  p.type = keys.type;
  p.shape = keys.shape;
  return p;
}

panel lookups(stand_in const& keys, int batch, int scale) {
  auto p = over(keys, panel::kind::point, batch, scale);
  p.x = power(p.batch);
  return p;
}

/// The cells of the CPU's panels.
std::vector<cell> cpu_cells() { return marked(cells_of("001/4"), " on a CPU"); }

/// Figures 4 and 5: the rates of all batches are to be divided by that of absl::btree_map.
template <int Keys> std::vector<panel> by_batch(int scale) {
  auto const& keys = stand_ins[Keys];
  std::vector<panel> panels{lookups(keys, tree_probes, scale)};
  panels.back().x = {};
  panels.back().baselines = baseline_choice::tree;
  for (int const batch : batches) {
    auto p = lookups(keys, batch, scale);
    p.cells = marked(cells_of("001/5"), " resident");
    panels.push_back(p);
    p.place = placement::host;
    p.cells = cells_of("001/5");
    panels.push_back(p);
    if (batch > most_cpu_probes) continue;
    p.on_cpu = true;
    p.cells = cpu_cells();
    panels.push_back(std::move(p));
  }
  return panels;
}

/// Section IV.C: the error, in searches that differ by it. In windows all errors have one rate.
std::vector<panel> by_error(int scale) {
  std::vector<panel> panels;
  for (auto const& keys : stand_ins) {
    auto p = lookups(keys, all_probes, scale);
    p.x = keys.shape;
    for (int const eps : errors)
      p.cells.push_back({fmt::format("PGM({})/reorder=none", eps), fmt::format("PGM({})", eps), ""});
    panels.push_back(std::move(p));
  }
  return panels;
}

/// Tables II and III. The column is on the host, so a build on a GPU copies it first.
std::vector<panel> by_build(int scale) {
  std::vector<panel> panels;
  for (auto const& keys : stand_ins) {
    auto p = over(keys, panel::kind::build, 0, scale);
    p.x = keys.shape;
    p.place = placement::host;
    p.cells = cells_of("001/II");
    panels.push_back(p);
    p.on_cpu = true;
    p.baselines = baseline_choice::tree;
    p.cells = cpu_cells();
    p.cells.push_back({"PGM(128,build=optimal)", "PGM(128) optimal on a CPU", ""});
    panels.push_back(std::move(p));
  }
  return panels;
}

/// Section III.A: batches whose time the cost model predicts.
std::vector<panel> by_modelled_batch(int scale) {
  std::vector<panel> panels;
  for (int batch = scaled(smallest_modelled_batch, scale); batch <= scaled(all_probes, scale); ++batch)
    for (auto const place : {placement::host, placement::pinned}) {
      auto p = lookups(books, batch, 0);
      p.keys = scaled(all_keys, scale);
      p.place = place;
      p.cells = {{"PGM", place == placement::host ? "pageable" : "pinned", ""}};
      panels.push_back(std::move(p));
    }
  return panels;
}

}  // namespace

std::vector<figure> const& figures_of_001() {
  static std::vector<figure> const all = {
      {"II", by_build},
      {stand_ins[0].shape, by_batch<0>},
      {stand_ins[1].shape, by_batch<1>},
      {stand_ins[2].shape, by_batch<2>},
      {stand_ins[3].shape, by_batch<3>},
      {"eps", by_error},
      {"model", by_modelled_batch},
  };
  return all;
}

}  // namespace warpdex::bench
