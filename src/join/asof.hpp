// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <functional>
#include <optional>

#include "join/join_steps.hpp"
#include "request/batches.hpp"

namespace warpdex {

/// What an as-of join asks for, checked.
struct asof_request {
  bool looks_below;
  bool looks_above;
  bool measures;  ///< whether distances count, so that keys are needed
  bool later;
  bool last_below;
  bool last_above;
  distance limit;

  /// @throws invalid_argument
  asof_request(char const* call, asof_options const& options, key_type probes, key_type keys);
};

/// @return how one search finds the match of a probe, if it can: distances are those of codes, and equal keys match
/// @param group bits of the keys of the index that a match shares with its probe
std::optional<nearest_rule> one_search(asof_request const& ask, bool exact, key_type probes, key_type keys,
                                       std::uint64_t group = 0);

/// @return the values of a column as numbers. Synchronises
join_steps::numbered_values numbered(column from, execution const& exec);

/// Probes of an as-of join, within reach of the backend.
struct asof_probes {
  probe_array of;
  std::uint64_t size;
};

/// Finds the entries on one side of the probes: writes their rows, or `no_row`, and returns their keys if distances
/// count.
using side_search = std::function<buffer(bool above, row_array rows)>;

/// A search for the entries on one side of some probes.
struct side_ask {
  probe_array probes;
  std::uint64_t size;
  bool above;
  rounding side;  ///< of probes to keys
  bool last;      ///< whether the largest row of equal keys is wanted
};

/// Writes the row of the nearest entry of each probe, or `no_row`.
/// @param keys the keys of these entries; may be null
void find_side(structure const& s, side_ask const& ask, row_array rows, void* keys, execution const& exec);

/// Writes the row of each probe's match.
void find_by_rule(structure const& s, nearest_rule const& rule, asof_probes const& probes, row_array rows,
                  execution const& exec);

/// Searches the sides that count, and writes the row of each probe's match. @param keys the type of the keys
void find_nearest(asof_request const& ask, asof_probes const& probes, key_type keys, row_array rows,
                  side_search const& search, execution const& exec);

}  // namespace warpdex
