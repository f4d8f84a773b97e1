// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/grouped_index.hpp>

#include <string>

#include "clients/join/places.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// What a grouped index is made of.
struct grouped_parts {
  place_coder coder;
  index entries;          ///< keys are places
  std::string asked;      ///< the spec of the entries as given
  std::string note = {};  ///< of the file
};

/// `grouped_index::place_points`.
placed_points place_points(char const* call, grouped_parts const& from, nullable_column const& groups,
                           nullable_column const& probes, execution const& exec);

/// @throws invalid_argument if the index was moved from
grouped_parts const& parts_of(grouped_index const& from, char const* call);

/// Checks groups and probes of a lookup, or bounds on one side.
/// @throws invalid_argument
void expect_grouped(char const* call, place_coder const& coder, nullable_column const& groups,
                    nullable_column const& probes);

}  // namespace warpdex
