// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/paper.hpp"

#include "bench/loads.hpp"
#include "bench/lookup.hpp"
#include "bench/report.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpdex::bench {
namespace {

using key = std::uint32_t;

/// Keys as the paper draws them, kept until another number of them is asked for.
class key_source {
 public:
  key_data<key>& get(config const& c, cli_context const& context) {
    if (!data_ || data_->set().size() != c.n) {
      progress const shown(context, "making keys");
      data_.reset();
      data_.emplace(key_set<key>::generate(c.n, *c.uniformity, c.seed));
    }
    return *data_;
  }

 private:
  std::optional<key_data<key>> data_;
};

config config_of(config const& base, panel const& p) {
  config c = base;
  c.n = std::uint64_t{1} << p.keys;
  c.uniformity = 100;
  c.probes = std::uint64_t{1} << p.batch;
  c.hits = std::uint64_t{1} << p.hits;
  c.sorted = p.sorted;
  if (p.what != panel::kind::loads)
    for (auto const& cell : p.cells) c.specs.emplace_back(cell.name);
  return c;
}

/// Places a line in its figure. Baselines are series of their own; where x is a matter of the cell they have none.
void put_place(record& line, panel const& p) {
  auto const found =
      std::find_if(p.cells.begin(), p.cells.end(), [&](cell const& c) { return line["name"] == c.name; });
  bool const is_cell = found != p.cells.end();
  auto const& x = is_cell && !found->x.empty() ? found->x : p.x;
  line["series"] = is_cell ? record(found->series) : line["name"];
  line["x"] = x.empty() ? record(nullptr) : record(x);
}

void run_panel(figure const& f, panel const& p, config const& c, int scale, key_source& keys,
               cli_context const& context) {
  record fields = shared_fields(c, make_execution(c.backend, 0), key_type::u32, c.n);
  fields["figure"] = f.name;
  fields["scale"] = scale;
  auto const run = [&](char const* bench, record const& own, auto const& measure) {
    fields.update(own);
    report out(context, bench, fields, [&p](record& line) { put_place(line, p); });
    measure(out);
    out.finish();
  };
  switch (p.what) {
    case panel::kind::point:
      return run("point", point_fields(c), [&](report& out) { run_point(c, keys.get(c, context), context, out); });
    case panel::kind::range:
      return run("range", range_fields(c), [&](report& out) { run_range(c, keys.get(c, context), context, out); });
    case panel::kind::build:
      return run("build", record::object(), [&](report& out) { run_build(c, keys.get(c, context), context, out); });
    case panel::kind::loads: return run("loads", record::object(), [&](report& out) { run_loads(c, context, out); });
  }
}

}  // namespace

void run_paper(config const& base, std::vector<figure> const& chosen, int scale, cli_context const& context) {
  key_source keys;
  for (auto const& f : chosen)
    for (auto const& p : f.panels(scale)) run_panel(f, p, config_of(base, p), scale, keys, context);
}

}  // namespace warpdex::bench
