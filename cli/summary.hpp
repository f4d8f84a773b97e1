// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context.hpp"
#include "index_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpdex::cli {

/// What a subcommand did, for the summary on standard error.
struct work_done {
  char const* command = "";
  std::string output;        ///< path, or empty for standard output
  std::uint64_t probes = 0;  ///< or ranges
  std::uint64_t matches = 0;
  std::uint64_t not_keys = 0;  ///< probes that are no keys of the index's type, or such keys to erase
  std::uint64_t nulls = 0;     ///< probes, inserted or erased keys without a value
  double probe_read_seconds = 0;
  double lookup_seconds = 0;  ///< in calls of the library, copies of probes and results included
  std::optional<update_counts> changes;
  double update_seconds = 0;  ///< in the call of the library
  double total_seconds = 0;   ///< from the start of the subcommand
};

/// Writes two or three lines of text, or one of JSON with `--json`; nothing with `--quiet`.
/// @param has_lookups false for `build` and `update`
void print_summary(cli_context const& context, opened_index const& opened, work_done const& done,
                   bool has_lookups = true);

}  // namespace warpdex::cli
