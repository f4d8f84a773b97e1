// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/flat_plan.hpp"
#include "structures/flat_structure.hpp"

namespace warpdex {

/// Calls make(Pairs{}) with the chosen layout of pairs. Pairs of equal widths have no packed layout of
/// their own: it is the aligned one.
template <class Key, class Row, class Make> std::unique_ptr<structure> with_layout(layout chosen, Make const& make) {
  if (chosen == layout::soa) return make(soa_pairs<Key, Row>{});
  if constexpr (sizeof(Key) != sizeof(Row))
    if (chosen == layout::packed) return make(packed_pairs<Key, Row>{});
  return make(aos_pairs<Key, Row>{});
}

/// Calls make(std::integral_constant<int, K>{}) with the chosen fan-out.
template <class Make> std::unique_ptr<structure> with_fanout(int chosen, Make const& make) {
  switch (chosen) {
    case 2: return make(std::integral_constant<int, 2>{});
    case 3: return make(std::integral_constant<int, 3>{});
    case 5: return make(std::integral_constant<int, 5>{});
    case 9: return make(std::integral_constant<int, 9>{});
    case 17: return make(std::integral_constant<int, 17>{});
    case 33: return make(std::integral_constant<int, 33>{});
    default: throw spec_error("no search is compiled for K = " + std::to_string(chosen));
  }
}

}  // namespace warpdex
