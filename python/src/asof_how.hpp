// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include "columns.hpp"

namespace warpdex::python {

/// @param how Python's `AsofHow`
inline asof_options options_of(nb::handle how) {
  asof_options options;
  options.direction = named<asof_direction>("direction", nb::cast<std::string>(how.attr("direction")),
                                            {{"backward", asof_direction::backward},
                                             {"forward", asof_direction::forward},
                                             {"nearest", asof_direction::nearest}});
  options.exact = nb::cast<bool>(how.attr("exact"));
  nb::object const tolerance = how.attr("tolerance");
  if (nb::isinstance<nb::float_>(tolerance)) options.tolerance = nb::cast<double>(tolerance);
  else if (!tolerance.is_none()) options.tolerance = nb::cast<std::int64_t>(tolerance);
  options.later = nb::cast<bool>(how.attr("later"));
  options.last_below = nb::cast<bool>(how.attr("last_below"));
  options.last_above = nb::cast<bool>(how.attr("last_above"));
  return options;
}

}  // namespace warpdex::python
