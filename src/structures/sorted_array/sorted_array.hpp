// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/sorted_array.hpp>

#include "structures/flat_family.hpp"
#include "structures/strings/byte_structure.hpp"

namespace warpdex {

/// AO+BS.
struct sorted_array_family : flat_family<sorted_array_family, sorted_array> {
  using byte_view = sorted_bytes<>;
  static constexpr compiled_forms forms{.wide_positions = true};

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    if constexpr (is_bytes<Key>) {
      return with_positions(made_by.shape, [&]<class Position>(Position) -> std::unique_ptr<structure> {
        return std::make_unique<byte_structure<Engine, sorted_bytes<Position>, byte_heads>>(
            made_by, sorted_bytes<Position>(made_by.shape.size), chosen.run, std::move(from), exec);
      });
    } else {
      return flat_family::make<Engine, Key>(made_by, chosen, std::move(from), exec);
    }
  }
};

}  // namespace warpdex
