// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "delimited.hpp"

#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace warpdex::input {
namespace {

char const* skip_byte_order_mark(file_bytes const& file) {
  return std::string_view(file.begin(), file.size()).starts_with("\xef\xbb\xbf") ? file.begin() + 3 : file.begin();
}

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

bool only_line_ends(char const* from, char const* end) {
  return std::all_of(from, end, [](char c) { return c == '\n' || c == '\r'; });
}

struct field {
  char const* begin;
  char const* end;
  std::string_view text() const { return {begin, end}; }
};

// Reads field after field of a delimited file.
class field_reader {
 public:
  field_reader(file_bytes const& file, char delimiter)
      : file_(file), next_(skip_byte_order_mark(file)), end_(file.end()), delimiter_(delimiter) {}

  bool done() const { return next_ == end_; }
  char const* position() const { return next_; }
  std::size_t offset() const { return static_cast<std::size_t>(next_ - file_.begin()); }
  bool at_blank_line() const {
    return next_ != end_ && (*next_ == '\n' || std::string_view(next_, end_).starts_with("\r\n"));
  }

  // One field. Returns whether another one follows on the same line.
  bool take(field& out) {
    if (next_ != end_ && *next_ == '"') {
      take_quoted(out);
    } else {
      out.begin = next_;
      while (next_ != end_ && *next_ != delimiter_ && *next_ != '\n') ++next_;
      out.end = next_;
      bool const line_end = next_ == end_ || *next_ == '\n';
      if (line_end && out.end != out.begin && out.end[-1] == '\r') --out.end;
    }
    if (next_ == end_) return false;
    return *next_++ == delimiter_;
  }

 private:
  void take_quoted(field& out) {
    std::size_t const opened = offset();
    out.begin = ++next_;
    for (;;) {
      auto const* const quote =
          static_cast<char const*>(std::memchr(next_, '"', static_cast<std::size_t>(end_ - next_)));
      if (quote == nullptr) file_.fail_at(opened, "a quote opens here and is never closed");
      next_ = quote + 1;
      if (next_ == end_ || *next_ != '"') break;
      ++next_;
    }
    out.end = next_ - 1;
    if (next_ != end_ && *next_ == '\r' && (next_ + 1 == end_ || next_[1] == '\n')) ++next_;
    if (next_ != end_ && *next_ != delimiter_ && *next_ != '\n') {
      std::string_view const rest(next_, std::find(next_, end_, '\n'));
      file_.fail_at(offset(), fmt::format("{} follows a closing quote", in_quotes(rest)));
    }
  }

  file_bytes const& file_;
  char const* next_;
  char const* end_;
  char delimiter_;
};

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') ++i;
  }
  return out;
}

std::string list(std::vector<std::string> const& names) {
  constexpr std::size_t shown = 30;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, in_quotes(names[i]));
  }
  if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
  return out;
}

void check_is_header(file_bytes const& file, std::string const& name) {
  double value = 0;
  timestamp moment{};
  if (parse_key(name, value) != fault::none && parse_key(name, moment) != fault::none) return;
  file.fail_at(0, fmt::format("the header names the column {}, which is a value: the file seems to have no header. "
                              "Add one, choose the column by this name, or name a file of one key a line .txt",
                              in_quotes(name)));
}

std::size_t choose(file_bytes const& file, std::vector<std::string> const& names,
                   std::optional<std::string> const& column) {
  if (!column) {
    check_is_header(file, names[0]);
    return 0;
  }
  auto const found = std::find(names.begin(), names.end(), *column);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), *column) != names.end()) {
      file.fail_at(0, fmt::format("several columns are named {}; give the number of one of {}", in_quotes(*column),
                                  list(names)));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  std::size_t number = 0;
  char const* const last = column->data() + column->size();
  auto const [end, problem] = std::from_chars(column->data(), last, number);
  if (problem != std::errc() || end != last || number >= names.size()) {
    file.fail_at(0, fmt::format("no column {}; the columns are {}", in_quotes(*column), list(names)));
  }
  check_is_header(file, names[number]);
  return number;
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

cell_column split_table(file_bytes const& file, char delimiter, std::optional<std::string> const& column) {
  check_text(file);
  field_reader reader(file, delimiter);
  if (reader.done()) file.fail("the file is empty; a header line was expected");

  std::vector<std::string> names;
  field current{};
  for (bool more = true; more;) {
    more = reader.take(current);
    names.push_back(unescape(current.text()));
  }
  std::size_t const wanted = choose(file, names, column);

  cell_column out{names[wanted], {}};
  while (!reader.done()) {
    if (reader.at_blank_line()) {
      if (only_line_ends(reader.position(), file.end())) break;
      file.fail_at(reader.offset(), "blank line");
    }
    std::size_t const line = reader.offset();
    std::size_t fields = 0;
    for (bool more = true; more; ++fields) {
      more = reader.take(current);
      if (fields == wanted) add(file, out.cells, current.begin, current.end);
    }
    if (fields != names.size()) {
      char const* const begin = file.begin() + line;
      file.fail_at(line, fmt::format("{} {} where the header has {}: {}", fields, fields == 1 ? "field" : "fields",
                                     names.size(), in_quotes({begin, std::find(begin, file.end(), '\n')})));
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
    auto const* line_end =
        static_cast<char const*>(std::memchr(next, '\n', static_cast<std::size_t>(file.end() - next)));
    char const* const following = line_end == nullptr ? file.end() : line_end + 1;
    if (line_end == nullptr) line_end = file.end();
    char const* const end = line_end != next && line_end[-1] == '\r' ? line_end - 1 : line_end;
    if (end == next) {
      if (only_line_ends(next, file.end())) break;
      file.fail_at(static_cast<std::size_t>(next - file.begin()), "blank line");
    }
    add(file, out.cells, next, end);
    next = following;
  }
  return out;
}

}  // namespace warpdex::input
