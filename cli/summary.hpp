// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "index_options.hpp"
#include "tools/context.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpdex::cli {

/// The index of a subcommand, for the summary on standard error.
struct index_facts {
  index_facts(opened_index const& opened);

  /// Of an index without a spec.
  index_facts() = default;

  std::string spec;
  std::string key;  ///< the fields of tuples, as `--key` takes them
  backend_kind backend = backend_kind::cpu;
  warpdex::key_type key_type = key_type::u32;
  warpdex::row_type row_type = row_type::u32;
  std::uint64_t entries = 0;
  std::string placement;   ///< of shards; empty for an index in one piece
  std::size_t shards = 0;  ///< how many there are
  std::optional<memory_usage> memory;
  std::optional<build_times> times;
  bool loaded = false;       ///< whether it comes from an index file, or else was built
  double read_seconds = 0;   ///< time to read the file of keys
  double build_seconds = 0;  ///< time to build or load
  std::uint64_t nulls = 0;   ///< cells of keys that were left out
};

/// The work of a subcommand, for the summary on standard error.
struct work_done {
  char const* command = "";
  char const* noun = "probe";  ///< what is looked up
  std::string how;             ///< of a join, otherwise empty
  std::string output;          ///< path, or empty for standard output
  std::uint64_t probes = 0;    ///< number of probes or ranges
  std::uint64_t matches = 0;   ///< of a join: lines written
  std::uint64_t not_keys = 0;  ///< probes, or keys to erase, that are no keys of the index's type
  std::uint64_t nulls = 0;     ///< probes, inserted or erased keys without a value
  double probe_read_seconds = 0;
  double source_read_seconds = 0;  ///< time to read and check the table whose columns are written
  double lookup_seconds = 0;       ///< time in calls of the library, with copies of probes and results
  double write_seconds = 0;        ///< time to write the answers, or the index file
  std::optional<update_counts> changes;
  std::uint64_t entries_before = 0;  ///< of an update
  double update_seconds = 0;         ///< time in the call of the library
  double total_seconds = 0;          ///< time from the start of the subcommand
};

/// Writes two or three lines of text, or one of JSON with `--json`; nothing with `--quiet`.
/// @param has_lookups whether it looked up probes; false for `build` and `update`
void print_summary(cli_context const& context, index_facts const& facts, work_done const& done,
                   bool has_lookups = true);

}  // namespace warpdex::cli
