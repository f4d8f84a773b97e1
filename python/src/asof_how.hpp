// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include "columns.hpp"

namespace warpdex::python {

/// @param of a float or an integer
inline asof_tolerance length_of(nb::handle of) {
  if (nb::isinstance<nb::float_>(of)) return nb::cast<double>(of);
  return nb::cast<std::int64_t>(of);
}

/// @param how Python's `AsofHow`
inline asof_options options_of(nb::handle how) {
  asof_options options;
  options.direction = named<asof_direction>("direction", nb::cast<std::string>(how.attr("direction")),
                                            {{"backward", asof_direction::backward},
                                             {"forward", asof_direction::forward},
                                             {"nearest", asof_direction::nearest}});
  options.exact = nb::cast<bool>(how.attr("exact"));
  nb::object const tolerance = how.attr("tolerance");
  if (!tolerance.is_none()) options.tolerance = length_of(tolerance);
  options.later = nb::cast<bool>(how.attr("later"));
  options.last_below = nb::cast<bool>(how.attr("last_below"));
  options.last_above = nb::cast<bool>(how.attr("last_above"));
  nb::object const offsets = how.attr("offsets");
  if (offsets.is_none()) return options;
  for (nb::handle const offset : offsets) options.offsets.push_back(length_of(offset));
  return options;
}

}  // namespace warpdex::python
