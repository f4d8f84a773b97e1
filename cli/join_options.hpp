// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "index_options.hpp"

#include <warpdex/join.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpdex::cli {

/// The options of `join`; `index_options::keys` is its right side.
struct join_arguments : index_options {
  std::string how = "inner";
  std::string left;
  std::string lower;
  std::string upper;
  std::string direction;
  std::string tolerance;
  std::string ties;
  bool no_exact = false;
  bool later = false;
  std::string by;
  std::string closed;
  std::string columns = "rows";
  std::string out;
  bool strict = false;

  bool is_asof() const { return how == "asof"; }
  bool is_range() const { return how == "range"; }
  bool is_grouped() const { return !by.empty(); }
  bool has_right() const { return how != "semi" && how != "anti"; }  ///< whether a line has a right side
  bool writes_columns() const { return columns != "rows"; }
  bool includes_lower() const { return closed.empty() || closed == "both" || closed == "left"; }
  bool includes_upper() const { return closed.empty() || closed == "both" || closed == "right"; }

  /// The file and column of the left side; of two, the first.
  std::string const& left_source() const { return !is_range() ? left : lower.empty() ? upper : lower; }
};

void add_join_options(CLI::App& command, join_arguments& options);

/// @throws usage_error for options that are missing or do not go together
void expect_consistent(join_arguments const& options);

/// @return the columns that `--columns` names; none for all of both tables
std::vector<std::string> column_names(join_arguments const& options);

/// @throws usage_error for a tolerance that is no number from 0 on
asof_options asof_options_of(join_arguments const& options);

/// The columns that `--by` names, `COLUMN` or `LEFT=RIGHT`.
struct group_columns {
  std::string left, right;
};
group_columns group_columns_of(join_arguments const& options);

}  // namespace warpdex::cli
