// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/eytzinger/eytzinger.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_binary(spec const& s, index_shape const& shape) {
  eytzinger_family::choice choice{read_common_options(s, shape, {}), 2};
  choice.run = read_policy(s, {choice.fanout - 1});
  return make_plan_of<eytzinger_family>("EO+BS", {}, shape, choice);
}

std::unique_ptr<plan> resolve_k_ary(spec const& s, index_shape const& shape) {
  eytzinger_family::choice choice{read_common_options(s, shape, {""}), read_fanout(s)};
  choice.run = read_policy(s, {choice.fanout - 1});
  return make_plan_of<eytzinger_family>("EO+KS", {{"", std::to_string(choice.fanout)}}, shape, choice);
}

}  // namespace

std::vector<structure_record> eytzinger_records() {
  return records_of<eytzinger_family>(
      {{.info = {.name = "EO+BS",
                 .forms = {"EO+BS"},
                 .summary = "Eytzinger order, binary search",
                 .extra_bytes = "none",
                 .use = "comparisons; for points another index was faster at every measured size",
                 .source = "paper 000, section 3.2",
                 .drawing = "include/warpdex/search/eytzinger.hpp",
                 .samples = {"EO+BS"},
                 .tuned = {{"EO+BS"}}},
        .resolve = resolve_binary},
       {.info = {.name = "EO+KS",
                 .forms = {"EO+KS(K)"},
                 .summary = "K-ary Eytzinger order, cooperative search",
                 .extra_bytes = "none",
                 .use = "points in small batches, with no bytes beyond the pairs; K = 9 on GPUs, 17 on CPUs",
                 .arguments = "(K) with K one of " + fanouts_text(),
                 .source = "paper 000, sections 3.4 and 3.5",
                 .drawing = "include/warpdex/search/eytzinger.hpp",
                 .fanouts = fanouts(),
                 .samples = samples_of_fanouts("EO+KS"),
                 .tuned =
                     with_compiled_fanouts({{"EO+KS(3)", 2}, {"EO+KS(5)", 4}, {"EO+KS(9)", 8}, {"EO+KS(17)", 16}})},
        .resolve = resolve_k_ary}});
}

}  // namespace warpdex
