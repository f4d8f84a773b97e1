// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_nodes.hpp>

namespace warpdex {

/// The form of a node.
struct radix_form {
  std::uint32_t children;
  bool linked;  ///< whether a child has a node
  bool path;    ///< whether it has one
  bool full;    ///< whether it needs no array (`radix_link::full`)

  WDX_HD radix_kind kind() const {
    return children <= 4    ? radix_kind::node4
           : children <= 16 ? radix_kind::node16
           : children <= 48 ? radix_kind::node48
                            : radix_kind::node256;
  }
};

}  // namespace warpdex
