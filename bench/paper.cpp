// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/paper.hpp"

#include "bench/join.hpp"
#include "bench/loads.hpp"
#include "bench/lookup.hpp"
#include "bench/placed.hpp"
#include "bench/rays.hpp"
#include "bench/report.hpp"
#include "bench/shapes.hpp"
#include "bench/strings.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace warpdex::bench {
namespace {

/// Keys as the papers draw them. They are kept until other keys are needed.
template <class Key> class key_source {
 public:
  key_data<Key>& get(config const& c, cli_context const& context) {
    if (!data_ || data_->set().size() != c.n || keys_ != c.keys || uniformity_ != c.uniformity) {
      progress const shown(context, "making keys");
      data_.reset();
      if constexpr (is_string<Key>)
        data_.emplace(key_set<Key>::generate(string_shape_named(c.keys).value(), c.n, c.seed, 0));
      else if constexpr (sizeof(Key) == 16) data_.emplace(key_set<Key>::generate(c.n, c.uniformity.value(), c.seed));
      else
        data_.emplace(c.uniformity ? key_set<Key>::generate(c.n, *c.uniformity, c.seed)
                                   : make_shape<Key>(shape_named(c.keys).value(), c.n, c.seed));
      keys_ = c.keys;
      uniformity_ = c.uniformity;
    }
    return *data_;
  }

 private:
  std::optional<key_data<Key>> data_;
  std::string keys_;
  std::optional<double> uniformity_;
};

/// One set per key type.
struct key_sources {
  key_source<std::uint32_t> narrow;
  key_source<std::uint64_t> wide;
  key_source<u128> widest;
  key_source<std::string_view> strings;
};

config config_of(config const& base, panel const& p) {
  config c = base;
  c.n = p.n != 0 ? p.n : std::uint64_t{1} << p.keys;
  c.keys = p.shape;
  if (p.shape == "uniform") c.uniformity = p.uniformity;
  c.probes = std::uint64_t{1} << p.batch;
  c.hits = std::uint64_t{1} << p.hits;
  c.sorted = p.sorted;
  c.hit_rate = p.hit_rate;
  c.miss_inside = p.miss_inside;
  c.zipf = p.zipf;
  c.scenes = p.scenes;
  c.what = p.asked != nullptr ? p.asked : p.what == panel::kind::range ? &lookups::range_sum : &lookups::find;
  c.singular = p.singular;
  if (p.on_cpu) c.backend = "cpu";
  if (p.on_cpu && p.singular) c.threads = {1};  // as the papers' CPUs
  if (p.baselines) c.baselines = *p.baselines;
  bool const gpu = on_gpu(make_execution(c.backend, 0));
  if (gpu) c.place = p.place;
  c.type = p.type;
  c.right = !gpu && p.right == right_side::host ? right_side::sorted : p.right;
  c.part_probes = std::uint64_t{1} << p.part;
  c.batch = usual_batch(c);
  c.assigns = p.assigns;
  if (p.what != panel::kind::loads)
    for (auto const& cell : p.cells) c.specs.emplace_back(cell.name);
  return c;
}

/// Places a line in its figure. Baselines are separate series. They have no x if each cell has its own. Updates have
/// their waves on the x axis.
void put_place(record& line, panel const& p) {
  auto const found =
      std::find_if(p.cells.begin(), p.cells.end(), [&](cell const& c) { return line["name"] == c.name; });
  bool const is_cell = found != p.cells.end();
  auto const& x = is_cell && !found->x.empty() ? found->x : p.x;
  line["series"] = is_cell ? record(found->series) : line["name"];
  line["x"] = line.contains("wave") ? record(std::to_string(line["wave"].get<int>()))
              : x.empty()           ? record(nullptr)
                                    : record(x);
}

/// Leaves out what does not fit into memory, or needs something that is not there, and says so.
/// @return whether it ran
template <class Run> bool run_or_skip(figure const& f, panel const& p, Run const& run) {
  auto const skip = [&](error const& e) {
    fmt::print(stderr, "figure {}, {} keys: skipped: {}\n", f.name, power(p.keys), e.what());
    return false;
  };
  try {
    run();
    return true;
  } catch (out_of_memory const& e) {
    return skip(e);
  } catch (unsupported const& e) {
    return skip(e);
  }
}

/// @return the panel without cells whose tracer is not there
panel with_tracers(figure const& f, panel p, config const& base) {
  execution const exec = make_execution(p.on_cpu ? "cpu" : base.backend, 0);
  std::vector<std::string> absent;
  auto const lacks = [&](cell const& c) {
    auto const at = c.name.find("/tracer=");
    if (at == std::string::npos) return false;
    auto const tracer = c.name.substr(at);
    static constexpr std::uint32_t key[1] = {1};
    auto const known = std::find(absent.begin(), absent.end(), tracer) != absent.end();
    if (!known && run_or_skip(f, p, [&] {
          placed<std::uint32_t> const keys(key, exec);
          warpdex::index::build("RX" + tracer, keys.keys(), exec);
        }))
      return false;
    absent.push_back(tracer);
    return true;
  };
  std::erase_if(p.cells, lacks);
  return p;
}

void run_panel(std::string const& paper, figure const& f, panel const& p, config const& c, int scale, key_sources& keys,
               cli_context const& context) {
  record fields = shared_fields(c, make_execution(c.backend, 0), p.type, c.n);
  fields["paper"] = paper;
  fields["figure"] = f.name;
  fields["scale"] = scale;
  auto const run = [&](char const* bench, record const& own, auto const& measure) {
    fields.update(own);
    report out(context, bench, fields, [&p](record& line) { put_place(line, p); });
    measure(out);
  };
  auto const run_over_keys = [&](char const* bench, record const& own, auto const& measure) {
    run(bench, own, [&](report& out) {
      config const all = p.what == panel::kind::update ? with_batches(c) : c;
      if (p.type == key_type::bytes) measure(keys.strings.get(all, context), out);
      else if (p.type == key_type::u128) measure(keys.widest.get(all, context), out);
      else if (p.type == key_type::u64) measure(keys.wide.get(all, context), out);
      else measure(keys.narrow.get(all, context), out);
    });
  };
  switch (p.what) {
    case panel::kind::point:
      return run_over_keys("point", point_fields(c),
                           [&](auto& data, report& out) { run_point(c, data, context, out); });
    case panel::kind::range:
      return run_over_keys("range", range_fields(c),
                           [&](auto& data, report& out) { run_range(c, data, context, out); });
    case panel::kind::build:
      return run_over_keys("build", build_fields(c),
                           [&](auto& data, report& out) { run_build(c, data, context, out); });
    case panel::kind::update:
      return run_over_keys("update", update_fields(c),
                           [&](auto& data, report& out) { run_update(c, data, context, out); });
    case panel::kind::join:
      run_or_skip(f, p, [&] { run("join", join_fields(c), [&](report& out) { run_join(c, context, out); }); });
      return;
    case panel::kind::rays:
      run_or_skip(f, p, [&] { run("rays", record::object(), [&](report& out) { run_rays(c, context, out); }); });
      return;
    case panel::kind::loads: return run("loads", record::object(), [&](report& out) { run_loads(c, context, out); });
  }
}

}  // namespace

int scaled(int exponent, int scale) noexcept { return std::max(0, exponent - scale); }

std::string power(int exponent) { return fmt::format("2^{}", exponent); }

std::vector<figure> const& figures(std::string_view paper) {
  if (paper == "001") return figures_of_001();
  if (paper == "002") return figures_of_002();
  if (paper == "003") return figures_of_003();
  return paper == "004" ? figures_of_004() : figures_of_000();
}

std::vector<figure> find_figures(std::string_view paper, std::vector<std::string> const& names) {
  auto const& all = figures(paper);
  std::vector<figure> chosen;
  for (auto const& name : names) {
    if (name == "all") {
      chosen.insert(chosen.end(), all.begin(), all.end());
      continue;
    }
    auto const found = std::find_if(all.begin(), all.end(), [&](auto const& f) { return f.name == name; });
    if (found == all.end()) {
      std::string known;
      for (auto const& f : all) known += fmt::format("{}, ", f.name);
      throw usage_error(fmt::format("--figure {}: paper {} has {}or all", name, paper, known));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

void run_paper(config const& base, std::string const& paper, std::vector<figure> const& chosen, int scale,
               cli_context const& context) {
  key_sources keys;
  for (auto const& f : chosen)
    for (auto const& all : f.panels(scale)) {
      auto const p = with_tracers(f, all, base);
      run_panel(paper, f, p, config_of(base, p), scale, keys, context);
    }
}

}  // namespace warpdex::bench
