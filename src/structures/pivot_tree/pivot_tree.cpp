// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/pivot_tree/pivot_tree.hpp"

namespace warpdex {
namespace {

/// Levels of pivots above leaves of K-1 pairs.
int levels_of(int k, std::uint64_t size) {
  int levels = 0;
  for (auto span = static_cast<std::uint64_t>(k - 1); span < size; span *= static_cast<std::uint64_t>(k)) ++levels;
  return levels;
}

/// Binary searches end in partitions of this many pairs by default: one cache line or two, for 3% more
/// bytes instead of 100% (paper 000, section 5.4).
constexpr int unstored_binary_levels = 4;

std::unique_ptr<plan> make(spec const& s, index_shape const& shape, flat_choice choice, std::string text) {
  choice.run = read_policy(s, {choice.fanout - 1});
  int const all = levels_of(choice.fanout, shape.size);
  if (auto const* word = s.argument("levels")) choice.stored_levels = static_cast<int>(s.number(*word, 0, 64));
  else choice.stored_levels = choice.fanout == 2 ? std::max(0, all - unstored_binary_levels) : all;
  choice.stored_levels = std::min(choice.stored_levels, all);
  text += "levels=" + std::to_string(choice.stored_levels) + ")";
  return std::make_unique<flat_plan<pivot_tree_family>>(flat_spec_text(text, choice, shape), shape, choice);
}

std::unique_ptr<plan> resolve_binary(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {"levels"});
  choice.fanout = 2;
  return make(s, shape, choice, "AO+PB+BS(");
}

std::unique_ptr<plan> resolve_k_ary(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {"", "levels"});
  choice.fanout = read_fanout(s);
  return make(s, shape, choice, "AO+PB+KS(" + std::to_string(choice.fanout) + ",");
}

}  // namespace

std::vector<structure_record> pivot_tree_records() {
  return {{.info = {.name = "AO+PB+BS",
                    .summary = "sorted pairs under a binary tree of pivots: key order kept, 3% more bytes",
                    .arguments = "(levels=L), pivot levels to store from the root down; all but 4 by default",
                    .source = "paper 000, sections 3.3 and 4.5",
                    .samples = {"AO+PB+BS", "AO+PB+BS(levels=0)", "AO+PB+BS(levels=3)", "AO+PB+BS(levels=64)"}},
           .resolve = resolve_binary},
          {.info = {.name = "AO+PB+KS",
                    .summary = "sorted pairs under a K-ary tree of pivots: key order kept, the best of the family for "
                               "ranges",
                    .arguments = "(K) with K one of 2, 3, 5, 9, 17, 33; (K,levels=L) stores the upper L levels only",
                    .source = "paper 000, sections 3.4 and 4.5",
                    .samples = {"AO+PB+KS(2)", "AO+PB+KS(3)", "AO+PB+KS(5)", "AO+PB+KS(9)", "AO+PB+KS(9,levels=1)",
                                "AO+PB+KS(17)", "AO+PB+KS(33)"}},
           .resolve = resolve_k_ary}};
}

}  // namespace warpdex
