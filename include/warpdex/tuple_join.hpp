// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/join.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Joins on several columns at once: the rows of the columns of a side are tuples, which match where all values are
/// equal. Columns may be wherever those of an index may, on a device, too. Those that match in pairs have types that
/// lookups compare. What is made is in the memory of `exec`.
///
/// All calls synchronise, and throw invalid_argument for columns that do not match in number, length or type,
/// out_of_memory and device_error.
namespace warpdex {

/// Tuples of one side as keys of one column.
struct tuple_keys {
  nullable_column keys = {};                           ///< valid as long as `held` and the columns of the side
  std::vector<std::shared_ptr<void const>> held = {};  ///< what was made
};

/// Keys of both sides that are equal where all columns are. A single column stays as it is. Cost: per column of
/// strings, of u128 or of two types that of `first_match`, and a pass over the columns by a `key_encoder`.
/// @param left columns of the left side @param right as many of the right side
/// @param nulls_equal whether nulls equal each other; else a tuple with a null is one
std::pair<tuple_keys, tuple_keys> encode_tuples(std::span<nullable_column const> left,
                                                std::span<nullable_column const> right, bool nulls_equal,
                                                execution const& exec);

/// The same as integers of at most 64 bits, which number the groups of equal tuples.
std::pair<tuple_keys, tuple_keys> number_tuples(std::span<nullable_column const> left,
                                                std::span<nullable_column const> right, bool nulls_equal,
                                                execution const& exec);

/// Joins on equality of tuples, as `join` of two columns. Pairs come in the order of the left rows, then of the right
/// ones.
/// @param kind as of columns; `full` appends right rows without a match
joined join(std::span<nullable_column const> left, std::span<nullable_column const> right, join_kind kind,
            bool nulls_equal, execution const& exec);

/// rows[i] = the right row whose key is nearest to left key i, or `no_row`, among those whose tuples of groups are
/// equal. Without groups, keys of numbers that ascend on both sides are merged; else an index is built over the right
/// ones.
/// @param left_groups columns of the left side; none for a single group @param right_groups as many of the right side
/// @param nulls_equal whether null groups equal each other
/// @param rows one row id per left key and offset
/// @throws unsupported as `join_asof` of an index
void join_asof(std::span<nullable_column const> left_groups, nullable_column const& left,
               std::span<nullable_column const> right_groups, nullable_column const& right, bool nulls_equal,
               row_output rows, execution const& exec, asof_options const& options = {});

/// Appends the right rows that no pair has, as pairs without a left row. Cost: a pass over the pairs and one over the
/// right rows.
/// @param pairs with right rows @param right number of right rows
joined with_unmatched(joined pairs, std::uint64_t right, execution const& exec);

/// Puts pairs in the order of their first rows, then of the second; `no_row` comes last. Cost: a sort.
/// @param first one row per pair, in place @param second the others, in place
void sort_pairs(row_output first, row_output second, execution const& exec);

}  // namespace warpdex
