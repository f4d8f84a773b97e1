// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/mix.hpp>

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"

/// @file
/// What a sharded index does with each key, probe and answer, for host and device.
namespace warpdex::sharded_steps {

/// Takes one key of each of some equally long stretches of a column.
struct sample_key {
  void const* keys;
  std::size_t width;
  std::uint64_t stretch;  ///< keys in each
  void* sample;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = i * stretch + mix(i, 0) % stretch;
    detail::store_bytes(sample, width, i, detail::load_bytes(keys, width, at));
  }
};

/// Turns the last shard of probe `i` to all shards up to it.
struct ask_all_before {
  std::uint64_t* first;
  std::uint64_t* more;
  WDX_HD void operator()(std::uint64_t i) const {
    more[i] = first[i];
    if (first[i] != no_row<std::uint64_t>) first[i] = 0;
  }
};

/// Finds the shard of a rank, and the rank in this shard.
struct split_rank {
  std::uint64_t const* ranks;
  std::uint64_t const* before;  ///< entries in all shards before each; then in all
  std::uint64_t shards;
  std::uint64_t* first;
  std::uint64_t* within;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const rank = load_element<std::uint64_t>(ranks, i);
    std::uint64_t const shard = upper_bound_of(before, shards, rank) - 1;
    first[i] = shard;
    within[i] = rank - before[shard];
  }

  /// @return how many of `size` ascending numbers are not above `number`
  WDX_HD static std::uint64_t upper_bound_of(std::uint64_t const* numbers, std::uint64_t size, std::uint64_t number) {
    std::uint64_t low = 0;
    while (size != 0) {
      std::uint64_t const half = size / 2;
      if (numbers[low + half] <= number) {
        low += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    return low;
  }
};

/// A number that is added up.
struct total {
  std::uint64_t number = 0;
  WDX_HD total with(total other) const { return {number + other.number}; }
};

/// Whether number `i` is for a shard: it is for those from `first[i]` on, and `more[i]` after it.
struct is_for {
  std::uint64_t shard;
  std::uint64_t const* first;
  std::uint64_t const* more;  ///< null for none

  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const from = first[i];
    return from <= shard && shard - from <= (more == nullptr ? 0 : more[i]);
  }
};

struct count_for {
  is_for who;
  WDX_HD total operator()(std::uint64_t i) const { return {who(i) ? std::uint64_t{1} : 0}; }
};

/// An array and a part of its elements.
struct taken_array {
  void const* from = nullptr;
  void* to = nullptr;  ///< null if the array is not wanted
  std::size_t width = 0;

  WDX_HD void take(std::uint64_t i, std::uint64_t k) const {
    if (to != nullptr) detail::store_bytes(to, width, k, detail::load_bytes(from, width, i));
  }
};

/// Takes from some arrays what is for a shard.
struct take_for {
  is_for who;
  std::uint64_t begin;  ///< number of the first element of this part of the arrays
  std::uint64_t taken;  ///< elements of earlier parts
  taken_array arrays[2];
  void* numbers;  ///< of the elements
  std::size_t number_width;

  WDX_HD bool operator()(std::uint64_t i) const { return who(begin + i); }
  WDX_HD void write(std::uint64_t i, std::uint64_t k) const {
    for (taken_array const& array : arrays) array.take(begin + i, taken + k);
    detail::store_bytes(numbers, number_width, taken + k, begin + i);
  }
};

/// The numbers of probes in a call, of those that a shard answers.
struct probe_numbers {
  std::uint64_t const* at;  ///< null if they are consecutive
  std::uint64_t begin = 0;
  WDX_HD std::uint64_t operator()(std::uint64_t i) const { return at == nullptr ? begin + i : at[i]; }
};

/// Writes answers of one shard alone.
struct store_answer {
  probe_numbers numbers;
  std::size_t width;
  void const* from;
  void* to;
  WDX_HD void operator()(std::uint64_t i) const {
    detail::store_bytes(to, width, numbers(i), detail::load_bytes(from, width, i));
  }
};

/// Adds counts and sums.
struct add_answer {
  probe_numbers numbers;
  std::uint64_t const* from;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = numbers(i);
    store_element(to, at, load_element<std::uint64_t>(to, at) + from[i]);
  }
};

/// Writes the rank of a bound, which the first shard of its probe knows.
struct store_rank {
  probe_numbers numbers;
  std::uint64_t const* from;
  std::uint64_t const* first;
  std::uint64_t shard;
  std::uint64_t before;  ///< entries in earlier shards
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = numbers(i);
    if (first[at] == shard) store_element(to, at, before + from[i]);
  }
};

/// Writes what `floor` or `ceil` found, or else the nearest entry of another shard.
struct store_nearest {
  probe_numbers numbers;
  std::size_t row_width;
  void const* rows;
  void* to_rows;
  std::size_t key_width;
  void const* keys;
  void* to_keys;  ///< null if keys are not wanted
  std::uint64_t other_row;
  u128 other_key;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const none = row_width == 4 ? std::uint64_t{no_row<std::uint32_t>} : no_row<std::uint64_t>;
    auto const row = static_cast<std::uint64_t>(detail::load_bytes(rows, row_width, i));
    std::uint64_t const at = numbers(i);
    detail::store_bytes(to_rows, row_width, at, row != none ? row : other_row);
    if (to_keys == nullptr || (row == none && other_row == no_row<std::uint64_t>)) return;
    detail::store_bytes(to_keys, key_width, at, row != none ? detail::load_bytes(keys, key_width, i) : other_key);
  }
};

/// Keeps the longest key that begins a probe. Later shards have longer ones.
struct store_longest {
  probe_numbers numbers;
  std::size_t row_width;
  void const* rows;
  std::uint32_t const* lengths;
  void* to_rows;
  std::uint32_t* to_lengths;

  WDX_HD void operator()(std::uint64_t i) const {
    u128 const none = row_width == 4 ? u128{no_row<std::uint32_t>} : u128{no_row<std::uint64_t>};
    u128 const row = detail::load_bytes(rows, row_width, i);
    if (row == none) return;
    std::uint64_t const at = numbers(i);
    detail::store_bytes(to_rows, row_width, at, row);
    store_element(to_lengths, at, lengths[i]);
  }
};

/// Writes the positions of probes that are answered in their order.
struct count_up {
  std::uint32_t first;
  std::uint32_t* to;
  WDX_HD void operator()(std::uint64_t i) const { store_element(to, i, static_cast<std::uint32_t>(first + i)); }
};

/// Adds the numbers of rows in lists of a shard to those of their probes.
struct add_length {
  probe_numbers numbers;
  std::uint64_t const* offsets;
  std::uint64_t* lengths;
  WDX_HD void operator()(std::uint64_t i) const { lengths[numbers(i)] += offsets[i + 1] - offsets[i]; }
};

/// Moves row `i` of the lists of a shard behind those of earlier shards.
struct move_row {
  probe_numbers numbers;
  std::uint64_t const* offsets;
  std::uint64_t lists;
  std::uint64_t const* ends;  ///< per probe, where the rows of earlier shards end
  std::size_t width;
  void const* from;
  void* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const list = split_rank::upper_bound_of(offsets, lists, i) - 1;
    detail::store_bytes(to, width, ends[numbers(list)] + (i - offsets[list]), detail::load_bytes(from, width, i));
  }
};

struct all : steps::list<steps::runs<sample_key, ask_all_before, split_rank, store_answer, add_answer, store_rank,
                                     store_nearest, store_longest, count_up, add_length, move_row>,
                         steps::reduces<count_for>, steps::selects<take_for>> {};
all list_of_step(...);

}  // namespace warpdex::sharded_steps
