// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/report.hpp"

namespace warpdex::bench {

/// Largest group of `run_loads`.
inline constexpr int most_group_bits = 10;

/// 2^16 threads, `c.probes` loads each from `c.n` numbers, in groups of 1, 2, 4, ... 2^most_group_bits threads. On a
/// CPU the loads of one step of a group follow each other. The sums are checked against numbers that are computed
/// again.
void run_loads(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
