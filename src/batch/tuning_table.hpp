// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/policy.hpp"

/// @file
/// The policies that measurements found to be best, per device. Tables know only policies and specs, and no structures,
/// because engines use them. An entry for a structure that does not exist applies to no index.
namespace warpdex {

/// How a large batch of points runs if it does not run in windows.
struct tuning_entry {
  std::string structure;  ///< as in specs, without named arguments: AO+PB+KS(9)
  std::string layout;     ///< as in resolved specs
  int key_bits = 0;
  std::uint64_t n = 0;  ///< keys of an index, at most; the largest `n` of a structure also serves all larger indexes
  policy run;
};

/// The entries for one device. A device that nobody has measured has none.
struct tuning_table {
  std::string device;
  std::vector<tuning_entry> entries;
};

/// From this many probes on a batch is large.
inline constexpr std::uint64_t tuned_from_probes = std::uint64_t{1} << 20;

/// Reads a table: JSON as bench/tune.py writes it.
/// @param where names the text in messages
/// @throws format_error naming the entry and its offending field
tuning_table parse_tuning_table(std::string_view json, std::string const& where);

/// @return the table in the file that the environment variable WARPDEX_TUNING names, if it is set; else the table for
/// the device that is part of the library; else an empty one. Each file is read once per process
/// @throws io_error, format_error
tuning_table const& table_for(std::string_view device);

/// Fills in the options that `request` leaves automatic, from the entry for the index. If the entry contradicts an
/// option of `request`, nothing is filled in: the options of an entry were measured together, and a part of them with
/// other options can be slower than none.
/// @param resolved spec of the index with all choices filled in
/// @param n keys of the index
policy tuned(policy const& request, tuning_table const& table, spec const& resolved, int key_bits, std::uint64_t n);

}  // namespace warpdex
