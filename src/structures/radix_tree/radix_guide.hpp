// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/flat_structure.hpp"
#include "structures/radix_tree/radix_build.hpp"
#include "structures/strings/different_words.hpp"

namespace warpdex {

/// The guide of GRT: its nodes, and the bits of leaves.
class radix_guide {
 public:
  template <class Engine, class View> void build(View& view, execution const& exec) {
    nodes_ = make<Engine>(view, exec);
    nodes_.guide(view);
  }

  /// Makes everything again.
  template <class Engine, class View> void verify(View const& view, execution const& exec) const {
    auto const again = make<Engine>(view, exec);
    std::uint64_t different = again.root != nodes_.root ? 1 : 0;
    for (std::size_t kind = 0; kind < again.of_kind.size(); ++kind)
      different += different_words<Engine>(nodes_.of_kind[kind], again.of_kind[kind], exec);
    different += different_words<Engine>(nodes_.bits, again.bits, exec);
    expect_none(different, "words of nodes that differ from those that the entries need");
  }

  std::uint64_t bytes() const noexcept {
    std::uint64_t total = nodes_.bits.bytes();
    for (buffer const& array : nodes_.of_kind) total += array.bytes();
    return total;
  }
  void outlive_stream() noexcept {
    nodes_.bits.outlive_stream();
    for (buffer& array : nodes_.of_kind) array.outlive_stream();
  }

 private:
  /// Builds of numbers are compiled for all layouts together.
  template <class Engine, class View> static made_radix_nodes make(View const& view, execution const& exec) {
    if constexpr (is_bytes<typename View::key_type>) {
      return make_radix_nodes<Engine>(view.pairs, view.size, view.leaf, exec);
    } else {
      any_entries<typename View::key_type, typename View::position> const pairs(view.pairs);
      return make_radix_nodes<Engine>(pairs, view.size, view.leaf, exec);
    }
  }

  made_radix_nodes nodes_;
};

}  // namespace warpdex
