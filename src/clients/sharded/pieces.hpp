// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clients/sharded/parts.hpp"
#include "clients/sharded/sharded_steps.hpp"

/// @file
/// Which shards have the keys of probes, and the parts of a batch that go to each.
namespace warpdex {

/// The shards of each probe: `first[i]` and `more[i]` after it, or none if all bits are set. Or each finds its shard
/// where it is dealt.
struct shard_route {
  buffer first;
  buffer more;  ///< none for one shard each
  sharded_steps::key_owner owner = {};

  sharded_steps::deal_elements dealer() const { return {first.as<std::uint64_t>(), more.as<std::uint64_t>(), owner}; }
};

/// @return the shards that a lookup asks. Probes are within reach of the backend of `exec`; nulls go to none
shard_route route_probes(placed_borders const& borders, lookup const& what, range_array const& probes,
                         std::uint64_t size, execution const& exec);

/// An array that is dealt to shards; without elements if `from` is null.
struct whole_array {
  void const* from = nullptr;
  std::size_t width = 0;
};

/// Arrays dealt to the shards. The elements of a shard follow those of the shards before it.
struct dealt_arrays {
  steps::shares shares;
  whole_array arrays[2];  ///< keys, or references to strings; and upper bounds, or row ids
  buffer taken[2];
  buffer numbers;
  std::size_t number_width = 0;

  std::uint64_t size(std::size_t shard) const { return shares.of(shard); }
  std::uint64_t all() const { return shares.begins.back(); }

  /// @return the elements of a shard in an array, or their numbers
  void* part(int array, std::size_t shard) const { return from(taken[array], arrays[array].width, shard); }
  void* numbers_of(std::size_t shard) const { return from(numbers, number_width, shard); }

 private:
  void* from(buffer const& all, std::size_t width, std::size_t shard) const {
    return all.data() == nullptr ? nullptr : all.as<std::byte>() + shares.begins[shard] * width;
  }
};

/// What is written of the elements that are dealt.
struct dealt_numbers {
  std::size_t width = sizeof(std::uint64_t);  ///< bytes per number of an element; 0 for none
  std::uint64_t first = 0;                    ///< number of the first element
  std::uint32_t* places = nullptr;  ///< if not null, receives where each element that is taken is, instead of numbers
};

/// Deals arrays of `size` elements. Synchronises before elements are written.
dealt_arrays deal_arrays(shard_route const& route, std::size_t shards, std::uint64_t size, whole_array lower,
                         whole_array upper, dealt_numbers const& numbers, execution const& exec);

/// A part of a batch, which a shard answers.
struct shard_part {
  std::size_t shard;
  std::uint64_t begin;  ///< of its probes or answers, among all that are dealt
  std::uint64_t size;
};

/// @return the parts of all shards that get something
std::vector<shard_part> parts_of(dealt_arrays const& dealt, std::size_t shards);

/// Deals probes by their route. Synchronises once.
dealt_arrays deal_probes(shard_route const& route, std::size_t shards, range_array const& probes, std::uint64_t size,
                         execution const& exec, std::uint32_t* places = nullptr);

/// @return their numbers in the batch
std::uint64_t const* numbers_of(dealt_arrays const& dealt, shard_part const& part);

/// @return the dealt probes of a shard
range_array probes_of(dealt_arrays const& dealt, shard_part const& part, range_array const& like);

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
  column const& keys() const { return view_; }

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

/// Probes of a call in the memory of another place, on the stream of that place.
class copied_ranges {
 public:
  /// The device of the place is the current one.
  copied_ranges(range_array const& probes, std::uint64_t size, call_home const& home, shard_place const& place);
  range_array const& view() const { return view_; }

 private:
  probe_array copied(probe_array const& keys, std::uint64_t size, call_home const& home, shard_place const& place);

  std::vector<buffer> kept_;
  range_array view_;
};

}  // namespace warpdex
