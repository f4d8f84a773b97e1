// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/cgrxu/cgrxu.hpp"

#include <fmt/format.h>

#include "structures/rays/ray_options.hpp"

namespace warpdex {
namespace {

constexpr int node_sizes[] = {32, 16, 64};  ///< the first is the usual one
constexpr std::array<std::string_view, 2> rebuild_names = {"auto", "never"};

int read_node(spec const& s) {
  auto const* const word = s.argument("node");
  if (word == nullptr) return node_sizes[0];
  auto const slots = static_cast<int>(s.number(*word, 1, 1 << 16));
  if (std::find(std::begin(node_sizes), std::end(node_sizes), slots) == std::end(node_sizes))
    s.fail(word->position, fmt::format("nodes of {} slots are not compiled; expected 16, 32 or 64", slots));
  return slots;
}

std::unique_ptr<plan> resolve_cgrxu(spec const& s, index_shape const& shape) {
  cgrxu_family::choice choice{{read_common_options(s, shape, {"node", "rebuild", "/tracer"})}};
  choice.fill = bplus_choice::full / 2;
  choice.run = read_policy(s, {});
  choice.tracer = read_tracer(s, shape, choice.run, cgrxu_family::in_triangles);
  choice.node = read_node(s);
  std::size_t const rebuild = read_word(s, s.argument("rebuild"), rebuild_names);
  choice.rebuilds = rebuild == 0;
  return make_plan_of<cgrxu_family>(
      "cgRXu", {{"node", std::to_string(choice.node)}, {"rebuild", std::string(rebuild_names[rebuild])}}, shape,
      choice);
}

}  // namespace

std::vector<structure_record> cgrxu_records() {
  return records_of<cgrxu_family>(
      {{.info = {.name = "cgRXu",
                 .forms = {"cgRXu"},
                 .summary = "chains of half full nodes that rays find, `cgRXu(node)`",
                 .extra_bytes = "100%, and two keys and 10 or 14 bytes per half node",
                 .use = "comparisons with raytracing indexes under updates",
                 .arguments = "(node=): slots of a node, 16, 32 or 64, 32 by default; rebuild=auto or never: whether "
                              "long chains are made anew; option tracer=own or none",
                 .source = "paper 003, section 4",
                 .drawing = "include/warpdex/search/cgrxu.hpp",
                 .samples = {"cgRXu", "cgRXu(node=64)", "cgRXu(node=16,rebuild=never)"}},
        .resolve = resolve_cgrxu}});
}

}  // namespace warpdex
