// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace warpdex::python {

/// Adds encoders of tuples, and borders of prefixes.
void bind_encoder(nanobind::module_& m);

}  // namespace warpdex::python
