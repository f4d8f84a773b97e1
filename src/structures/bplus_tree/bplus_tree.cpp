// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/bplus_tree/bplus_tree.hpp"

#include <fmt/format.h>

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_bplus(spec const& s, index_shape const& shape) {
  bplus_tree_family::choice choice{{read_common_options(s, shape, {"", "page", "fill", "/pairs"})}};
  auto const* const slots = s.argument("");
  auto const* const page = s.argument("page");
  if (slots == nullptr && page == nullptr)
    s.fail(s.text().size(), "B+ needs the size of its nodes: B+(16) or B+(page=4096)");
  if (slots != nullptr && page != nullptr)
    s.fail(std::max(slots->position, page->position), "nodes have 16 slots or fill pages, not both");
  if (slots != nullptr && s.number(*slots, 1, 4096) != 16)
    s.fail(slots->position, "nodes of " + slots->value + " slots are not compiled; expected 16 or page=4096");
  if (page != nullptr && s.number(*page, 1, 1 << 20) != bplus_tree_family::page_bytes)
    s.fail(page->position, "pages of " + page->value + " bytes are not compiled; expected 4096");
  choice.fill = read_fill(s);
  choice.pages = page != nullptr;
  choice.run = read_policy_of_groups(s, shape, choice.pages ? 32 : 8);
  spec::word const nodes = choice.pages ? spec::word{"page", "4096"} : spec::word{"", "16"};
  return make_plan_of<bplus_tree_family>("B+", {nodes, fill_word(choice)}, shape, choice);
}

}  // namespace

unsigned read_fill(spec const& s) {
  auto const* const word = s.argument("fill");
  return word != nullptr ? read_thousandths(s, *word, 0.5, 1) : bplus_choice::full;
}

spec::word fill_word(bplus_choice const& choice) {
  return {"fill", fmt::format("{:g}", static_cast<double>(choice.fill) / bplus_choice::full)};
}

std::vector<structure_record> bplus_tree_records() {
  return records_of<bplus_tree_family>(
      {{.info = {.name = "B+",
                 .forms = {"B+(16)", "B+(page=4096)"},
                 .summary = "B+tree, `B+(16,fill=0.7)`",
                 .extra_bytes = "3% or 4% (pages: less than 1%), and the free slots",
                 .use = "ranges and points with key order; `B+(page=4096)` on CPUs with updates of up to a few hundred "
                        "keys in between",
                 .arguments = "(16), (page=4096); with (..,fill=F) from 0.5 to 1, the part of a leaf's slots that a "
                              "build uses; 1 by default",
                 .source = "papers 000, 002 and 003 compare with it",
                 .drawing = "include/warpdex/search/bplus_tree.hpp",
                 .samples = {"B+(16)", "B+(16,fill=0.5)", "B+(16,fill=0.7)", "B+(page=4096)",
                             "B+(page=4096,fill=0.75)"},
                 .tuned = {{"B+(16)", 8}}},
        .resolve = resolve_bplus}});
}

}  // namespace warpdex
