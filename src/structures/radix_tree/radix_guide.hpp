// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/different_words.hpp"
#include "structures/flat_structure.hpp"
#include "structures/radix_tree/radix_build.hpp"

namespace warpdex {

namespace detail {

/// Writes the bit of entry `i`, a string. Its neighbour in the same leaf went the same way, so the memory is near.
template <class View> struct write_bit {
  View view;
  unsigned char* to;
  WDX_HD void operator()(std::uint64_t i) const {
    auto const key = view.pairs.key(i);
    auto const leaf = view.leaf_of(key);
    bool const is_first = leaf.link != radix_link::none || leaf.first == i;
    auto const bit = is_first ? radix_bits::same : radix_bits::between(view.pairs.key(i - 1), key, leaf.depth).bit;
    to[i] = static_cast<unsigned char>(bit);
  }
};

/// Builds of numbers are compiled for all layouts together.
template <class View> auto keys_of(View const& view) {
  if constexpr (is_bytes<typename View::key_type>) return view.pairs;
  else return any_pairs<typename View::key_type, typename View::row_type>(view.pairs);
}

}  // namespace detail

/// Makes all that a view of GRT needs beside its entries. Synchronises. @throws as `make_radix_nodes`
template <class Engine, class View> made_radix_nodes make_radix_tree(View view, execution const& exec) {
  auto made = make_radix_nodes<Engine>(detail::keys_of(view), view.size, view.leaf, exec);
  if constexpr (is_bytes<typename View::key_type>) {
    view.nodes = made.view();
    made.bits = buffer_of_bits<Engine>(view.size, exec);
    Engine::for_each(exec, view.size, detail::write_bit<View>{view, made.bits.template as<unsigned char>()});
  }
  return made;
}

/// The guide of GRT: its nodes, and the bits of leaves.
class radix_guide {
 public:
  template <class Engine, class View> void build(View& view, execution const& exec) {
    made_ = make_radix_tree<Engine>(view, exec);
    made_.guide(view);
  }

  /// Makes everything again.
  template <class Engine, class View> void verify(View const& view, execution const& exec) const {
    auto const again = make_radix_tree<Engine>(view, exec);
    std::uint64_t different = again.root != made_.root ? 1 : 0;
    for (std::size_t kind = 0; kind < again.of_kind.size(); ++kind)
      different += different_words<Engine>(made_.of_kind[kind], again.of_kind[kind], exec);
    different += different_words<Engine>(made_.bits, again.bits, exec);
    expect_none(different, "words of nodes that differ from those that the entries need");
  }

  std::uint64_t bytes() const noexcept {
    std::uint64_t total = made_.bits.bytes();
    for (buffer const& array : made_.of_kind) total += array.bytes();
    return total;
  }
  void outlive_stream() noexcept {
    made_.bits.outlive_stream();
    for (buffer& array : made_.of_kind) array.outlive_stream();
  }

 private:
  made_radix_nodes made_;
};

}  // namespace warpdex
