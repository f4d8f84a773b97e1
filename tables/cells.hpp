// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// What is kept of text files: the cells of some columns, and where rows begin. Both are kept in parts, one for each
/// part of a file that a thread read, so that no cell is copied twice.
namespace warpdex::tables {

/// The delimiter of lines that are one cell each: none.
inline constexpr char no_delimiter = '\0';

/// Cells of rows that follow each other. A cell in quotes has them still.
class cell_part {
 public:
  /// @param rows_begin where the first of the rows begins in the file
  explicit cell_part(std::uint64_t rows_begin = 0) noexcept : rows_begin_(rows_begin) {}

  std::uint64_t rows_begin() const noexcept { return rows_begin_; }
  std::size_t size() const noexcept { return ends_.size(); }
  std::string_view raw(std::size_t i) const noexcept {
    std::size_t const begin = i == 0 ? 0 : ends_[i - 1];
    return {text_.data() + begin, ends_[i] - begin};
  }
  void push_back(std::string_view raw) {
    text_ += raw;
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  void shrink() {
    text_.shrink_to_fit();
    ends_.shrink_to_fit();
  }

 private:
  std::uint64_t rows_begin_;
  std::string text_;
  std::vector<std::uint32_t> ends_;
};

/// Where rows that follow each other begin in a file.
class row_part {
 public:
  /// @param begin of a part of the file, in which all rows begin
  explicit row_part(std::uint64_t begin = 0) noexcept : begin_(begin) {}

  std::size_t size() const noexcept { return rows_.size(); }
  std::uint64_t begin(std::size_t i) const noexcept { return begin_ + rows_[i]; }
  std::uint64_t end(std::size_t i) const noexcept { return i + 1 < rows_.size() ? begin(i + 1) : end_; }
  void push_back(std::uint64_t begin) { rows_.push_back(static_cast<std::uint32_t>(begin - begin_)); }
  void finish(std::uint64_t end) {
    rows_.shrink_to_fit();
    end_ = end;
  }

 private:
  std::uint64_t begin_;
  std::uint64_t end_ = 0;  ///< of the last row
  std::vector<std::uint32_t> rows_;
};

/// Parts one after the other.
template <class Part> class part_list {
 public:
  part_list() = default;
  explicit part_list(Part part) { push_back(std::move(part)); }

  std::uint64_t size() const noexcept { return firsts_.back(); }  ///< elements of all parts
  std::span<Part const> parts() const noexcept { return parts_; }
  std::uint64_t first(std::size_t part) const noexcept { return firsts_[part]; }  ///< element of a part

  void push_back(Part part) {
    firsts_.push_back(firsts_.back() + part.size());
    parts_.push_back(std::move(part));
  }

  /// @return the part of element `i`, and its place there. Cost: a search among the parts
  std::pair<Part const&, std::size_t> find(std::uint64_t i) const noexcept {
    std::size_t part = 0;
    for (std::size_t n = parts_.size(); n > 1; n -= n / 2)
      if (firsts_[part + n / 2] <= i) part += n / 2;
    return {parts_[part], static_cast<std::size_t>(i - firsts_[part])};
  }

 private:
  std::vector<std::uint64_t> firsts_ = {0};
  std::vector<Part> parts_;
};

/// Where the rows of a table begin.
using row_places = part_list<row_part>;

/// The cells of one column, from the first row to the last.
class cell_column {
 public:
  /// The cells of lines, in which quotes mean nothing.
  cell_column() = default;

  /// @param label of the column, for messages
  /// @param delimiter between the cells of a row
  /// @param field number of the column
  cell_column(std::string label, char delimiter, std::size_t field)
      : label_(std::move(label)), delimiter_(delimiter), field_(field) {}

  std::string const& label() const noexcept { return label_; }
  std::uint64_t size() const noexcept { return cells_.size(); }
  part_list<cell_part> const& cells() const noexcept { return cells_; }
  void take(part_list<cell_part> cells) noexcept { cells_ = std::move(cells); }

  /// @return a cell of a part, without its quotes. Quotes inside of quotes are still doubled
  std::string_view text(cell_part const& part, std::size_t i) const noexcept {
    std::string_view const raw = part.raw(i);
    return is_quoted(raw) ? raw.substr(1, raw.size() - 2) : raw;
  }
  std::string_view text(std::uint64_t i) const noexcept {
    auto const [part, at] = cells_.find(i);
    return text(part, at);
  }

  /// @return a cell as it is in the file
  std::string_view raw(std::uint64_t i) const noexcept {
    auto const [part, at] = cells_.find(i);
    return part.raw(at);
  }

  /// @return whether such a cell is in quotes
  bool is_quoted(std::string_view raw) const noexcept { return delimiter_ != no_delimiter && raw.starts_with('"'); }

  /// Throws a format_error that names file, line and column of a cell, which is looked for in the file.
  [[noreturn]] void fail(input_file const& file, std::uint64_t cell, std::string const& what) const;

 private:
  std::string label_;
  char delimiter_ = no_delimiter;
  std::size_t field_ = 0;
  part_list<cell_part> cells_;
};

}  // namespace warpdex::tables
