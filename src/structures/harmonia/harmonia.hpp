// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/harmonia.hpp>

#include "structures/leaves/bplus_index.hpp"
#include "structures/plan_of.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// Keys per node, and slots per leaf, of the compiled Harmonia.
inline constexpr int harmonia_keys = 32;

/// Harmonia(32).
struct harmonia_family {
  using view = harmonia<harmonia_keys, narrow_pairs>;
  static constexpr compiled_forms forms{.wide_positions = true};
  using choice = bplus_choice;

  template <class Engine, class Key>
  static std::unique_ptr<structure> make(plan const& made_by, choice const& chosen, contents from,
                                         execution const& exec) {
    return with_layout<harmonia_family, Key>(
        chosen.layout, chosen.of_slots(made_by.shape), [&]<class Pairs>(Pairs) -> std::unique_ptr<structure> {
          return std::make_unique<bplus_index<Engine, harmonia<harmonia_keys, Pairs>>>(made_by, chosen, std::move(from),
                                                                                       exec);
        });
  }
};

}  // namespace warpdex
