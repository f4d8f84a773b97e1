// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "delimited.hpp"

#include "escape.hpp"
#include "field_reader.hpp"
#include "rows.hpp"
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace warpdex::tables {
namespace {

/// Formats that are no text, by their first bytes.
struct format {
  std::string_view magic;
  char const* what;
  char const* instead;
};
constexpr format others[] = {
    {"PAR1", "a Parquet file", "write it as CSV, for example with duckdb -c \"COPY 'FILE' TO 'out.csv'\""},
    {"ARROW1", "an Arrow file", "write it as CSV, for example with pyarrow.csv.write_csv"},
    {"PK\x03\x04", "a zip archive, as .npz and .xlsx are", "save one array with numpy.save, or a sheet as CSV"},
    {"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it first: zstd -d FILE"},
    {"\xfd\x37zXZ", "packed by xz", "unpack it first: xz -dk FILE"},
    {"BZh", "packed by bzip2", "unpack it first: bzip2 -dk FILE"},
    {"SQLite format 3", "an SQLite database", "write a table as CSV: sqlite3 -csv -header FILE 'select ...'"},
};

/// Refuses other formats, as far as the beginning of a file tells.
void expect_no_other_format(input_file const& file) {
  for (auto const& [magic, what, instead] : others) {
    if (!file.starts_with(magic)) continue;
    // Short magics are words that a text may begin with; no text has the bytes that follow.
    std::uint64_t const end = std::min(file.size(), usual_part);
    file_part const part(file, 0, end);
    if (std::any_of(part.begin(), part.at(end), [](char c) { return static_cast<unsigned char>(c) < '\t'; }))
      file.fail(fmt::format("is {}, not text; {}", what, instead));
  }
}

/// @return where the content of a text file begins
std::uint64_t begin_of_text(input_file const& file) {
  expect_no_other_format(file);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  return file.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
}

/// The first line of a table.
struct title_line {
  std::vector<std::string> titles;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< where the next line begins
};

title_line read_titles(input_file const& file, char delimiter) {
  title_line line;
  line.begin = begin_of_text(file);
  std::uint64_t const end = std::min(line.begin + file.part_bytes(), file.size());
  file_part part(file, line.begin, end);
  for (;; part.grow()) {
    field_reader reader(part, delimiter);
    line.titles.clear();
    field current;
    for (bool more = true; more && line.titles.size() <= most_columns;) {
      more = reader.take(current);
      line.titles.push_back(current.quoted ? unescape(current.text()) : std::string(current.text()));
    }
    line.end = reader.offset();
    if (reader.done() && !reader.failed() && !part.reaches_end()) continue;
    expect_text(part, std::max(line.end, end));
    reader.expect_good();
    break;
  }
  if (line.titles.size() > most_columns)
    file.fail_at(0, fmt::format("the first line has more than {} fields, which is the most that a table may have",
                                most_columns));
  return line;
}

using names = std::span<std::string const>;

std::string list(names columns) {
  constexpr std::size_t shown = 30;
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), shown); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, in_quotes(columns[i]));
  }
  if (columns.size() > shown) out += fmt::format(" and {} more", columns.size() - shown);
  return out;
}

// If a first row is taken for a header, its key is lost.
void check_is_header(input_file const& file, std::string const& name) {
  if (!is_value(name)) return;
  file.fail_at(0, fmt::format("the header names the column {}, which is a value: the file seems to have no header. "
                              "--no-header reads this line as a row, --header takes it as names",
                              in_quotes(name)));
}

std::optional<std::size_t> find_name(input_file const& file, names columns, std::string const& wanted) {
  auto const found = std::find(columns.begin(), columns.end(), wanted);
  if (found == columns.end()) return {};
  if (std::find(found + 1, columns.end(), wanted) != columns.end()) {
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

std::size_t choose(input_file const& file, names columns, bool header, std::optional<std::string> const& column) {
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

}  // namespace

std::vector<cell_column> split_columns(input_file const& file, char delimiter, std::optional<bool> header,
                                       std::span<std::optional<std::string> const> columns, int threads,
                                       row_places* rows) {
  bool const has_header = header.value_or(true);
  title_line const first = read_titles(file, delimiter);
  if (first.begin == file.size())
    file.fail(fmt::format("the file is empty; a {} was expected", has_header ? "header line" : "row"));
  row_shape shape{.delimiter = delimiter,
                  .fields = first.titles.size(),
                  .keeps_places = rows != nullptr,
                  .first_line = has_header ? "header" : "first line"};
  std::vector<cell_column> out;
  for (auto const& column : columns) {
    std::size_t const wanted = choose(file, first.titles, has_header, column);
    std::string const& name = first.titles[wanted];
    if (!header) check_is_header(file, name);
    shape.wanted.push_back(wanted);
    out.emplace_back(fmt::format("column {}", has_header ? in_quotes(name) : std::to_string(wanted)), delimiter,
                     wanted);
  }
  kept_rows kept = read_rows(file, shape, has_header ? first.end : first.begin, threads);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].take(std::move(kept.cells[i]));
  if (rows != nullptr) *rows = std::move(kept.places);
  return out;
}

cell_column split_table(input_file const& file, char delimiter, std::optional<bool> header,
                        std::optional<std::string> const& column, int threads) {
  return std::move(split_columns(file, delimiter, header, {&column, 1}, threads)[0]);
}

std::vector<std::string> first_line_of(input_file const& file, char delimiter) {
  return read_titles(file, delimiter).titles;
}

std::size_t column_of(input_file const& file, std::span<std::string const> columns, std::string const& wanted) {
  return choose(file, columns, true, wanted);
}

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '"' && quoted && i + 1 < list.size() && list[i + 1] == '"') out.back() += list[i++];
    else if (list[i] == '"') quoted = !quoted;
    else if (list[i] == ',' && !quoted) out.emplace_back();
    else out.back() += list[i];
  }
  return out;
}

cell_column split_lines(input_file const& file, int threads) {
  std::uint64_t const begin = begin_of_text(file);
  if (begin == file.size()) file.fail("the file is empty; one key a line was expected");
  cell_column out;
  out.take(std::move(read_rows(file, {.wanted = {0}}, begin, threads).cells[0]));
  return out;
}

}  // namespace warpdex::tables
