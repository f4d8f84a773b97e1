// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace warpdex::python {

/// Adds searches for distinct keys to the module.
void bind_distinct(nanobind::module_& m);

}  // namespace warpdex::python
