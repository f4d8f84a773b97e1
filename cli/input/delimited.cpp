// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "delimited.hpp"

#include "escape.hpp"
#include "field_reader.hpp"
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace warpdex::input {
namespace {

void check_text(file_bytes const& file) {
  if (file.size() > cell_place::largest_offset) {
    file.fail(fmt::format("text of {} bytes; at most {} can be read", file.size(), cell_place::largest_offset));
  }
  if (file.size() == 0) return;
  if (void const* const found = std::memchr(file.begin(), '\0', file.size())) {
    auto const offset = static_cast<std::size_t>(static_cast<char const*>(found) - file.begin());
    file.fail_at(offset, fmt::format("NUL byte at offset {}: not a text file in UTF-8", offset));
  }
}

bool only_line_ends(char const* from, char const* end) { return std::all_of(from, end, is_line_end); }

using names = std::vector<std::string_view>;  // as written between commas or quotes

std::string list(names const& columns) {
  constexpr std::size_t shown = 30;
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), shown); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, in_quotes(unescape(columns[i])));
  }
  if (columns.size() > shown) out += fmt::format(" and {} more", columns.size() - shown);
  return out;
}

// If a first row is taken for a header, its key is lost.
void check_is_header(file_bytes const& file, std::string const& name) {
  if (!is_value(name)) return;
  file.fail_at(0, fmt::format("the header names the column {}, which is a value: the file seems to have no header. "
                              "--no-header reads this line as a row, --header takes it as names",
                              in_quotes(name)));
}

std::optional<std::size_t> find_name(file_bytes const& file, names const& columns, std::string const& wanted) {
  auto const is_wanted = [&](std::string_view name) { return unescape(name) == wanted; };
  auto const found = std::find_if(columns.begin(), columns.end(), is_wanted);
  if (found == columns.end()) return {};
  if (std::find_if(found + 1, columns.end(), is_wanted) != columns.end()) {
    file.fail_at(
        0, fmt::format("several columns are named {}; give the number of one of {}", in_quotes(wanted), list(columns)));
  }
  return static_cast<std::size_t>(found - columns.begin());
}

std::optional<std::size_t> parse_number(std::string const& text) {
  std::size_t number = 0;
  char const* const last = text.data() + text.size();
  auto const [end, problem] = std::from_chars(text.data(), last, number);
  if (problem != std::errc() || end != last) return {};
  return number;
}

std::size_t choose(file_bytes const& file, names const& columns, bool header,
                   std::optional<std::string> const& column) {
  std::size_t const size = columns.size();
  if (!column) return 0;
  if (header) {
    if (auto const found = find_name(file, columns, *column)) return *found;
  }
  auto const number = parse_number(*column);
  if (number && *number < size) return *number;
  if (header) file.fail_at(0, fmt::format("no column {}; the columns are {}", in_quotes(*column), list(columns)));
  file.fail_at(0, fmt::format("no column {}; without a header, columns are numbers, here 0 to {}", in_quotes(*column),
                              size - 1));
}

void add(file_bytes const& file, std::vector<cell_place>& cells, char const* begin, char const* end) {
  auto const offset = static_cast<std::uint64_t>(begin - file.begin());
  auto const length = static_cast<std::uint64_t>(end - begin);
  if (length > cell_place::largest_length) {
    file.fail_at(offset, fmt::format("{} is too long for a cell", in_quotes({begin, end})));
  }
  cells.emplace_back(offset, length);
}

}  // namespace

cell_column split_table(file_bytes const& file, char delimiter, std::optional<bool> header,
                        std::optional<std::string> const& column) {
  check_text(file);
  bool const has_header = header.value_or(true);
  field_reader reader(file, delimiter);
  if (reader.done()) file.fail(fmt::format("the file is empty; a {} was expected", has_header ? "header line" : "row"));

  names columns;
  field current{};
  for (bool more = true; more;) {
    more = reader.take(current);
    if (columns.size() == most_columns) {
      file.fail_at(0, fmt::format("the first line has more than {} fields, which is the most that a table may have",
                                  most_columns));
    }
    columns.push_back(current.text());
  }
  std::size_t const wanted = choose(file, columns, has_header, column);
  std::string const name = unescape(columns[wanted]);
  if (!header) check_is_header(file, name);

  cell_column out{fmt::format("column {}", has_header ? in_quotes(name) : std::to_string(wanted)), {}};
  for (field_reader rows = has_header ? reader : field_reader(file, delimiter); !rows.done();) {
    if (rows.at_blank_line()) {
      if (only_line_ends(rows.position(), file.end())) break;
      if (columns.size() > 1) file.fail_at(rows.offset(), "blank line");
    }
    std::size_t const line = rows.offset();
    std::size_t fields = 0;
    for (bool more = true; more; ++fields) {
      more = rows.take(current);
      if (fields == wanted) add(file, out.cells, current.begin, current.end);
    }
    if (fields != columns.size()) {
      char const* const begin = file.begin() + line;
      file.fail_at(line, fmt::format("{} {} where the {} has {}: {}", fields, fields == 1 ? "field" : "fields",
                                     has_header ? "header" : "first line", columns.size(),
                                     in_quotes({begin, find_line_end(begin, file.end())})));
    }
  }
  return out;
}

cell_column split_lines(file_bytes const& file) {
  check_text(file);
  char const* next = skip_byte_order_mark(file);
  if (next == file.end()) file.fail("the file is empty; one key a line was expected");
  cell_column out;
  while (next != file.end()) {
    char const* const end = find_line_end(next, file.end());
    if (end == next && only_line_ends(next, file.end())) break;
    add(file, out.cells, next, end);
    next = skip_line_end(end, file.end());
  }
  return out;
}

}  // namespace warpdex::input
