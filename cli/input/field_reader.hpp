// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "escape.hpp"
#include "file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

/// @file
/// Text files as lines and fields. What a table is, `split_table` says (delimited.hpp).
namespace warpdex::input {

inline char const* skip_byte_order_mark(file_bytes const& file) {
  return std::string_view(file.begin(), file.size()).starts_with("\xef\xbb\xbf") ? file.begin() + 3 : file.begin();
}

/// The first comparison decides nearly all characters.
constexpr bool is_line_end(char c) { return static_cast<unsigned char>(c) <= '\r' && (c == '\n' || c == '\r'); }

inline char const* find_line_end(char const* from, char const* end) { return std::find_if(from, end, is_line_end); }

/// @return behind LF, CRLF or CR
inline char const* skip_line_end(char const* at, char const* end) {
  if (at == end) return end;
  return at + (std::string_view(at, end).starts_with("\r\n") ? 2 : 1);
}

/// The text of a field, without its quotes. Quotes inside of quotes are still doubled.
struct field {
  char const* begin = nullptr;
  char const* end = nullptr;
  bool quoted = false;
  std::string_view text() const { return {begin, end}; }
};

/// Reads field after field of a delimited file.
class field_reader {
 public:
  field_reader(file_bytes const& file, char delimiter) : field_reader(file, delimiter, skip_byte_order_mark(file)) {}

  /// Begins at the field at `from`.
  field_reader(file_bytes const& file, char delimiter, char const* from)
      : file_(file), next_(from), end_(file.end()), delimiter_(delimiter) {}

  bool done() const { return next_ == end_; }
  char const* position() const { return next_; }
  std::size_t offset() const { return static_cast<std::size_t>(next_ - file_.begin()); }
  bool at_blank_line() const { return next_ != end_ && is_line_end(*next_); }

  /// Takes one field. @return whether another one follows on the same line. @throws format_error for quotes that are
  /// never closed or do not end a field
  bool take(field& out) {
    out.quoted = next_ != end_ && *next_ == '"';
    if (out.quoted) {
      take_quoted(out);
    } else {
      out.begin = next_;
      while (next_ != end_ && *next_ != delimiter_ && !is_line_end(*next_)) ++next_;
      out.end = next_;
    }
    if (next_ != end_ && *next_ == delimiter_) {
      ++next_;
      return true;
    }
    next_ = skip_line_end(next_, end_);
    return false;
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
    if (next_ != end_ && *next_ != delimiter_ && !is_line_end(*next_)) {
      std::string_view const rest(next_, find_line_end(next_, end_));
      file_.fail_at(offset(), fmt::format("{} follows a closing quote", in_quotes(rest)));
    }
  }

  file_bytes const& file_;
  char const* next_;
  char const* end_;
  char delimiter_;
};

/// @return the text with single quotes in place of doubled ones
inline std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') ++i;
  }
  return out;
}

}  // namespace warpdex::input
