// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstdint>
#include <span>

/// @file
/// Quantiles of a column over ranges: medians of prices in time windows, the least and the greatest of strings. Values
/// are of any key type; the answers are rows, whose values `gather` takes.
namespace warpdex {

struct ranks_of_ranges;  // see src/clients/aggregates/aggregate_steps.hpp

/// Which value counts if a quantile is between two of them.
enum class quantile_side : std::uint8_t {
  lower,    ///< the smaller one
  higher,   ///< the larger one
  nearest,  ///< the one that is nearer by rank; the larger one of two equally near
};

/// The values of a column in the order of an index's keys, as a wavelet matrix of their ranks (F. Claude, G. Navarro
/// and A. Ordonez, 2015). The quantile of a range costs the same however many rows the range has.
///
/// It belongs to the index as it was: after an update of the index make another one. It takes about a quarter of a byte
/// per entry and bit of their number, 6 bytes per entry of 2^24, and a row id per value. All functions are `const` and
/// may be called by several threads.
class range_quantiles {
 public:
  /// Synchronises. Cost: a sort of the values, two reads of all row ids, and a pass over the entries per bit of their
  /// number. Scratch: 24 bytes per value and entry.
  /// @param over an index with an order, whose row ids number values
  /// @param values of any key type, wherever probes of the index may be; nulls count for nothing, NaN is above all
  /// @throws unsupported for an index without an order, and for 2^32 - 1 entries or values; invalid_argument for a row
  /// id without a value, naming it, and for an execution of another backend; out_of_memory, device_error
  range_quantiles(any_index const& over, nullable_column const& values, execution const& exec);

  /// rows[i] = the row of the value at a quantile of the entries in range i, as `index::range_count` counts them, or
  /// `no_row` if none has a value. Of equal values the one with the smallest row id comes first. Synchronises.
  /// Cost per range: two searches, and two reads per bit of the number of entries; four if some are null.
  /// @param over the index of the constructor
  /// @param quantile from 0, the least value, to 1, the greatest; of n values that of rank quantile * (n - 1)
  /// @param rows one row id per range, of the index's row type, wherever outputs of the index may be
  /// @throws as `index::range_count`; invalid_argument also for an index of another size and for another quantile
  void in_ranges(any_index const& over, key_ranges const& ranges, double quantile, quantile_side side, row_output rows,
                 execution const& exec) const;

  /// The same of the entries with ranks from first[i] up to, but not including, last[i], as `index::lower_bound` and
  /// `index::upper_bound` count them. Synchronises.
  /// @throws invalid_argument for arrays of other lengths, for a rank beyond the size, and for another quantile
  void of_ranks(std::span<std::uint64_t const> first, std::span<std::uint64_t const> last, double quantile,
                quantile_side side, row_output rows, execution const& exec) const;

  std::uint64_t size() const noexcept { return size_; }                            ///< number of entries
  std::uint64_t bytes() const noexcept { return rows_.bytes() + nodes_.bytes(); }  ///< of all arrays

 private:
  void number_values(char const* call, any_index const& over, nullable_column const& values, execution const& exec);
  void make_levels(buffer numbers, execution const& exec);
  void find_rows(ranks_of_ranges const& ranks, std::uint64_t count, double quantile, quantile_side side, void* rows,
                 execution const& exec) const;
  void expect_quantile(char const* call, double quantile, quantile_side side, row_output rows) const;

  backend_kind backend_ = backend_kind::cpu;
  int device_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t values_ = 0;  ///< number of values that are not null
  bool all_have_ = true;      ///< whether none is null
  warpdex::row_type row_type_ = warpdex::row_type::u32;
  int levels_ = 0;
  std::uint64_t zeros_[32] = {};  ///< entries without the bit of a level
  buffer rows_;                   ///< of the values, in ascending order
  buffer nodes_;                  ///< of all levels
};

}  // namespace warpdex
