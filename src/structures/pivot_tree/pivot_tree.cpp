// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/pivot_tree/pivot_tree.hpp"

namespace warpdex {
namespace {

/// @return the number of levels of pivots above leaves of K-1 pairs
int levels_of(int k, std::uint64_t size) {
  int levels = 0;
  for (auto span = static_cast<std::uint64_t>(k - 1); span < size; span *= static_cast<std::uint64_t>(k)) ++levels;
  return levels;
}

/// By default a binary search ends in a partition of this number of pairs. A partition is one or two cache lines, and
/// the pivots take 3% more bytes instead of 100% (paper 000, section 5.4).
constexpr int unstored_binary_levels = 4;

/// @param name the structure
/// @param arguments those before the levels
std::unique_ptr<plan> resolve_levels(spec const& s, index_shape const& shape, pivot_tree_family::choice choice,
                                     char const* name, std::vector<spec::word> arguments) {
  choice.run = read_policy(s, {choice.fanout - 1});
  int const all = levels_of(choice.fanout, shape.size);
  if (auto const* word = s.argument("levels")) choice.stored_levels = static_cast<int>(s.number(*word, 0, 64));
  else choice.stored_levels = choice.fanout == 2 ? std::max(0, all - unstored_binary_levels) : all;
  choice.stored_levels = std::min(choice.stored_levels, all);
  arguments.push_back({"levels", std::to_string(choice.stored_levels)});
  return make_plan_of<pivot_tree_family>(name, std::move(arguments), shape, choice);
}

std::unique_ptr<plan> resolve_binary(spec const& s, index_shape const& shape) {
  return resolve_levels(s, shape, {read_common_options(s, shape, {"levels", "/pairs"}), 2}, "AO+PB+BS", {});
}

std::unique_ptr<plan> resolve_k_ary(spec const& s, index_shape const& shape) {
  pivot_tree_family::choice const choice{read_common_options(s, shape, {"", "levels", "/pairs"}), read_fanout(s)};
  return resolve_levels(s, shape, choice, "AO+PB+KS", {{"", std::to_string(choice.fanout)}});
}

}  // namespace

std::vector<structure_record> pivot_tree_records() {
  auto k_ary_samples = samples_of_fanouts("AO+PB+KS");
  auto few_levels = k_ary_samples.front();
  k_ary_samples.push_back(few_levels.insert(few_levels.find(')'), ",levels=1"));
  return records_of<pivot_tree_family>(
      {{.info = {.name = "AO+PB+BS",
                 .forms = {"AO+PB+BS"},
                 .summary = "sorted array under a binary pivot buffer",
                 .extra_bytes = "3% or 4%",
                 .use = "comparisons; `AO+PB+KS(K)` is faster",
                 .arguments = "(levels=L), pivot levels to store from the root down; all but 4 by default",
                 .source = "paper 000, sections 3.3 and 4.5",
                 .drawing = "include/warpdex/search/pivot_tree.hpp",
                 .samples = {"AO+PB+BS", "AO+PB+BS(levels=0)", "AO+PB+BS(levels=3)", "AO+PB+BS(levels=64)"},
                 .tuned = {{"AO+PB+BS"}}},
        .resolve = resolve_binary},
       {.info = {.name = "AO+PB+KS",
                 .forms = {"AO+PB+KS(K)"},
                 .summary = "sorted array under a K-ary pivot buffer",
                 .extra_bytes = "3% to 8% for K = 9 and 17, 33% for K = 3",
                 .use = "ranges, or points with key order; K = 9 on GPUs, 17 on CPUs",
                 .arguments = "(K) with K one of " + fanouts_text() + "; (K,levels=L) stores the upper L levels only",
                 .source = "paper 000, sections 3.4 and 4.5",
                 .drawing = "include/warpdex/search/pivot_tree.hpp",
                 .fanouts = fanouts(),
                 .samples = k_ary_samples,
                 .tuned = with_compiled_fanouts(
                     {{"AO+PB+KS(3)", 2}, {"AO+PB+KS(5)", 4}, {"AO+PB+KS(9)", 8}, {"AO+PB+KS(17)", 16}})},
        .resolve = resolve_k_ary}});
}

}  // namespace warpdex
