// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/context.hpp"

namespace CLI {
class App;
}

namespace warpdex::bench {

/// Adds `bench point|range|build|update|join|encode|paper` to the command line. docs/benchmark.md describes what they
/// measure. `parent` and `context` must outlive the parsing and the action.
void add_command(CLI::App& parent, cli_context& context);

}  // namespace warpdex::bench
