// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "field_reader.hpp"

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

table::table(std::shared_ptr<file_bytes const> file, char delimiter, bool header)
    : file_(std::move(file)), delimiter_(delimiter), rows_(split_table(*file_, delimiter, header, {}).cells) {
  field_reader first(*file_, delimiter);
  field name;
  for (bool more = true; more;) {
    more = first.take(name);
    names_.push_back(!header       ? std::to_string(names_.size())
                     : name.quoted ? unescape(name.text())
                                   : std::string(name.text()));
  }
}

void table::append(std::uint64_t row, std::string& line) const {
  char const* const text = file_->begin() + rows_[row].offset();
  char const* const begin = rows_[row].is_quoted(*file_) ? text - 1 : text;
  field_reader fields(*file_, delimiter_, begin);
  field cell;
  for (bool more = true; more;) {
    more = fields.take(cell);
    if (cell.quoted) line.append(cell.begin - 1, cell.end + 1);
    else line += csv_field(cell.text());
    if (more) line += ',';
  }
}

}  // namespace warpdex::input
