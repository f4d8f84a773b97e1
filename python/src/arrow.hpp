// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// @file
/// Arrays that cross the border by Arrow's C data interface, without pyarrow.
namespace warpdex::python {

/// Adds `read_arrow` and `ArrowArray` to the module.
void bind_arrow(nanobind::module_& m);

}  // namespace warpdex::python
