// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/context.hpp"
#include "bench/report.hpp"

namespace warpdex::bench {

/// Bare rays by Vulkan, without searches in buckets: one per target, each of which hits at once. Keys are spread evenly
/// over 32 bits. Lines: random and sorted targets; the build of the triangles' structure, with its bytes before it is
/// compacted; the compaction, with its bytes after.
/// @param c `n` triangles, `probes` rays
/// @throws unsupported without such a tracer, error for a wrong hit
void run_rays(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
