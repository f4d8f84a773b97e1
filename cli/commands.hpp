// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/context.hpp"

#include <CLI/CLI.hpp>

/// @file
/// The subcommands. Each function adds its own to `app` and lets it set `context.action` when chosen.
/// `app` and `context` must outlive the parsing and the action.
namespace warpdex::cli {

void add_build(CLI::App& app, cli_context& context);
void add_update(CLI::App& app, cli_context& context);
void add_lookups(CLI::App& app, cli_context& context);  ///< all that take probes: find to longest
void add_range(CLI::App& app, cli_context& context);
void add_join(CLI::App& app, cli_context& context);
void add_advise(CLI::App& app, cli_context& context);
void add_info(CLI::App& app, cli_context& context);

}  // namespace warpdex::cli
