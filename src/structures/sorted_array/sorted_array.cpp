// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/sorted_array/sorted_array.hpp"

#include "structures/strings/byte_options.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_sorted(spec const& s, index_shape const& shape) {
  auto choice = read_common_options(s, shape, {"/pairs"});
  choice.run = read_policy(s, {});
  if (shape.keys == key_type::bytes) expect_byte_layout(s, choice);
  return make_plan_of<sorted_array_family>("AO+BS", {}, shape, choice);
}

}  // namespace

std::vector<structure_record> sorted_array_records() {
  return records_of<sorted_array_family>(
      {{.info = {.name = "AO+BS",
                 .forms = {"AO+BS"},
                 .summary = "sorted array, binary search",
                 .extra_bytes = "none; of strings 8 per key",
                 .use = "rebuilds are frequent, memory is scarce, key order must stay",
                 .source = "paper 000, section 3.1",
                 .drawing = "include/warpdex/search/sorted_array.hpp",
                 .samples = {"AO+BS"},
                 .tuned = {{"AO+BS"}}},
        .resolve = resolve_sorted}});
}

}  // namespace warpdex
