// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/report.hpp"

namespace warpdex::bench {

/// Encodes and decodes `c.n` tuples of a day and a text of 8 bytes, whose keys are known, and measures a copy.
void run_encode(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
