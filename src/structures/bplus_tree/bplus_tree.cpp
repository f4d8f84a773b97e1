// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/bplus_tree/bplus_tree.hpp"

#include <fmt/format.h>

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_bplus(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {"", "page", "fill"});
  auto const* const slots = s.argument("");
  auto const* const page = s.argument("page");
  if (slots == nullptr && page == nullptr)
    s.fail(s.text().size(), "B+ needs the size of its nodes: B+(16) or B+(page=4096)");
  if (slots != nullptr && page != nullptr)
    s.fail(std::max(slots->position, page->position), "nodes have 16 slots or fill pages, not both");
  if (slots != nullptr && s.number(*slots, 1, 4096) != 16)
    s.fail(slots->position, "nodes of " + slots->value + " slots are not compiled; expected 16 or page=4096");
  if (page != nullptr && s.number(*page, 1, 1 << 20) != bplus_plan::page_bytes)
    s.fail(page->position, "pages of " + page->value + " bytes are not compiled; expected 4096");
  unsigned const fill = read_fill(s);
  bool const pages = page != nullptr;
  choice.run = read_policy(s, {2, 4, 8, 16, 32});
  auto const text = fmt::format("B+({},fill={:g})", pages ? "page=4096" : "16", fill / double{bplus_plan::full});
  return std::make_unique<bplus_plan>(flat_spec_text(text, choice, shape), shape, choice.layout, pages, fill,
                                      choice.run);
}

}  // namespace

unsigned read_fill(spec const& s) {
  auto const* const word = s.argument("fill");
  return word != nullptr ? read_thousandths(s, *word, 0.5, 1) : bplus_plan::full;
}

std::unique_ptr<structure> bplus_plan::make(contents from, execution const& exec) const {
  return make_typed<bplus_tree_family>(*this, std::move(from), exec);
}

std::vector<structure_record> bplus_tree_records() {
  return {{.info = {.name = "B+",
                    .summary = "B+tree: sorted leaves with room for inserts under nodes of 16 children, or of a page",
                    .arguments = "(16), (page=4096); with (..,fill=F) from 0.5 to 1, the part of a leaf's slots that a "
                                 "build uses; 1 by default",
                    .source = "papers 000, 002 and 003 compare with it",
                    .samples = {"B+(16)", "B+(16,fill=0.5)", "B+(16,fill=0.7)", "B+(page=4096)",
                                "B+(page=4096,fill=0.75)"}},
           .resolve = resolve_bplus}};
}

}  // namespace warpdex
