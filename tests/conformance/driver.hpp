// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/shapes.hpp"

#include <warpdex/index.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace warpdex::test {

/// Where the arrays of a call are. `mixed` puts each array on either side in turn.
enum class placement : std::uint8_t { host, device, mixed };

/// One index to build and question.
struct conformance_case {
  std::string spec;  ///< with layout and row type
  warpdex::key_type keys = key_type::u32;
  warpdex::row_type rows = row_type::u32;
  distribution kind = distribution::uniform;
  std::uint64_t size = 0;
  std::uint64_t probes = 0;  ///< approximate number of keys
  /// All operations are also asked in batches of just these sizes, points also with most and with all
  /// probes of one key.
  std::vector<std::uint64_t> batches;
  /// Batches of changes, and the most keys per side. Everything is asked after each of them, or after some.
  int updates = 0;
  std::uint64_t update_size = 0;
  int examined_every = 1;
  bool given_rows = false;
  std::uint32_t shards = 0;  ///< 0 for an index in one memory
  bool copies = false;       ///< whether shards have all keys
  placement arrays = placement::host;
  std::uint64_t seed = 0;           ///< of this case alone
  std::uint64_t data_seed = 0;      ///< of keys, rows and batches, if cases share them
  std::filesystem::path file = {};  ///< if given, the index is saved there and loaded before it is examined
};

std::string to_string(conformance_case const& c);

/// Builds the index of `c` and compares every operation with the oracle.
/// @throws std::runtime_error naming the case, the operation and the first difference
void run_case(conformance_case const& c, execution const& exec);

/// The same for an existing index. @param keys @param rows its entries, in any order
/// @throws as above
void run_case(conformance_case const& c, index of, column keys, std::vector<std::uint64_t> rows, execution const& exec);

}  // namespace warpdex::test
