// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "file.hpp"

#include <warpdex/payload.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Columns of values that are added up: integers and decimals, without rounding.
namespace warpdex::tables {

/// Numbers with the same number of decimals: value i is values[i] / 10^scale.
struct decimal_column {
  std::vector<i128> values;        ///< 0 where there is none
  std::vector<std::uint8_t> null;  ///< 1 for each cell without a value; empty if all have one
  unsigned scale = 0;              ///< of the cell with the most decimals
};

/// Decimals that a cell may have.
inline constexpr unsigned most_decimals = 30;

/// Reads cells such as 12, -0.50 or NULL. @param file of the column
/// @throws format_error for any other cell, and for numbers beyond 127 bits
decimal_column read_decimals(input_file const& file, cell_column const& column);

/// @return the text of value / 10^scale, with that many decimals
std::string format_decimal(i128 value, unsigned scale);

}  // namespace warpdex::tables
