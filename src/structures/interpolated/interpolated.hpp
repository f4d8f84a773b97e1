// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/interpolated.hpp>

#include "structures/flat_family.hpp"

namespace warpdex {

/// AO+IS.
struct interpolated_family : flat_family<interpolated_family, interpolated> {};

}  // namespace warpdex
