// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/radix_tree/radix_tree.hpp"

#include <fmt/format.h>

#include "structures/strings/byte_options.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t usual_leaf = 32;
constexpr std::uint64_t largest_leaf = 256;

std::unique_ptr<plan> resolve_radix_tree(spec const& s, index_shape const& shape) {
  radix_tree_family::choice choice{read_common_options(s, shape, {"leaf", "/pairs"})};
  choice.run = read_policy(s, {});
  if (shape.keys == key_type::bytes) {
    expect_byte_layout(s, choice);
    expect_no_blocks(s, choice);
  }
  auto const* const leaf = s.argument("leaf");
  choice.leaf = static_cast<std::uint32_t>(leaf == nullptr ? usual_leaf : s.number(*leaf, 1, largest_leaf));
  return make_plan_of<radix_tree_family>("GRT", {{"leaf", std::to_string(choice.leaf)}}, shape, choice);
}

}  // namespace

std::vector<structure_record> radix_tree_records() {
  return records_of<radix_tree_family>(
      {{.info = {.name = "GRT",
                 .forms = {"GRT"},
                 .summary = "sorted array under an adaptive radix tree, `GRT(leaf)`",
                 .extra_bytes = "at most 5 bytes per even key",
                 .use = "single probes and small batches, strings, and keys that share long prefixes",
                 .arguments = fmt::format("(leaf=): most entries of a leaf with several keys, from 1 to {}, {} by "
                                          "default; leaf=1 is the tree of the paper",
                                          largest_leaf, usual_leaf),
                 .source = "paper 004, section II; Leis et al., The adaptive radix tree, 2013",
                 .drawing = "include/warpdex/search/radix_tree.hpp",
                 .samples = {"GRT", "GRT(leaf=1)", "GRT(leaf=2)", "GRT(leaf=8)"},
                 .tuned = {{"GRT"}}},
        .resolve = resolve_radix_tree}});
}

}  // namespace warpdex
