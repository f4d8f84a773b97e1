// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/report.hpp"

namespace warpdex::bench {

/// `find` of `c.probes` probes by `c.threads` threads at once, each on its own stream, many calls each. A thread
/// waits for its work after 32 calls. On a device launches of an empty kernel are the baseline. All answers of the last
/// calls are checked.
void run_calls(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
