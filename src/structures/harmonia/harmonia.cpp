// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/harmonia/harmonia.hpp"

#include <fmt/format.h>

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_harmonia(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {"", "fill"});
  if (auto const* word = s.argument("")) s.number(*word, harmonia_keys, harmonia_keys);
  unsigned const fill = read_fill(s);
  choice.run = read_policy(s, {2, 4, 8, 16, 32});
  auto const text = fmt::format("Harmonia({},fill={:g})", harmonia_keys, fill / double{bplus_plan::full});
  return std::make_unique<harmonia_plan>(flat_spec_text(text, choice, shape), shape, choice.layout, false, fill,
                                         choice.run);
}

}  // namespace

std::unique_ptr<structure> harmonia_plan::make(contents from, execution const& exec) const {
  return make_typed<harmonia_family>(*this, std::move(from), exec);
}

std::vector<structure_record> harmonia_records() {
  return {{.info = {.name = "Harmonia",
                    .summary = "B+tree with keys and links in two regions: nodes of 32 keys that a few lanes search",
                    .arguments = "(32), the keys of a node; (32,fill=F) with F from 0.5 to 1, the part of a leaf's "
                                 "slots that a build uses; 1 by default",
                    .source = "Yan et al., PPoPP 2019; paper 002 compares with it",
                    .samples = {"Harmonia(32)", "Harmonia(32,fill=0.7)"}},
           .resolve = resolve_harmonia}};
}

}  // namespace warpdex
