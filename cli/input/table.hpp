// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delimited.hpp"
#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
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
  /// @throws format_error as `split_table` does
  table(std::shared_ptr<file_bytes const> file, char delimiter, bool header);

  std::uint64_t size() const noexcept { return rows_.size(); }  ///< rows, without the header
  std::vector<std::string> const& names() const noexcept { return names_; }
  std::string const& path() const noexcept { return file_->path(); }

  /// Appends the fields of a row to a line, with commas between them. @param row below `size()`
  void append(std::uint64_t row, std::string& line) const;

 private:
  std::shared_ptr<file_bytes const> file_;
  char delimiter_;
  std::vector<std::string> names_;
  std::vector<cell_place> rows_;  ///< the first cell of each
};

}  // namespace warpdex::input
