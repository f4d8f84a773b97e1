// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "shared_index.hpp"

namespace warpdex::python {

/// Adds joins to the module and to the class of indexes, and keys made of several columns.
void bind_joins(nanobind::module_& m, nanobind::class_<shared_index>& index_class);

}  // namespace warpdex::python
