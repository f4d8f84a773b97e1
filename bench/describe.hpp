// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/context.hpp"

namespace CLI {
class App;
}

namespace warpdex::bench {

/// Adds the subcommands `info|advise|verify`, which measure nothing: what the library has, advice for a file of keys,
/// and a check of an index file. `app` and `context` must outlive the parsing and the action.
void add_descriptions(CLI::App& app, cli_context& context);

}  // namespace warpdex::bench
