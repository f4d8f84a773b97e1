// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "escape.hpp"
#include "file.hpp"

#include <fmt/format.h>
#include <warpdex/search/simd.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// @file
/// Text files as lines and fields. What a table is, `split_columns` says (delimited.hpp).
namespace warpdex::tables {

/// The first comparison decides nearly all characters.
constexpr bool is_line_end(char c) { return static_cast<unsigned char>(c) <= '\r' && (c == '\n' || c == '\r'); }

inline char const* find_line_end(char const* from, char const* end) { return std::find_if(from, end, is_line_end); }

/// @return the position after LF, CRLF or CR
inline char const* skip_line_end(char const* at, char const* end) {
  if (at == end) return end;
  return at + (std::string_view(at, end).starts_with("\r\n") ? 2 : 1);
}

/// @return the rest of a line from a place in a file on, in quotes for messages
inline std::string rest_of_line(input_file const& file, std::uint64_t offset) {
  file_part part(file, offset, std::min(offset + file.part_bytes(), file.size()));
  char const* end = find_line_end(part.begin(), part.end());
  while (end == part.end() && !part.reaches_end()) {
    part.grow();
    end = find_line_end(part.begin(), part.end());
  }
  return in_quotes({part.begin(), end});
}

/// Finds the characters that may end a field, or quote it, in blocks.
class mark_finder {
 public:
  mark_finder(char const* begin, char const* end, char delimiter) noexcept
      : behind_(begin), end_(end), delimiter_(delimiter) {}

  /// @return the next delimiter, quote, LF or CR, or the end
  char const* next() noexcept {
    while (marks_ == 0) {
      if (behind_ == end_) return end_;
      block_ = behind_;
      take_block();
    }
    char const* const found = block_ + std::countr_zero(marks_);
    marks_ &= marks_ - 1;
    return found;
  }

 private:
  static constexpr std::size_t block_bytes = 64;  ///< the bits of `marks_`

  void take_block() noexcept {
    auto const left = static_cast<std::size_t>(end_ - block_);
    if (left >= block_bytes) {
      marks_ = marks_of(block_);
      behind_ += block_bytes;
      return;
    }
    std::array<char, block_bytes> padded{};
    std::memcpy(padded.data(), block_, left);
    marks_ = marks_of(padded.data()) & ((std::uint64_t{1} << left) - 1);
    behind_ = end_;
  }

  std::uint64_t marks_of(char const* block) const noexcept {
    auto const marks = [&](std::size_t i) {
      simd::bytes text;
      std::memcpy(&text, block + i * sizeof text, sizeof text);
      auto const are = [&](char c) { return text == simd::bytes{} + static_cast<unsigned char>(c); };
      return simd::bytes(are(delimiter_) | are('"') | are('\n') | are('\r'));
    };
    return simd::bits_of_bytes(marks(0), marks(1), marks(2), marks(3));
  }

  std::uint64_t marks_ = 0;  ///< those of the block that were not returned yet
  char const* block_ = nullptr;
  char const* behind_;  ///< the block
  char const* end_;
  char delimiter_;
};

/// The text of a field, without its quotes. Quotes inside of quotes are still doubled.
struct field {
  char const* begin = nullptr;
  char const* end = nullptr;
  bool quoted = false;

  std::string_view text() const { return {begin, end}; }
  std::string_view raw() const { return quoted ? std::string_view(begin - 1, end + 1) : text(); }
};

/// Reads field after field of a part of a delimited file. A field that reaches the end of the part may be cut off
/// there, unless the file ends with it.
class field_reader {
 public:
  /// @param delimiter `no_delimiter` for lines, in which quotes mean nothing
  field_reader(file_part const& part, char delimiter) : field_reader(part, delimiter, part.begin()) {}

  /// Begins at the field at `from`.
  field_reader(file_part const& part, char delimiter, char const* from)
      : part_(&part), marks_(from, part.end(), delimiter), next_(from), end_(part.end()), delimiter_(delimiter) {}

  bool done() const { return next_ == end_; }
  std::uint64_t offset() const { return part_->offset_of(next_); }
  bool at_blank_line() const { return next_ != end_ && is_line_end(*next_); }

  /// Takes one field. @return whether another one follows on the same line; none does after wrong quotes
  bool take(field& out) {
    out.quoted = next_ != end_ && *next_ == '"' && delimiter_ != no_delimiter;
    out.begin = next_;
    char const* const mark = out.quoted ? take_quoted(out) : take_plain(out);
    if (mark != end_ && *mark == delimiter_) {
      next_ = mark + 1;
      return true;
    }
    next_ = skip_line_end(mark, end_);
    if (next_ - mark == 2) marks_.next();  // the LF after a CR
    return false;
  }

  /// @return whether a field had quotes that are never closed, or do not end it
  bool failed() const { return unclosed_ != nullptr || behind_quote_ != nullptr; }

  /// @throws format_error if that is so
  void expect_good() const {
    if (!failed()) return;
    input_file const& file = part_->file();
    if (unclosed_ != nullptr) file.fail_at(part_->offset_of(unclosed_), "a quote opens here and is never closed");
    std::uint64_t const behind = part_->offset_of(behind_quote_);
    file.fail_at(behind, fmt::format("{} follows a closing quote", rest_of_line(file, behind)));
  }

 private:
  char const* take_plain(field& out) {
    do out.end = marks_.next();
    while (out.end != end_ && *out.end == '"');
    return out.end;
  }

  char const* take_quoted(field& out) {
    out.begin = marks_.next() + 1;
    for (;;) {
      do out.end = marks_.next();
      while (out.end != end_ && *out.end != '"');
      if (out.end == end_) {
        if (part_->reaches_end()) unclosed_ = out.begin - 1;
        return end_;
      }
      char const* const behind = out.end + 1;
      char const* const mark = marks_.next();
      if (mark != behind) {
        behind_quote_ = behind;
        return end_;
      }
      if (mark == end_ || *mark != '"') return mark;
    }
  }

  file_part const* part_;
  mark_finder marks_;
  char const* next_;
  char const* end_;
  char const* unclosed_ = nullptr;
  char const* behind_quote_ = nullptr;
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

}  // namespace warpdex::tables
