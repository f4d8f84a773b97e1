// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decimals.hpp"
#include "delimited.hpp"
#include "field_reader.hpp"
#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::tables {

/// @return a text as a field of CSV (RFC 4180): in quotes if it holds a comma, a quote or a line end
std::string csv_field(std::string_view text);

/// The same without a copy of a text that needs no quotes.
/// @param scratch holds the field if there are quotes
std::string_view csv_field(std::string_view text, std::string& scratch);

/// A delimited file whose rows are written again, as fields of CSV.
class table {
 public:
  /// @param header whether the first line names the columns; otherwise their names are their numbers
  /// @param rows where rows begin, if it is known (`split_columns`); or none
  /// @throws format_error as `split_columns` does
  table(std::shared_ptr<input_file const> file, char delimiter, bool header, int threads = 0, row_places rows = {});

  /// Keeps only some columns, in the order given. @param columns names, or numbers counted from 0
  /// @throws format_error for a column that is not there
  void select(std::span<std::string const> columns);

  std::uint64_t size() const noexcept { return rows_.size(); }  ///< rows, without the header
  std::vector<std::string> const& names() const noexcept { return names_; }
  std::string const& path() const noexcept { return file_->path(); }

  /// Reads columns of numbers. @param columns names, or numbers counted from 0
  /// @throws io_error if the file was written to since the rows were read
  std::vector<decimal_column> decimals(std::span<std::string const> columns) const;

  /// Appends the fields of a row to a line, with commas between them. The row is read again if the file is not held.
  /// @param row below `size()`
  /// @throws io_error as above
  void append(std::uint64_t row, std::string& line);

 private:
  field_reader fields_of(std::uint64_t row);

  std::shared_ptr<input_file const> file_;
  char delimiter_;
  bool header_;
  int threads_;
  std::vector<std::string> names_;
  row_places rows_;
  file_part window_;                   ///< the part of the file in which a row was found last
  bool all_ = true;                    ///< whether all columns are kept
  std::vector<std::size_t> selected_;  ///< those that are kept otherwise
};

}  // namespace warpdex::tables
