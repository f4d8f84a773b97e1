// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/common_options.hpp"

namespace warpdex {

/// Refuses layouts for keys of type bytes, which are stored in separate arrays.
/// @throws spec_error
void expect_byte_layout(spec const& s, common_options const& choice);

/// Refuses searches by blocks, for structures whose nodes over strings blocks do not sort by.
/// @throws spec_error
void expect_no_blocks(spec const& s, common_options const& choice);

}  // namespace warpdex
