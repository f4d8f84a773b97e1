// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include <warpdex/arrow_chunk.hpp>
#include "values.hpp"

/// @file
/// Arrays that cross the border by Arrow's C data interface, without pyarrow.
namespace warpdex::python {

using shared_chunk = std::shared_ptr<arrow_chunk const>;

/// @return a NumPy array over memory that `held` keeps alive
nanobind::object array_over(void const* data, std::uint64_t size, nanobind::dlpack::dtype type,
                            std::shared_ptr<void const> const& held);

/// @return the chunks of an object with `__arrow_c_array__` or `__arrow_c_stream__`, of which there is one at least
std::vector<shared_chunk> chunks_of(nanobind::handle from);

/// @return (format, length, values, nulls, dictionary) of each chunk, where the dictionary is such a tuple or None.
/// Adjacent chunks that share a dictionary share its tuple
nanobind::list chunk_tuples(std::vector<shared_chunk> const& chunks);

/// @return the family of a chunk whose values are keys as they are; "" for another one
char const* plain_family(arrow_chunk const& chunk);

/// @return parts with the values of such chunks. Adjacent chunks that share a dictionary share its words
nanobind::list plain_parts(std::vector<shared_chunk> const& chunks);

/// Adds `read_arrow` and `ArrowArray` to the module.
void bind_arrow(nanobind::module_& m);

}  // namespace warpdex::python
