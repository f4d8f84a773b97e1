// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/report.hpp"
#include "cli/context.hpp"

namespace warpdex::bench {

/// Bare rays by Vulkan, without searches in buckets: one per target, each of which hits at once. Keys are spread evenly
/// over 32 bits. Lines: random and sorted targets, with the bytes of the triangles' structure; and its build, with its
/// bytes before it is compacted.
/// @param c `n` triangles, `probes` rays, of which a dispatch must take all
/// @throws unsupported without such a tracer, error for a wrong hit
void run_rays(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
