// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/sorted_array/sorted_array.hpp"

namespace warpdex {

std::vector<structure_record> sorted_array_records() {
  structure_record ao_bs;
  ao_bs.info = {"AO+BS", "sorted pairs and binary search: no extra bytes, the fastest build, key order kept",
                "",      "paper 000, section 3.1",
                true,    {"AO+BS"}};
  ao_bs.resolve = [](spec const& s, index_shape const& shape) -> std::unique_ptr<plan> {
    auto choice = read_flat_choice(s, shape, {});
    choice.run = read_policy(s, {});
    return std::make_unique<flat_plan<sorted_array_family>>(flat_spec_text("AO+BS", choice, shape), shape, choice);
  };
  return {ao_bs};
}

}  // namespace warpdex
