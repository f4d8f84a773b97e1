// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace warpdex::python {

/// Adds networks of IP addresses, and the parsers of their texts.
void bind_networks(nanobind::module_& m);

}  // namespace warpdex::python
