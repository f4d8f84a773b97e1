// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace warpdex::python {

/// Adds quantiles of ranges.
void bind_quantiles(nanobind::module_& m);

}  // namespace warpdex::python
