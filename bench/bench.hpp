// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/against.hpp"

namespace CLI {
class App;
}

namespace warpdex::bench {

/// Adds the subcommands `point|range|build|update|join|encode|lines|calls|loads|rays|refit`.
/// docs/reference/benchmark.md describes what they measure. `app` and `context` must outlive the parsing and the
/// action.
void add_benchmarks(CLI::App& app, bench_context& context);

}  // namespace warpdex::bench
