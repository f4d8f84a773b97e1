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
                 .tuned = {{"AO+BS"}},
                 .compared = {{"AO+BS naive", "AO+BS/pin=none/reorder=none", {"000/1", "000/20", "003/11"}},
                              {"AO+BS paper",
                               "AO+BS/schedule=static/threads=128/probes=16/pin=full/reorder=block+restore",
                               {"000/20"}},
                              {"AO+BS",
                               "AO+BS",
                               {"000/1", "000/20", "000/21", "000/22", "001/5", "001/II", "003/11", "003/12", "003/15",
                                "004/3", "004/5"}},
                              {"AO+BS AoS", "AO+BS/layout=AoS", {"000/22"}}}},
        .resolve = resolve_sorted}});
}

}  // namespace warpdex
