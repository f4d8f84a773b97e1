// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/types.hpp>

#include <string>

namespace warpdex {

/// Reports that a column of row ids holds `no_row`. @throws invalid_argument
template <class Row> [[noreturn]] void refuse_reserved_row() {
  throw invalid_argument("row id " + std::to_string(no_row<Row>) + " stands for a miss and cannot be indexed");
}

}  // namespace warpdex
