// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/steps.hpp"
#include "clients/aggregates/aggregate_steps.hpp"

/// @file
/// The steps of `gather_rows`.
namespace warpdex::gather_steps {

/// 16 bytes, which a device moves at once.
struct alignas(16) word_16 {
  std::uint64_t low = 0, high = 0;
};

/// Numbers of rows, and the rows as words. Number i is that of word i % words of row number i / words.
template <class Word> struct row_words {
  row_reader rows;
  std::uint64_t size;   ///< number of rows of the table
  std::uint64_t words;  ///< of a row
  Word const* table;
  Word* out;

  /// @return a word of row number i, or zeros if the table has no such row
  WDX_HD Word word(std::uint64_t i, std::uint64_t number) const {
    std::uint64_t const row = rows.at(i);
    return row < size ? table[row * words + number] : Word{};
  }
};

template <class Word> struct move_rows : row_words<Word> {
  WDX_HD void operator()(std::uint64_t i) const { this->out[i] = this->word(i / this->words, i % this->words); }

  /// The same of words [begin, end), on the host.
  void run_part(std::uint64_t begin, std::uint64_t end) const {
    auto const [rows, size, words, table, out] = static_cast<row_words<Word> const&>(*this);
    for (std::uint64_t i = begin; i < end;) {
      std::uint64_t const at = i % words, count = std::min(words - at, end - i), row = rows.at(i / words);
      if (row < size) std::memcpy(out + i, table + row * words + at, count * sizeof(Word));
      else std::fill_n(out + i, count, Word{});
      i += count;
    }
  }
};

/// Finds the first of the numbers that equal number i, which ascend.
struct find_first_equal {
  row_reader rows;
  std::uint64_t* firsts;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const row = rows.at(i);
    std::uint64_t first = i, low = 0;
    if (i != 0 && rows.at(i - 1) == row)
      while (low < first) {
        std::uint64_t const middle = low + (first - low) / 2;
        if (rows.at(middle) < row) low = middle + 1;
        else first = middle;
      }
    firsts[i] = first;
  }
};

/// Moves words of rows whose numbers ascend to the place of each.
template <class Word> struct move_sorted_rows : row_words<Word> {
  row_reader places;
  std::uint64_t const* firsts;
  bool repeats;  ///< whether those are moved that are wanted before, from where they are then; or the others
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = i / this->words, number = i % this->words, first = firsts[at];
    if ((first != at) != repeats) return;
    this->out[places.at(at) * this->words + number] =
        repeats ? this->out[places.at(first) * this->words + number] : this->word(at, number);
  }
};

struct all
    : steps::list<
          steps::runs<find_first_equal, move_rows<word_16>, move_rows<std::uint32_t>, move_rows<std::uint8_t>,
                      move_sorted_rows<word_16>, move_sorted_rows<std::uint32_t>, move_sorted_rows<std::uint8_t>>> {};
all list_of_step(...);

}  // namespace warpdex::gather_steps
