// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <span>

/// @file
/// Distinct keys of one or several columns, without an index. Rows are positions in the columns, and answers come in
/// the order of the rows. docs/tutorials/deduplicate.md has examples.
///
///     std::vector<nullable_column> const columns{countries, names};
///     unique_rows const found = unique(columns, exec, {.counts = true});
///
/// **Equal keys.** Several columns are tuples. All nulls are one value, which equals no other one; so do those of a
/// field of a tuple. NaN equals NaN, and -0.0 equals 0.0.
///
/// **Arrays** may be wherever those of lookups may. Those on the host are copied to the device of the call first.
///
/// **Errors.** All calls throw invalid_argument for no columns, columns of different lengths, and arrays that are null
/// pointers, out of reach, or overlap an output; out_of_memory; device_error; on the CPU `cancelled` after a stop
/// request (stop.hpp).
///
/// All calls synchronise. **Cost** on the CPU: the keys are dealt to parts by their hashes, so that the table of each
/// part fits into a core's cache: two passes over the keys, and one over the parts. Scratch: 8 to 24 bytes per row, and
/// 8 more for strings. On a device: a `first_match` of the keys with themselves, and a sort of its row ids. Several
/// columns are encoded first, as by a `key_encoder`.
namespace warpdex {

/// Which of the rows that have one key is kept. The others are repeats.
enum class keep_row : std::uint8_t {
  first,  ///< the first one
  last,   ///< the last one
  none,   ///< none of several; a row whose key no other one has is kept
};

/// What `unique` finds besides rows.
struct unique_options {
  keep_row keep = keep_row::first;  ///< must be `first` with the others
  bool inverse = false;             ///< whether to number the key of each row
  bool counts = false;              ///< whether to count the rows of each key
};

/// The rows that are kept. The arrays are in the memory of the call.
struct unique_rows {
  buffer rows;                    ///< `size` row ids, which ascend
  buffer inverse;                 ///< per row of the columns: the place in `rows` of the first row with its key
  buffer counts;                  ///< per kept row: the number of rows that have its key, with 64 bits
  std::uint64_t size = 0;         ///< number of rows that are kept
  row_type type = row_type::u32;  ///< type of `rows` and `inverse`: u32 below 2^31 rows of the columns

  /// @return the rows, valid as long as this object
  row_column kept() const { return {rows.data(), size, type}; }
};

/// Finds the rows that `duplicates` does not flag.
/// @param columns one or more, of any types and of the same length
/// @throws invalid_argument also for an inverse or counts of other rows than the first ones
unique_rows unique(std::span<nullable_column const> columns, execution const& exec, unique_options const& options = {});

/// repeats[i] = whether row i is a repeat.
/// @param columns one or more, of any types and of the same length
/// @param repeats one flag per row
void duplicates(std::span<nullable_column const> columns, std::span<bool> repeats, execution const& exec,
                keep_row keep = keep_row::first);

}  // namespace warpdex
