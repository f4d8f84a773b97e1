// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include "crew.hpp"
#include "escape.hpp"
#include "field_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

namespace warpdex::tables {
namespace {

/// The rows that begin in a part of the file.
struct part_rows {
  bool has_bad_text = false;           ///< it cannot be read, or is none
  bool has_bad_row = false;            ///< or one that is too long for a guess
  std::optional<std::uint64_t> begin;  ///< of the first, as far as quotes tell
  std::uint64_t end = 0;               ///< of the last
  std::vector<cell_part> cells;        ///< of each field that is wanted
  row_part places;
};

/// @return whether a text holds an odd number of quotes
bool has_odd_quotes(char const* from, char const* end) {
  constexpr std::ptrdiff_t block = 128;  // of a length that compilers turn into vectors
  unsigned odd = 0;
  for (; end - from >= block; from += block) {
    unsigned char some = 0;
    for (std::ptrdiff_t i = 0; i < block; ++i) some = static_cast<unsigned char>(some + (from[i] == '"' ? 1 : 0));
    odd ^= some;
  }
  return ((odd ^ static_cast<unsigned>(std::count(from, end, '"'))) & 1) != 0;
}

/// Tells each part whether it begins within quotes, once all parts before have counted theirs.
class quote_chain {
 public:
  explicit quote_chain(std::size_t parts) : states_(parts + 1) { states_[0] = outside; }

  /// Waits for the parts before. Threads take parts in order, so another one is at work on those.
  /// @param odd whether the part holds an odd number of quotes
  bool pass(std::size_t part, bool odd) noexcept {
    states_[part].wait(unknown);
    bool const is_inside = states_[part] == inside;
    states_[part + 1] = is_inside != odd ? inside : outside;
    states_[part + 1].notify_one();
    return is_inside;
  }

 private:
  enum state : int { unknown, outside, inside };
  std::vector<std::atomic<int>> states_;
};

/// @return where the content of a file ends: after the last character that is no line end
std::uint64_t end_of_content(input_file const& file) {
  constexpr std::uint64_t bytes_at_a_time = 4096;
  for (std::uint64_t end = file.size(); end != 0;) {
    std::uint64_t const begin = end - std::min(end, bytes_at_a_time);
    file_part const part(file, begin, end);
    char const* at = part.at(end);
    while (at != part.begin() && is_line_end(at[-1])) --at;
    if (at != part.begin()) return part.offset_of(at);
    end = begin;
  }
  return 0;
}

/// @return a NUL byte of a part before `end`, or null
char const* find_nul(file_part const& part, std::uint64_t end) {
  auto const bytes = static_cast<std::size_t>(part.at(end) - part.begin());
  return bytes == 0 ? nullptr : static_cast<char const*>(std::memchr(part.begin(), '\0', bytes));
}

/// Cuts a file into parts of the same length, and takes the rows of each that begin after a line end in it. Which of
/// them is the first is a guess from the number of quotes before, because a quote inside of a field without quotes
/// means nothing. So the threads report no errors: parts that were guessed wrong, or hold errors, are read again.
class rows_reader {
 public:
  rows_reader(input_file const& file, row_shape const& shape, std::uint64_t begin)
      : file_(file), shape_(shape), begin_(begin), content_end_(end_of_content(file)),
        parts_(std::max<std::uint64_t>(1, (file.size() - begin + file.part_bytes() - 1) / file.part_bytes())) {}

  kept_rows read(int threads) {
    quote_chain quotes(parts_.size());
    run_parts(parts_.size(), threads, [&](std::size_t i) { guess_part(i, quotes); });
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].has_bad_text) expect_text(text_of(border(i), border(i + 1)), border(i + 1));
    kept_rows all;
    all.cells.resize(shape_.wanted.size());
    std::uint64_t next = begin_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      part_rows part = std::move(parts_[i]);
      if (part.begin != next || part.has_bad_row) {
        if (next > border(i + 1)) continue;  // a row of a part before goes on to the end of this one
        file_part text = text_of(next, border(i + 1));
        take_rows(text, next, border(i + 1), false, part);
      }
      next = part.end;
      for (std::size_t c = 0; c < all.cells.size(); ++c) all.cells[c].push_back(std::move(part.cells[c]));
      if (shape_.keeps_places) all.places.push_back(std::move(part.places));
    }
    return all;
  }

 private:
  std::uint64_t border(std::size_t part) const noexcept {
    return std::min(begin_ + part * file_.part_bytes(), file_.size());
  }

  /// @return a text with some more bytes after `end`, for the row that begins before it
  file_part text_of(std::uint64_t begin, std::uint64_t end) const {
    return {file_, begin, std::min(end + file_.part_bytes() / 64, file_.size())};
  }

  void guess_part(std::size_t i, quote_chain& quotes) noexcept {
    part_rows& out = parts_[i];
    std::optional<file_part> text;
    bool odd = false;
    try {
      text = text_of(border(i), border(i + 1));
      out.has_bad_text = find_nul(*text, border(i + 1)) != nullptr;
      odd = shape_.delimiter != no_delimiter && has_odd_quotes(text->begin(), text->at(border(i + 1)));
    } catch (...) {
      out.has_bad_text = true;
    }
    bool const inside = quotes.pass(i, odd);
    if (out.has_bad_text) return;
    out.begin = i == 0 ? begin_ : first_row(*text, border(i + 1), inside);
    if (!out.begin) return;
    try {
      take_rows(*text, *out.begin, border(i + 1), true, out);
    } catch (...) {
      out.has_bad_row = true;
    }
  }

  /// @return the position after the first line end before `border` that no quotes hold
  static std::optional<std::uint64_t> first_row(file_part const& part, std::uint64_t border, bool inside) noexcept {
    for (char const* at = part.begin(); at != part.at(border); ++at) {
      if (!inside && is_line_end(*at)) return part.offset_of(skip_line_end(at, part.end()));
      inside ^= *at == '"';
    }
    return {};
  }

  /// Takes the rows that begin from `begin` on and not after `last`.
  /// @param guessed whether rows may begin elsewhere. Then errors are no errors yet, and no row is looked for to its
  /// end at all cost
  void take_rows(file_part& text, std::uint64_t begin, std::uint64_t last, bool guessed, part_rows& out) const {
    out.cells.assign(shape_.wanted.size(), cell_part(begin));
    out.places = row_part(begin);
    out.end = begin;
    std::vector<field> row(shape_.fields);
    field_reader rows(text, shape_.delimiter, text.at(begin));
    while (out.end <= last && out.end != file_.size()) {
      bool const blank = rows.at_blank_line();
      std::size_t fields = 0;
      field beyond;
      for (bool more = true; more; ++fields) more = rows.take(fields < shape_.fields ? row[fields] : beyond);
      bool const may_go_on = rows.done() && !text.reaches_end() && !rows.failed();
      if (may_go_on && !(guessed && text.covers(begin, last + most_parts * file_.part_bytes()))) {
        text.grow();
        rows = field_reader(text, shape_.delimiter, text.at(out.end));
        continue;
      }
      if (blank && out.end >= content_end_) {
        out.end = file_.size();
        break;
      }
      if (may_go_on || rows.failed() || fields != shape_.fields || has_long_cell(row)) {
        out.has_bad_row = true;
        if (guessed) return;
        rows.expect_good();
        fail_row(text, out.end, row, fields, blank);
      }
      for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i].push_back(row[shape_.wanted[i]].raw());
      if (shape_.keeps_places) out.places.push_back(out.end);
      out.end = rows.offset();
    }
    for (cell_part& cells : out.cells) cells.shrink();
    out.places.finish(out.end);
  }

  static bool is_long(field const& cell) noexcept { return cell.text().size() >= std::size_t{1} << 24; }

  bool has_long_cell(std::vector<field> const& row) const noexcept {
    return std::any_of(shape_.wanted.begin(), shape_.wanted.end(), [&](std::size_t i) { return is_long(row[i]); });
  }

  [[noreturn]] void fail_row(file_part const& text, std::uint64_t begin, std::vector<field> const& row,
                             std::size_t fields, bool blank) const {
    if (blank) file_.fail_at(begin, "blank line");
    if (fields != shape_.fields)
      file_.fail_at(begin, fmt::format("{} {} where the {} has {}: {}", fields, fields == 1 ? "field" : "fields",
                                       shape_.first_line, shape_.fields, rest_of_line(file_, begin)));
    auto const i = std::find_if(shape_.wanted.begin(), shape_.wanted.end(), [&](auto at) { return is_long(row[at]); });
    field const& cell = row[*i];
    file_.fail_at(text.offset_of(cell.begin), fmt::format("{} is too long for a cell", in_quotes(cell.text())));
  }

  /// Parts after its own in which a guess looks for the end of a row.
  static constexpr std::uint64_t most_parts = 4;

  input_file const& file_;
  row_shape const& shape_;
  std::uint64_t begin_;
  std::uint64_t content_end_;
  std::vector<part_rows> parts_;
};

}  // namespace

kept_rows read_rows(input_file const& file, row_shape const& shape, std::uint64_t begin, int threads) {
  return rows_reader(file, shape, begin).read(threads);
}

void expect_text(file_part const& part, std::uint64_t end) {
  char const* const found = find_nul(part, end);
  if (found == nullptr) return;
  std::uint64_t const offset = part.offset_of(found);
  part.file().fail_at(offset, fmt::format("NUL byte at offset {}: not a text file in UTF-8", offset));
}

}  // namespace warpdex::tables
