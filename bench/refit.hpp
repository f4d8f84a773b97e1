// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/context.hpp"
#include "bench/report.hpp"

namespace warpdex::bench {

/// RX updated as acceleration structures are: some triangles move to other keys, their boxes are fitted again, and the
/// tree over them stays as it was (paper 003, figure 1c). Lines: lookups in the refitted boxes, and in boxes that are
/// built over the same keys. The tracer is the benchmark's: indexes have no such updates.
/// @param c `n` random u32 keys, of which `moved` become others; `probes` rays, each of which hits
/// @throws error for a wrong hit
void run_refit(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
