// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpdex::tables {

std::string csv_field(std::string_view text) {
  std::string scratch;
  return std::string(csv_field(text, scratch));
}

std::string_view csv_field(std::string_view text, std::string& scratch) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return text;
  scratch = '"';
  for (char const c : text) {
    if (c == '"') scratch += '"';
    scratch += c;
  }
  return scratch += '"';
}

table::table(std::shared_ptr<input_file const> file, char delimiter, bool header, int threads, row_places rows)
    : file_(std::move(file)), delimiter_(delimiter), header_(header), threads_(threads),
      names_(first_line_of(*file_, delimiter)), rows_(std::move(rows)), window_(*file_, 0, 0) {
  if (rows_.size() == 0) split_columns(*file_, delimiter, header, {}, threads, &rows_);
  for (std::size_t i = 0; !header && i < names_.size(); ++i) names_[i] = std::to_string(i);
}

void table::select(std::span<std::string const> columns) {
  selected_.clear();
  std::vector<std::string> chosen;
  for (std::string const& column : columns) {
    selected_.push_back(column_of(*file_, names_, column));
    chosen.push_back(names_[selected_.back()]);
  }
  names_ = std::move(chosen);
  all_ = false;
}

std::vector<decimal_column> table::decimals(std::span<std::string const> columns) const {
  std::vector<std::optional<std::string>> const wanted(columns.begin(), columns.end());
  auto const cells = split_columns(*file_, delimiter_, header_, wanted, threads_);
  std::vector<decimal_column> out;
  for (cell_column const& column : cells) out.push_back(read_decimals(*file_, column));
  file_->expect_unchanged();
  return out;
}

field_reader table::fields_of(std::uint64_t row) {
  constexpr std::uint64_t window_bytes = 4096;  // a page, which often holds the next row too
  auto const [part, i] = rows_.find(row);
  std::uint64_t const begin = part.begin(i);
  if (!window_.covers(begin, part.end(i))) {
    window_ = file_part(*file_, begin, std::max(part.end(i), std::min(begin + window_bytes, file_->size())));
    file_->expect_unchanged();
  }
  return {window_, delimiter_, window_.at(begin)};
}

void table::append(std::uint64_t row, std::string& line) {
  field_reader fields = fields_of(row);
  std::string scratch;
  auto const add = [&](field const& cell) { line += cell.quoted ? cell.raw() : csv_field(cell.text(), scratch); };
  if (all_) {
    field cell;
    for (bool more = true; more;) {
      more = fields.take(cell);
      add(cell);
      if (more) line += ',';
    }
    return;
  }
  if (std::is_sorted(selected_.begin(), selected_.end(), std::less_equal<>())) {  // each column once, from the left
    field cell;
    std::size_t next = 0;
    for (std::size_t i = 0; next < selected_.size(); ++i) {
      fields.take(cell);
      if (i != selected_[next]) continue;
      if (next++ != 0) line += ',';
      add(cell);
    }
    return;
  }
  std::vector<field> cells(*std::max_element(selected_.begin(), selected_.end()) + 1);
  for (field& cell : cells) fields.take(cell);
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    if (i != 0) line += ',';
    add(cells[selected_[i]]);
  }
}

}  // namespace warpdex::tables
