// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decimals.hpp"
#include "delimited.hpp"
#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::input {

/// @return a text as a field of CSV (RFC 4180): in quotes if it holds a comma, a quote or a line end
std::string csv_field(std::string_view text);

/// The same without a copy of a text that needs no quotes.
/// @param scratch holds the field if there are quotes
std::string_view csv_field(std::string_view text, std::string& scratch);

/// A delimited file whose rows are written again, as fields of CSV.
class table {
 public:
  /// @param header whether the first line names the columns; otherwise their names are their numbers
  /// @param row_places the first cell of each row, if they are known (`split_columns`); or none
  /// @throws format_error as `split_table` does
  table(std::shared_ptr<file_bytes const> file, char delimiter, bool header, int threads = 0,
        std::vector<cell_place> row_places = {});

  /// Keeps only some columns, in the order given. @param columns names, or numbers counted from 0
  /// @throws format_error for a column that is not there
  void select(std::span<std::string const> columns);

  std::uint64_t size() const noexcept { return rows_.size(); }  ///< rows, without the header
  std::vector<std::string> const& names() const noexcept { return names_; }
  std::string const& path() const noexcept { return file_->path(); }

  /// Reads a column of numbers. @param column a name, or a number counted from 0
  decimal_column decimals(std::string const& column) const;

  /// Appends the fields of a row to a line, with commas between them. @param row below `size()`
  void append(std::uint64_t row, std::string& line) const;

 private:
  std::shared_ptr<file_bytes const> file_;
  char delimiter_;
  bool header_;
  int threads_;
  std::vector<std::string> names_;
  std::vector<cell_place> rows_;       ///< the first cell of each
  bool all_ = true;                    ///< whether all columns are kept
  std::vector<std::size_t> selected_;  ///< those that are kept otherwise
};

}  // namespace warpdex::input
