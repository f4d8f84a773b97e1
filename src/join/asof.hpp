// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include "join/join_steps.hpp"

namespace warpdex {

/// What an as-of join asks for, checked.
struct asof_request {
  bool looks_below;
  bool looks_above;
  bool measures;  ///< whether distances count, so that keys are needed
  distance limit;

  /// @throws invalid_argument
  asof_request(char const* call, asof_options const& options, key_type probes, key_type keys);
};

}  // namespace warpdex
