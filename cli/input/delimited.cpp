// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "delimited.hpp"

#include "crew.hpp"
#include "escape.hpp"
#include "field_reader.hpp"
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <utility>

namespace warpdex::input {
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

void check_text(file_bytes const& file) {
  for (auto const& [magic, what, instead] : others) {
    bool const is_it = std::string_view(file.begin(), file.size()).starts_with(magic);
    // Short magics are words that a text may begin with; no text has the bytes that follow.
    if (is_it && std::any_of(file.begin(), file.end(), [](char c) { return c >= 0 && c < '\t'; }))
      file.fail(fmt::format("is {}, not text; {}", what, instead));
  }
  if (file.size() > cell_place::largest_offset) {
    file.fail(fmt::format("text of {} bytes; at most {} can be read", file.size(), cell_place::largest_offset));
  }
  if (file.size() == 0) return;
  if (void const* const found = std::memchr(file.begin(), '\0', file.size())) {
    auto const offset = static_cast<std::size_t>(static_cast<char const*>(found) - file.begin());
    file.fail_at(offset, fmt::format("NUL byte at offset {}: not a text file in UTF-8", offset));
  }
}

/// @return behind the last character that is no line end
char const* end_of_content(file_bytes const& file) {
  char const* end = file.end();
  while (end != file.begin() && is_line_end(end[-1])) --end;
  return end;
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
void check_is_header(file_bytes const& file, std::string const& name) {
  if (!is_value(name)) return;
  file.fail_at(0, fmt::format("the header names the column {}, which is a value: the file seems to have no header. "
                              "--no-header reads this line as a row, --header takes it as names",
                              in_quotes(name)));
}

std::optional<std::size_t> find_name(file_bytes const& file, names columns, std::string const& wanted) {
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

std::size_t choose(file_bytes const& file, names columns, bool header, std::optional<std::string> const& column) {
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

/// What the rows of a table look like.
struct table_shape {
  char delimiter;
  std::size_t fields;               ///< of each row
  std::vector<std::size_t> wanted;  ///< fields whose cells are taken
  char const* first_line;           ///< what a message calls the first line
  char const* content_end;          ///< behind the last character that is no line end
};

/// Some rows of a table.
struct table_piece {
  char const* begin = nullptr;                 ///< where its first row is supposed to begin
  char const* end = nullptr;                   ///< where the row behind it begins
  std::vector<std::vector<cell_place>> cells;  ///< of each field that is wanted
  std::exception_ptr problem;
};

/// Reads the rows that begin from `begin` on and before `limit`. @return where the next row begins
char const* read_rows(file_bytes const& file, table_shape const& shape, char const* begin, char const* limit,
                      std::vector<std::vector<cell_place>>& cells) {
  cells.assign(shape.wanted.size(), {});
  std::vector<field> row(shape.fields);
  field_reader rows(file, shape.delimiter, begin);
  while (!rows.done() && rows.position() < limit) {
    if (rows.at_blank_line()) {
      if (rows.position() >= shape.content_end) return file.end();
      if (shape.fields > 1) file.fail_at(rows.offset(), "blank line");
    }
    std::size_t const line = rows.offset();
    std::size_t fields = 0;
    field beyond;
    for (bool more = true; more; ++fields) more = rows.take(fields < shape.fields ? row[fields] : beyond);
    if (fields != shape.fields) {
      char const* const at = file.begin() + line;
      file.fail_at(line, fmt::format("{} {} where the {} has {}: {}", fields, fields == 1 ? "field" : "fields",
                                     shape.first_line, shape.fields, in_quotes({at, find_line_end(at, file.end())})));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      field const& taken = row[shape.wanted[i]];
      add(file, cells[i], taken.begin, taken.end);
    }
  }
  return rows.position();
}

std::size_t count_quotes(char const* from, char const* end) {
  constexpr std::size_t block = 128;  // of a length that compilers turn into vectors, and that a byte can count
  std::size_t all = 0;
  for (; end - from >= static_cast<std::ptrdiff_t>(block); from += block) {
    unsigned char some = 0;
    for (std::size_t i = 0; i < block; ++i) some = static_cast<unsigned char>(some + (from[i] == '"' ? 1 : 0));
    all += some;
  }
  return all + static_cast<std::size_t>(std::count(from, end, '"'));
}

/// Cuts the rows from `begin` on into pieces. A piece begins behind the first line end that follows an even number of
/// quotes; that is a guess, because a quote inside of a field without quotes means nothing.
std::vector<table_piece> cut_rows(file_bytes const& file, char const* begin, int threads) {
  constexpr std::size_t least_bytes = std::size_t{1} << 20;
  auto const bytes = static_cast<std::size_t>(file.end() - begin);
  std::size_t const count = std::clamp<std::size_t>(bytes / least_bytes, 1, 8 * number_of_threads(threads));
  auto const border = [&](std::size_t i) { return begin + bytes / count * i; };
  std::vector<table_piece> pieces(count);
  pieces[0].begin = begin;
  std::vector<std::size_t> quotes(count);
  run_parts(count - 1, threads, [&](std::size_t i) { quotes[i + 1] = count_quotes(border(i), border(i + 1)); });
  bool quoted = false;
  for (std::size_t i = 1; i < count; ++i) {
    quoted ^= quotes[i] % 2 != 0;
    bool inside = quoted;
    char const* at = border(i);
    char const* const last = i + 1 < count ? border(i + 1) : file.end();
    for (; at != last && (inside || !is_line_end(*at)); ++at) inside ^= *at == '"';
    pieces[i].begin = skip_line_end(at, file.end());
  }
  return pieces;
}

std::vector<std::vector<cell_place>> read_all_rows(file_bytes const& file, table_shape const& shape, char const* begin,
                                                   int threads) {
  std::vector<table_piece> pieces = cut_rows(file, begin, threads);
  auto const limit = [&](std::size_t i) { return i + 1 < pieces.size() ? pieces[i + 1].begin : file.end(); };
  run_parts(pieces.size(), threads, [&](std::size_t i) {
    try {
      pieces[i].end = read_rows(file, shape, pieces[i].begin, limit(i), pieces[i].cells);
    } catch (...) {
      pieces[i].problem = std::current_exception();
    }
  });
  std::vector<std::vector<cell_place>> all(shape.wanted.size());
  char const* next = begin;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    table_piece& piece = pieces[i];
    bool const guessed = piece.begin == next;
    if (guessed && piece.problem) std::rethrow_exception(piece.problem);
    if (!guessed) piece.end = read_rows(file, shape, next, limit(i), piece.cells);
    next = piece.end;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (pieces.size() == 1) all[c] = std::move(piece.cells[c]);
      else all[c].insert(all[c].end(), piece.cells[c].begin(), piece.cells[c].end());
      piece.cells[c] = {};
    }
  }
  return all;
}

}  // namespace

std::vector<cell_column> split_columns(file_bytes const& file, char delimiter, std::optional<bool> header,
                                       std::span<std::optional<std::string> const> columns, int threads,
                                       std::vector<cell_place>* row_places) {
  check_text(file);
  bool const has_header = header.value_or(true);
  field_reader reader(file, delimiter);
  if (reader.done()) file.fail(fmt::format("the file is empty; a {} was expected", has_header ? "header line" : "row"));
  char const* const first = reader.position();

  std::vector<std::string> titles;
  field current{};
  for (bool more = true; more;) {
    more = reader.take(current);
    if (titles.size() == most_columns) {
      file.fail_at(0, fmt::format("the first line has more than {} fields, which is the most that a table may have",
                                  most_columns));
    }
    titles.push_back(current.quoted ? unescape(current.text()) : std::string(current.text()));
  }
  table_shape shape{delimiter, titles.size(), {}, has_header ? "header" : "first line", end_of_content(file)};
  std::vector<cell_column> out;
  for (auto const& column : columns) {
    std::size_t const wanted = choose(file, titles, has_header, column);
    std::string const& name = titles[wanted];
    if (!header) check_is_header(file, name);
    shape.wanted.push_back(wanted);
    out.push_back({fmt::format("column {}", has_header ? in_quotes(name) : std::to_string(wanted)), {}});
  }
  if (row_places != nullptr) shape.wanted.push_back(0);
  auto cells = read_all_rows(file, shape, has_header ? reader.position() : first, threads);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].cells = std::move(cells[i]);
  if (row_places != nullptr) *row_places = std::move(cells.back());
  return out;
}

cell_column split_table(file_bytes const& file, char delimiter, std::optional<bool> header,
                        std::optional<std::string> const& column, int threads) {
  return std::move(split_columns(file, delimiter, header, {&column, 1}, threads)[0]);
}

std::size_t column_of(file_bytes const& file, std::span<std::string const> columns, std::string const& wanted) {
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

cell_column split_lines(file_bytes const& file) {
  check_text(file);
  char const* next = skip_byte_order_mark(file);
  if (next == file.end()) file.fail("the file is empty; one key a line was expected");
  cell_column out;
  char const* const content_end = end_of_content(file);
  while (next != file.end()) {
    char const* const end = find_line_end(next, file.end());
    if (end == next && next >= content_end) break;
    add(file, out.cells, next, end);
    next = skip_line_end(end, file.end());
  }
  return out;
}

}  // namespace warpdex::input
