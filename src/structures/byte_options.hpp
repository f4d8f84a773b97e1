// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/common_options.hpp"

namespace warpdex {

/// Refuses options that do not apply to keys of type bytes: strings lie in arrays of their own, and blocks do not copy
/// or sort them.
/// @throws spec_error
void expect_plain_bytes(spec const& s, common_options const& choice);

}  // namespace warpdex
