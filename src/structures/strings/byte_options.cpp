// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/strings/byte_options.hpp"

namespace warpdex {

void expect_byte_layout(spec const& s, common_options const& choice) {
  if (choice.layout != layout::soa)
    s.fail(s.option("layout")->position, "keys of type bytes have the layout SoA alone");
}

void expect_no_blocks(spec const& s, common_options const& choice) {
  if (!choice.run.runs_in_blocks()) return;
  for (char const* const name : {"probes", "schedule", "reorder"})
    if (auto const* const word = s.option(name))
      s.fail(word->position, s.structure() +
                                 " does not search for keys of type bytes in blocks: probes, "
                                 "schedule=static, reorder=block and block+restore do not apply");
}

}  // namespace warpdex
