// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/sorted_array/sorted_array.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_sorted(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {});
  choice.run = read_policy(s, {});
  return std::make_unique<flat_plan<sorted_array_family>>(flat_spec_text("AO+BS", choice, shape), shape, choice);
}

}  // namespace

std::vector<structure_record> sorted_array_records() {
  return {{.info = {.name = "AO+BS",
                    .summary = "sorted pairs and binary search: no extra bytes, the fastest build, key order kept",
                    .source = "paper 000, section 3.1",
                    .samples = {"AO+BS"}},
           .resolve = resolve_sorted}};
}

}  // namespace warpdex
