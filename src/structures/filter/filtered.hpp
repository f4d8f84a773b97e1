// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "structures/structure.hpp"

/// @file
/// The option `filter` of specs: a filter (key_filter.hpp) in front of a structure with an order. Lookups of equal keys
/// ask it first, and search for those probes alone that may be keys. All else goes to the structure.
namespace warpdex {

/// @param behind the plan of the structure itself
/// @param request the spec @param filter its option, the bits per key
/// @throws spec_error
std::unique_ptr<plan> with_filter(std::unique_ptr<plan> behind, spec const& request, spec::word const& filter);

}  // namespace warpdex
