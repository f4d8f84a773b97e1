// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "batch/policy.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// What B+(16), B+(page=4096) and Harmonia(32) decide.
class bplus_plan : public plan {
 public:
  bplus_plan(std::string spec_text, index_shape const& shape, warpdex::layout layout, bool pages, unsigned fill,
             policy const& run)
      : plan(std::move(spec_text), shape), layout(layout), pages(pages), fill(fill), run(run) {}

  std::unique_ptr<structure> make(contents from, execution const& exec) const override;

  /// Bytes of a page: of the pivots of an inner node, or at most of the pairs of a leaf.
  static constexpr unsigned page_bytes = 4096;

  /// Entries that a leaf of `slots` slots gets when the tree is built.
  int per_leaf(int slots) const { return std::max(1, slots * static_cast<int>(fill) / static_cast<int>(full)); }

  static constexpr unsigned full = 1000;

  warpdex::layout const layout;
  bool const pages;     ///< nodes of a page, not of 16 slots
  unsigned const fill;  ///< entries of 1000 slots
  policy const run;     ///< how batches run
};

/// @return the argument `fill` of a spec, in thousandths; full if it is left open
/// @throws spec_error
unsigned read_fill(spec const& s);

}  // namespace warpdex
