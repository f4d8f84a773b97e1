// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace warpdex::python {

/// Adds sets of keys to the module.
void bind_key_sets(nanobind::module_& m);

}  // namespace warpdex::python
