// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <functional>
#include <optional>

#include "clients/join/join_steps.hpp"
#include "clients/join/pairs.hpp"
#include "request/batches.hpp"
#include "request/staging.hpp"

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
  nullable_column tolerances;  ///< in the place of `limit`, if there are any
  double relative;
  measure by;
  std::uint64_t unit;  ///< of distances that are integers

  /// @throws invalid_argument
  asof_request(char const* call, asof_options const& options, key_type probes, key_type keys);

  /// @param each the tolerances of some probes, if they have their own
  join_steps::distance_limits limits(probe_array const& each) const {
    return {limit, each.keys, each.type, each.valid, relative, by, unit};
  }
};

/// @return how one search finds the match of a probe, if it can: distances are those of codes, and equal keys match
/// @param group bits of the keys of the index that a match shares with its probe
std::optional<nearest_rule> one_search(asof_request const& ask, bool exact, key_type probes, key_type keys,
                                       std::uint64_t group = 0);

/// Probes of an as-of join, within reach of the backend.
struct asof_probes {
  probe_array of;
  std::uint64_t size;
  probe_array tolerances = {};  ///< of each, if the request has them
};

/// The entries on one side of some probes.
struct side_found {
  buffer places;  ///< their keys in the structure; may be empty if neither they nor distances are wanted
  buffer values;  ///< the keys that distances are measured to, if these are others

  void const* measured() const { return values.data() == nullptr ? places.data() : values.data(); }
};

/// Finds the entries on one side of the probes, and writes their rows, or `no_row`.
using side_search = std::function<side_found(bool above, row_array rows)>;

/// A search for the entries on one side of some probes.
struct side_ask {
  probe_array probes;
  std::uint64_t size;
  bool above;
  rounding side;                ///< of probes to keys
  bool last;                    ///< whether the largest row of equal keys is wanted
  key_list* strings = nullptr;  ///< keeps the strings to which keys of entries in shards refer; null if none are wanted
};

/// Writes the row of the nearest entry of each probe, or `no_row`.
/// @param keys the keys of these entries; may be null
void find_side(searched_index const& s, side_ask const& ask, row_array rows, void* keys, execution const& exec);

/// Writes the row of each probe's match.
void find_by_rule(structure const& s, nearest_rule const& rule, asof_probes const& probes, row_array rows,
                  execution const& exec);

/// Searches the sides that count, and writes the row of each probe's match.
/// @param keys the type of the keys
/// @param place_width bytes per place; 0 if places are not wanted
/// @return the place of each match; those of probes without one mean nothing
buffer find_nearest(asof_request const& ask, asof_probes const& probes, key_type keys, std::size_t place_width,
                    row_array rows, side_search const& search, execution const& exec);

/// Adds the tolerances of each probe to the columns of a call, and checks them.
class staged_tolerances {
 public:
  /// @throws invalid_argument for other types, another length and what is no distance
  staged_tolerances(char const* call, asof_request const& ask, std::uint64_t probes, staging& stage,
                    execution const& exec);

  /// @return those from number `first` on
  probe_array from(std::uint64_t first) const { return all_.from(first); }

 private:
  probe_array all_{};
};

/// @throws unsupported for offsets, and for tolerances of each probe
void expect_no_offsets(char const* call, asof_options const& options);

/// Joins moved probes: writes the row of each. @return whether it could
using moved_join = std::function<bool(nullable_column const&, row_output, asof_options const&)>;

/// Joins once per offset. @param probes of a type that is checked @return whether `run` could
bool join_by_offsets(char const* call, nullable_column probes, row_output rows, staging& stage, execution const& exec,
                     asof_options const& options, moved_join const& run);

}  // namespace warpdex
