// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpdex::tables {

/// The groups of the rows of a table.
struct group_column {
  std::vector<std::uint64_t> numbers;   ///< one per row
  std::vector<std::uint64_t> left_out;  ///< rows without a group, in order; their numbers mean nothing
};

/// Numbers groups. Two cells have the same number if they are written the same, in whichever column.
class group_numbers {
 public:
  /// @param column must outlive this object, which keeps views of its text
  group_column number(cell_column const& column);

 private:
  std::unordered_map<std::string_view, std::uint64_t> numbers_;
};

}  // namespace warpdex::tables
