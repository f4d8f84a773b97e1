// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <cstddef>
#include <vector>

#include "columns.hpp"
#include "pieces.hpp"

namespace warpdex::python {

/// @param of a float or an integer
inline asof_tolerance length_of(nb::handle of) {
  if (nb::isinstance<nb::float_>(of)) return nb::cast<double>(of);
  return nb::cast<std::int64_t>(of);
}

/// @param how Python's `AsofHow`
inline asof_options options_of(nb::handle how) {
  asof_options options;
  options.strategy = named<asof_strategy>("strategy", nb::cast<std::string>(how.attr("strategy")),
                                          {{"backward", asof_strategy::backward},
                                           {"forward", asof_strategy::forward},
                                           {"nearest", asof_strategy::nearest}});
  options.allow_exact_matches = nb::cast<bool>(how.attr("allow_exact_matches"));
  nb::object const tolerance = how.attr("tolerance");
  if (!tolerance.is_none()) options.tolerance = length_of(tolerance);
  options.relative = nb::cast<double>(how.attr("relative"));
  options.prefer = named<asof_preference>("prefer", nb::cast<std::string>(how.attr("prefer")),
                                          {{"earlier", asof_preference::earlier}, {"later", asof_preference::later}});
  options.ties = named<asof_ties>("ties", nb::cast<std::string>(how.attr("ties")),
                                  {{"first", asof_ties::first},
                                   {"all", asof_ties::first},
                                   {"last", asof_ties::last},
                                   {"adjacent", asof_ties::adjacent}});
  nb::object const offsets = how.attr("offsets");
  if (offsets.is_none()) return options;
  for (nb::handle const offset : offsets) options.offsets.push_back(length_of(offset));
  return options;
}

/// @param pieces of the columns of a call, the last of which is one of tolerances if there are more than `columns`
inline asof_options with_tolerances(asof_options options, std::vector<piece> const& pieces, std::size_t columns) {
  if (pieces.size() == columns) return options;
  options.tolerances = pieces[columns].values;
  if (options.tolerances.type == key_type::timestamp) options.tolerances.type = key_type::i64;
  return options;
}

}  // namespace warpdex::python
