// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "shared_index.hpp"

namespace warpdex::python {

/// Adds the lookups of the library's table to the module, and the methods of indexes that run them over columns in
/// parts. Joins are lookups that answer pairs.
void bind_asking(nanobind::module_& m, nanobind::class_<shared_index>& index_class);

}  // namespace warpdex::python
