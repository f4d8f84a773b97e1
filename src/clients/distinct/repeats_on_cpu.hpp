// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/distinct.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>

#include "backend/strings/strings.hpp"
#include "base/row_array.hpp"
#include "base/validity_bits.hpp"

namespace warpdex {

/// Keys on the host.
struct keys_on_host {
  column values;
  string_source strings;  ///< of a column of strings
  validity_bits valid;
};

/// What is written per row. Arrays that are not wanted are null.
struct repeat_output {
  keep_row keep = keep_row::first;
  std::uint8_t* repeats = nullptr;  ///< whether it is a repeat
  row_array firsts = {};            ///< the row with its key that is kept, if one of several is
  std::uint64_t* counts = nullptr;  ///< the number of rows of its key; written for first rows alone
};

/// Finds repeats on host threads.
///
///     1. Deal. Each row goes to the part that the upper bits of the hash of its key name, with that hash. Rows keep
///        their order. Null rows have a part of their own.
///     2. Look up. Each thread takes one part after the other, and looks its rows up in an open hash table, in which
///        it enters those whose key is not there. To keep last rows it begins at the end.
///
/// @param out the width of its row ids is that of all rows in between
/// @throws out_of_memory, cancelled
void find_repeats(keys_on_host const& keys, repeat_output const& out, execution const& exec);

}  // namespace warpdex
