// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include "backend/cuda/loops.cuh"
#include "base/reserved_row.hpp"

/// @file
/// Row ids of a build on the device.
namespace warpdex::cuda {

/// Numbers the elements of an array.
template <class Number> struct number_elements {
  Number* numbers;
  WDX_HD void operator()(std::uint64_t i) const { numbers[i] = static_cast<Number>(i); }
};

template <class Row> struct is_reserved_row {
  Row const* rows;
  WDX_HD bool operator()(std::uint64_t i) const { return rows[i] == no_row<Row>; }
};

/// Synchronises. @throws invalid_argument if a row id is `no_row`
template <class Row> void expect_rows(Row const* rows, std::uint64_t n, execution const& exec) {
  if (count_if(exec, n, is_reserved_row<Row>{rows}) != 0) refuse_reserved_row<Row>();
}

}  // namespace warpdex::cuda
