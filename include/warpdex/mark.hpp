// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/networks.hpp>

#include <cstdint>
#include <span>

/// @file
/// Marks: a bit per row, such as of the rows that a filter lets through. They are laid out as the validity bits of
/// Arrow and the bitsets of cuVS: 32 rows per word, the lowest bit first.
///
///     std::vector<std::uint32_t> words(mark_words(rows));
///     marks const wanted{words, rows};
///     mark_between(by_price, {cheap, dear}, wanted, exec);      // rows of entries in any of the ranges
///     mark(by_maker, makers, others, exec);                     // rows of entries with any of the keys
///     combine_marks(wanted, others, mark_operation::both, exec);
///
/// Calls that mark leave the other bits as they are, so several of them add up. Bits after the last row are 0.
///
/// **Arrays.** Marks are where the index of a call is, or in the memory of `exec` if there is none; on a device not on
/// the host. All other arrays may be wherever those of lookups may.
///
/// **Errors.** All calls throw invalid_argument for words of another number than the rows need, for a row that has no
/// bit, naming it, and as the lookups of their index; out_of_memory, device_error. A call that fails may have marked
/// some rows.
///
/// All calls synchronise.
namespace warpdex {

/// @return the words of marks for so many rows
constexpr std::uint64_t mark_words(std::uint64_t rows) { return rows / 32 + (rows % 32 != 0); }

/// A bit per row, in an array of the caller.
struct marks {
  std::span<std::uint32_t> words;  ///< `mark_words(rows)` words: row r is bit r % 32 of word r / 32, the lowest first
  std::uint64_t rows = 0;          ///< number of rows
};

/// Marks rows. Cost: a read per row to check it, a read and an atomic write to mark it.
/// @param rows in any order, any number of times; `no_row` is left out
void mark(row_column rows, marks const& to, execution const& exec);

/// Marks the rows of all entries whose key equals a probe. Cost: that of `join`, and of marking its right rows.
void mark(any_index const& in, nullable_column const& probes, marks const& to, execution const& exec);

/// Marks the rows of all entries in a range. Cost: that of `join_between`, and of marking its right rows.
void mark_between(any_index const& in, key_ranges const& ranges, marks const& to, execution const& exec);

/// The same of entries in the group of each range.
void mark_between(grouped_index const& in, nullable_column const& groups, key_ranges const& ranges, marks const& to,
                  execution const& exec);

/// Marks the rows of all intervals that match a probe.
void mark(intervals const& in, interval_probes const& probes, marks const& to, execution const& exec);

/// Marks the rows of all networks that hold an address.
void mark(networks const& in, nullable_column const& addresses, marks const& to, execution const& exec);

/// Marks all rows, or none. Cost: a write per word.
void set_marks(marks const& to, bool marked, execution const& exec);

/// Marks the rows that are not marked, and no others. Cost: a pass over the words.
void invert_marks(marks const& to, execution const& exec);

/// Which rows are marked of those that are in `to`, and those in `with`.
enum class mark_operation : std::uint8_t {
  both,     ///< those in both
  either,   ///< those in one of them, or in both
  without,  ///< those in `to` that are not in `with`
};

/// Combines marks of as many rows. Cost: a pass over the words.
void combine_marks(marks const& to, marks const& with, mark_operation how, execution const& exec);

/// @return the number of rows that are marked. Cost: a pass over the words
std::uint64_t count_marks(marks const& of, execution const& exec);

/// Lists the rows that are marked, in ascending order. Cost: a pass over the bits.
/// @param rows as many as are marked; of a type that numbers all rows
void list_marked(marks const& of, row_output rows, execution const& exec);

}  // namespace warpdex
