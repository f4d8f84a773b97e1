// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "index_options.hpp"
#include "tables/row_cells.hpp"
#include "tables/table.hpp"

#include <string>
#include <vector>

namespace warpdex::cli {

/// Options of commands that answer rows.
struct row_options {
  std::string columns;  ///< whose cells are written for a row
  std::string source;   ///< the table that an index file was built over
};

/// Adds `--columns` and `--source`.
void add_row_options(CLI::App& command, row_options& options);

/// Adds `--source` alone.
void add_source_option(CLI::App& command, row_options& options);

/// @throws usage_error for an index file without its table, and for a table that nobody asks for
/// @param wants_table whether columns of it are needed
void expect_source(index_options const& index, row_options const& rows, bool wants_table);

/// Checks that table, as far as its first line tells, before anything is read.
/// @param names of columns that are needed besides those of `--columns`
/// @throws what `expect_columns` throws
void expect_table_columns(index_options const& index, row_options const& rows, std::vector<std::string> names);

/// Opens the table whose rows the index answers: that of `--keys`, or of `--source`, whose key column must have the
/// keys of the index, each in its row. Cost for `--source`: one lookup per row.
/// @param opened by options with `keep_table`
/// @throws format_error if it is no table, or not that of the index
tables::table open_source(cli_context const& context, index_options const& index, row_options const& rows,
                          opened_index& opened);

/// @param source what `open_source` returns
/// @return what `options` ask for
tables::row_cells make_row_cells(row_options const& rows, tables::table source, tables::output& out);

/// The same; opens the table if columns of it are asked for.
tables::row_cells make_row_cells(cli_context const& context, index_options const& index, row_options const& rows,
                                 opened_index& opened, tables::output& out);

}  // namespace warpdex::cli
