// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// @file
/// Tables of Arrow's device interface: their columns, rows gathered from them, and tables made of columns.
namespace warpdex::python {

/// Adds `ArrowColumn` and `gather_table` to the module.
void bind_tables(nanobind::module_& m);

}  // namespace warpdex::python
