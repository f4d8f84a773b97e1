// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/context.hpp"

#include <CLI/CLI.hpp>

namespace warpdex::bench {

/// Runs the program: parses, runs the chosen subcommand, and turns exceptions into a message on standard error and an
/// exit code.
/// @param app each of its subcommands sets `context.action` when chosen
int run_program(CLI::App& app, cli_context& context, int argc, char** argv);

}  // namespace warpdex::bench
