// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <span>

/// @file
/// Searches of a caller's own sorted column, without an index. Columns hold numbers of at most 8 bytes. Nothing is
/// built and nothing is checked but the arguments: for a few probes this is quicker than anything that looks at the
/// column first. `index::over_sorted` makes many probes quicker.
///
/// Arrays are in host memory, or with an execution of a device in the memory of that device. There bounds only enqueue
/// work on the stream, unless an array is on the host.
///
/// All calls throw unsupported for strings and u128; invalid_argument for columns without a common order, and for
/// arrays of another length, that are null pointers or in other memory, or that overlap an output; out_of_memory and
/// device_error.
namespace warpdex {

/// @return whether no key is above the next one. All NaN are equal, and above all numbers. Synchronises. Cost: a
/// pass over the column
bool ascends(column keys, execution const& exec);

/// out[i] = number of keys less than probes[i]. In a column that does not ascend it is any number up to its size.
/// Cost per probe: log2 of the size reads.
/// @param sorted the keys, in ascending order @param out one value per probe
void lower_bound_in(column sorted, column probes, std::span<std::uint64_t> out, execution const& exec);

/// out[i] = number of keys not greater than probes[i]; everything else as in `lower_bound_in`.
void upper_bound_in(column sorted, column probes, std::span<std::uint64_t> out, execution const& exec);

}  // namespace warpdex
