// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

namespace warpdex {

/// Builds an index that `find` asks for the first row of a value. Rows whose value is in the first ones of the column
/// are left out, so a column of few values has a small index. Row ids are positions. Synchronises.
index build_firsts(char const* call, spec const& s, nullable_column const& keys, execution const& exec);

}  // namespace warpdex
