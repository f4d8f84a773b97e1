// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sharded/parts.hpp"
#include "sharded/sharded_steps.hpp"

/// @file
/// Which shards have the keys of probes, and the parts of a batch that go to each.
namespace warpdex {

/// The shards of each probe: `first[i]` and `more[i]` after it, or none of all bits are set.
struct shard_route {
  buffer first;
  buffer more;  ///< none for one shard each

  sharded_steps::is_for who(std::size_t number) const {
    return {number, first.as<std::uint64_t>(), more.as<std::uint64_t>()};
  }
};

/// @return the shards that a lookup asks. Probes are within reach of the backend of `exec`; nulls go to none
shard_route route_probes(index const& borders, lookup const& what, range_array const& probes, std::uint64_t size,
                         execution const& exec);

/// The part of a batch that goes to a shard.
struct piece {
  std::uint64_t size = 0;
  buffer numbers;  ///< of the elements in the batch
  buffer lower;    ///< keys, or references to strings
  buffer upper;    ///< of ranges; or row ids
};

/// An array of which pieces are taken; without elements if `from` is null.
struct whole_array {
  void const* from = nullptr;
  std::size_t width = 0;
};

/// @return what a shard gets of arrays. Synchronises
/// @param number_width bytes per number
piece take_piece(sharded_steps::is_for const& who, std::uint64_t size, whole_array lower, whole_array upper,
                 std::size_t number_width, execution const& exec);

/// @return row ids as keys of the same numbers
inline probe_array as_keys(void const* rows, row_type type) {
  return {rows, type == row_type::u32 ? key_type::u32 : key_type::u64};
}

/// Keys of a call as a column that a place reads.
class placed_column {
 public:
  placed_column() = default;
  /// @param keys where the call runs; strings as references
  placed_column(probe_array const& keys, std::uint64_t size, call_home const& home, shard_place const& place);

  nullable_column const& view() const { return view_; }

 private:
  nullable_column view_;
  packed_strings packed_;
  std::vector<buffer> carried_;
};

/// Probes of a call as columns that a place reads.
class moved_ranges {
 public:
  moved_ranges(range_array const& probes, std::uint64_t size, call_home const& home, shard_place const& place);
  key_ranges const& view() const { return view_; }

 private:
  placed_column lower_;
  placed_column upper_;
  key_ranges view_;
};

}  // namespace warpdex
