// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_open/hash_open.hpp"

#include <fmt/format.h>

#include "base/words.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_open(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {"", "load"});
  auto const* const kind = s.argument("");
  if (kind == nullptr) s.fail(s.text().size(), "HT needs its kind: HT(open)");
  if (!same_word(kind->value, "open")) s.fail(kind->position, "unknown kind '" + kind->value + "'; expected open");
  if (s.option("layout") == nullptr) choice.layout = layout::aos;
  auto const* const load_word = s.argument("load");
  unsigned const load = load_word != nullptr ? read_thousandths(s, *load_word, 0.1, 0.95) : 800;
  choice.run = read_policy(s, {2, 4, 8, 16, 32});
  bool const by_blocks =
      choice.run.sorts_in_blocks() || choice.run.probes > 1 || choice.run.schedule == policy::scheduling::fixed;
  if (choice.run.lanes > 1 && by_blocks)
    s.fail(s.option("lanes")->position,
           "HT runs groups of lanes in the order of the batch, one probe each: lanes=" + s.option("lanes")->value +
               " excludes probes, schedule=static, reorder=block and block+restore");
  auto const text = fmt::format("HT(open,load={:g})", load / double{hash_plan::full_load});
  return std::make_unique<hash_plan>(flat_spec_text(text, choice, shape), shape, choice.layout, load, choice.run);
}

}  // namespace

std::unique_ptr<structure> hash_plan::make(contents from, execution const& exec) const {
  return make_typed<hash_open_family>(*this, std::move(from), exec);
}

std::vector<structure_record> hash_open_records() {
  structure_record open;
  open.info = {"HT",
               "hash table with open addressing: finds and counts keys in one access to memory, but knows no order",
               "(open), (open,load=L) with L from 0.1 to 0.95, the part of its slots that is used; 0.8 by default",
               "papers 000, 002 and 003 compare with it",
               false,
               {"HT(open,load=0.5)", "HT(open)", "HT(open,load=0.95)"}};
  open.resolve = resolve_open;
  return {open};
}

}  // namespace warpdex
