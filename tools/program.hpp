// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/context.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace warpdex {

/// Opens each standard stream that is closed, so that no file gets its number and the output that is meant for it. The
/// stream still fails, because it is open in the direction that nobody uses.
void occupy_standard_streams();

/// Gives a program its flags, before its subcommands are added.
/// @param app has the name of the program @param json what the flag `--json` changes
void add_program_flags(CLI::App& app, cli_context& context, std::string const& json);

/// Runs a program: parses, runs the chosen subcommand, and turns exceptions into a message on standard error and an
/// exit code.
/// @param app each of its subcommands sets `context.action` when chosen
/// @param footer the end of its help
int run_program(CLI::App& app, cli_context& context, std::string footer, int argc, char** argv);

}  // namespace warpdex
