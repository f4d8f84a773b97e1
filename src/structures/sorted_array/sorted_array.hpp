// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/sorted_array.hpp>

#include "structures/flat_family.hpp"

namespace warpdex {

/// AO+BS.
struct sorted_array_family : flat_family<sorted_array> {};

}  // namespace warpdex
