// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "arrow_column.hpp"
#include "arrow_take.hpp"

/// @file
/// Columns in host memory, in the chunks in which their libraries hold them.
namespace warpdex::python {

/// The chunks of a column, of which nothing is read.
struct chunked_array {
  released<ArrowSchema> schema;
  std::vector<released<ArrowArray>> arrays;

  /// Takes all of an object's `__arrow_c_stream__`.
  /// @param expect looks at the schema before a chunk is made
  static chunked_array of_stream(nanobind::handle from, std::function<void(ArrowSchema const&)> const& expect);

  /// Takes an object's stream, or its `__arrow_c_array__`.
  static chunked_array of(nanobind::handle from);
};

/// Puts the chunks of columns together, on all threads; a column of one chunk stays where it is.
/// @return nothing for columns that a gather does not take, and for those whose chunks have different dictionaries or
/// more bytes of strings than their offsets count
std::vector<std::optional<arrow_column>> in_one_chunk(std::vector<chunked_array> columns, int threads);

}  // namespace warpdex::python
