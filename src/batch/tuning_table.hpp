// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/policy.hpp"

/// @file
/// Policies that were measured to be best, by device. Tables know policies and specs alone, and no structure: engines
/// use them. An entry for a structure that is not there applies to no index.
namespace warpdex {

/// How a large batch of points runs where windows do not apply.
struct tuning_entry {
  std::string structure;  ///< as in specs, without named arguments: AO+PB+KS(9)
  std::string layout;     ///< as in resolved specs
  int key_bits = 0;
  std::uint64_t n = 0;  ///< for indexes of up to so many keys; the largest of a structure for all above too
  policy run;
};

/// The entries for one device; none for devices that nobody has measured.
struct tuning_table {
  std::string device;
  std::vector<tuning_entry> entries;
};

/// From this many probes on a batch is large.
inline constexpr std::uint64_t tuned_from_probes = std::uint64_t{1} << 18;

/// Reads a table: JSON as scripts/tune.py writes it.
/// @param where names the text in messages
/// @throws format_error naming the entry and its offending field
tuning_table parse_tuning_table(std::string_view json, std::string const& where);

/// The table in the file that the environment variable WARPDEX_TUNING names, if it is set; else the one
/// that the library was built with for the device; else an empty one. A file is read once a process.
/// @throws io_error, format_error
tuning_table const& table_for(std::string_view device);

/// Fills in what `asked` leaves automatic, from an entry that says nothing else than `asked` says: options
/// were measured together, and a part of them beside others can be slower than none.
/// @param resolved spec of the index with all choices filled in
policy tuned(policy const& asked, tuning_table const& table, std::string_view resolved, int key_bits, std::uint64_t n);

}  // namespace warpdex
