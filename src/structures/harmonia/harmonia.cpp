// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/harmonia/harmonia.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_harmonia(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {""});
  if (auto const* word = s.argument("")) s.number(*word, harmonia_keys, harmonia_keys);
  choice.run = read_policy(s, {2, 4, 8, 16, 32});
  auto const text = "Harmonia(" + std::to_string(harmonia_keys) + ")";
  return std::make_unique<flat_plan<harmonia_family>>(flat_spec_text(text, choice, shape), shape, choice);
}

}  // namespace

std::vector<structure_record> harmonia_records() {
  structure_record record;
  record.info = {
      "Harmonia",
      "B+tree with keys and links in two regions, over sorted pairs: nodes of 32 keys that a few lanes search",
      "(32), the keys of a node",
      "Yan et al., PPoPP 2019; paper 002 compares with it",
      true,
      {"Harmonia(32)"}};
  record.resolve = resolve_harmonia;
  return {record};
}

}  // namespace warpdex
