// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>

#include <algorithm>

#include "structures/structure.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_auto(spec const& s, index_shape const& shape) {
  spec const chosen(advise(workload_of(s), shape.keys, shape.rows, shape.size, shape.backend).spec);
  std::vector<spec::word> options;
  for (auto const& option : chosen.options())
    if (s.option(option.name) == nullptr) options.push_back(option);
  options.insert(options.end(), s.options().begin(), s.options().end());
  return make_plan(spec(chosen.structure(), chosen.arguments(), std::move(options)), shape);
}

}  // namespace

std::vector<structure_record> auto_records() {
  return {
      {.info = {.name = "auto",
                .forms = {"auto", "auto(WORKLOAD,...)"},
                .summary = "one of the structures below",
                .extra_bytes = "those of the chosen one",
                .use = "the workload, the size and the backend shall decide",
                .arguments =
                    "(WORKLOAD,...) of points, ranges, order, least_memory, rebuilds, rays, batch=PROBES, hits=ENTRIES",
                .source = "paper 000, section 6.1",
                .samples = {"auto", "auto(batch=2^10)"},
                .chooses = true,
                .widest_key = 16,
                .takes_bytes = true,
                .pins = true},
       .resolve = resolve_auto}};
}

}  // namespace warpdex
