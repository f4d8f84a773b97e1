// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aggregates.hpp"
#include "index_options.hpp"
#include "row_options.hpp"
#include "summary.hpp"
#include "tables/keys.hpp"
#include "tables/output.hpp"
#include "tools/context.hpp"

#include <string>
#include <vector>

/// @file
/// What the commands that look up a column of probes have in common (lookups.cpp).
namespace warpdex::cli {

struct lookup_options : index_options, row_options, aggregate_options {
  std::string probes;
  std::vector<std::string> values;  ///< probes without a file
  std::string out;
  std::string ties = "first";
  bool strict = false;
  bool rows = false;
  bool no_exact = false;
};

/// The inputs of one lookup.
struct lookup {
  lookup_options const& options;
  opened_index const& opened;
  tables::key_column const& probes;
  tables::output& out;
  tables::row_cells& rows;
  aggregates* values;  ///< of the rows of each probe, if they are asked for
  progress& shown;
  work_done& done;

  /// Writes the first line: the names of the probes' cells, then `names`, then those of rows if lines end with one.
  void write_header(std::string const& names, bool with_row) const;
};

/// Writes the key next to each probe, `probe,key,row` (lookup_neighbours.cpp).
void write_floors(lookup const& job);
void write_ceilings(lookup const& job);
void write_nearest_keys(lookup const& job);

}  // namespace warpdex::cli
