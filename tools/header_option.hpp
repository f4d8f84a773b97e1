// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>

namespace warpdex {

/// Adds `--header` and `--no-header`, which say how all tables of a call are read (`read_options::header` in
/// tables/keys.hpp). It is header-only, so a library of subcommands can use it.
inline void add_header_option(CLI::App& command, std::optional<bool>& header) {
  auto* const present = command.add_flag_callback(
      "--header", [&header] { header = true; },
      "The first line of tables (CSV) names the columns, even if the name of the chosen column is a value");
  command
      .add_flag_callback(
          "--no-header", [&header] { header = false; }, "The first line of tables (CSV) is a row; columns are numbers")
      ->excludes(present);
}

}  // namespace warpdex
