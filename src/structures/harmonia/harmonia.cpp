// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/harmonia/harmonia.hpp"

#include <fmt/format.h>

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_harmonia(spec const& s, index_shape const& shape) {
  bplus_choice choice{read_common_options(s, shape, {"", "fill", "/pairs"})};
  if (auto const* word = s.argument("")) s.number(*word, harmonia_keys, harmonia_keys);
  choice.fill = read_fill(s);
  choice.run = read_policy_of_groups(s, shape, 8);
  return make_plan_of<harmonia_family>("Harmonia", {{"", std::to_string(harmonia_keys)}, fill_word(choice)}, shape,
                                       choice);
}

}  // namespace

std::vector<structure_record> harmonia_records() {
  return records_of<harmonia_family>(
      {{.info = {.name = "Harmonia",
                 .forms = {"Harmonia(32)"},
                 .summary = "B+tree, keys and links in two regions, `Harmonia(32,fill=0.7)`",
                 .extra_bytes = "2%, and the free slots",
                 .use = "comparisons with `B+(16)`; its nodes are wider and its levels fewer",
                 .arguments = "(32), the keys of a node; (32,fill=F) with F from 0.5 to 1, the part of a leaf's "
                              "slots that a build uses; 1 by default",
                 .source = "Yan et al., PPoPP 2019; paper 002 compares with it",
                 .drawing = "include/warpdex/search/harmonia.hpp",
                 .samples = {"Harmonia(32)", "Harmonia(32,fill=0.7)"},
                 .tuned = {{"Harmonia(32)", 8}}},
        .resolve = resolve_harmonia}});
}

}  // namespace warpdex
