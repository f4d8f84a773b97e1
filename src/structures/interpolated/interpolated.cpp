// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/interpolated/interpolated.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_interpolated(spec const& s, index_shape const& shape) {
  auto choice = read_common_options(s, shape, {"/pairs"});
  choice.run = read_policy(s, {});
  return make_plan_of<interpolated_family>("AO+IS", {}, shape, choice);
}

}  // namespace

std::vector<structure_record> interpolated_records() {
  return records_of<interpolated_family>(
      {{.info = {.name = "AO+IS",
                 .forms = {"AO+IS"},
                 .summary = "sorted array, interpolation search",
                 .extra_bytes = "none",
                 .use = "memory is scarce, keys are evenly spread, and batches are small or ask for bounds and ranges",
                 .source = "Peterson, 1957; Perl and Reingold, 1977",
                 .drawing = "include/warpdex/search/interpolated.hpp",
                 .samples = {"AO+IS"}},
        .resolve = resolve_interpolated}});
}

}  // namespace warpdex
