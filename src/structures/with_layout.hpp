// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pairs.hpp>

#include <memory>

#include "structures/structure.hpp"

namespace warpdex {

/// Calls make(Pairs{}) with the chosen layout of pairs. For keys and rows of equal widths, `packed` is AoS.
template <class Key, class Row, class Make> std::unique_ptr<structure> with_layout(layout chosen, Make const& make) {
  if (chosen == layout::soa) return make(soa_pairs<Key, Row>{});
  if constexpr (sizeof(Key) != sizeof(Row))
    if (chosen == layout::packed) return make(packed_pairs<Key, Row>{});
  return make(aos_pairs<Key, Row>{});
}

}  // namespace warpdex
