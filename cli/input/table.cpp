// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "field_reader.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpdex::input {

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

table::table(std::shared_ptr<file_bytes const> file, char delimiter, bool header, int threads,
             std::vector<cell_place> row_places)
    : file_(std::move(file)), delimiter_(delimiter), header_(header), threads_(threads), rows_(std::move(row_places)) {
  if (rows_.empty()) rows_ = split_table(*file_, delimiter, header, {}, threads).cells;
  field_reader first(*file_, delimiter);
  field name;
  for (bool more = true; more;) {
    more = first.take(name);
    names_.push_back(!header       ? std::to_string(names_.size())
                     : name.quoted ? unescape(name.text())
                                   : std::string(name.text()));
  }
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

decimal_column table::decimals(std::string const& column) const {
  return read_decimals(*file_, split_table(*file_, delimiter_, header_, column, threads_));
}

void table::append(std::uint64_t row, std::string& line) const {
  char const* const text = file_->begin() + rows_[row].offset();
  char const* const begin = rows_[row].is_quoted(*file_) ? text - 1 : text;
  field_reader fields(*file_, delimiter_, begin);
  std::string scratch;
  auto const add = [&](field const& cell) {
    if (cell.quoted) line.append(cell.begin - 1, cell.end + 1);
    else line += csv_field(cell.text(), scratch);
  };
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

}  // namespace warpdex::input
