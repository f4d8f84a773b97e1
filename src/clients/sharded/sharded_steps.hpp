// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/mix.hpp>

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"
#include "index/sorted.hpp"

/// @file
/// What a sharded index does with each key, probe and answer, for host and device.
namespace warpdex::sharded_steps {

/// @return the missing row id of a width
WDX_HD constexpr u128 no_row_of(std::size_t width) {
  return width == sizeof(std::uint32_t) ? u128{no_row<std::uint32_t>} : u128{no_row<std::uint64_t>};
}

/// Takes one key of each of the stretches into which a column is cut evenly.
struct sample_key {
  void const* keys;
  std::size_t width;
  std::uint64_t size;       ///< of the column
  std::uint64_t stretches;  ///< not more than keys
  void* sample;

  WDX_HD std::uint64_t begin_of(std::uint64_t stretch) const { return stretch * size / stretches; }
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = begin_of(i) + mix(i, 0) % (begin_of(i + 1) - begin_of(i));
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

/// Gives each stretch of probes to the next copy of the index.
struct number_stretches {
  std::uint64_t stretch;
  std::uint64_t* first;
  WDX_HD void operator()(std::uint64_t i) const { first[i] = i / stretch; }
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

/// An array and a part of its elements.
struct taken_array {
  void const* from = nullptr;
  void* to = nullptr;  ///< null if the array is not wanted
  std::size_t width = 0;

  WDX_HD void take(std::uint64_t i, std::uint64_t k) const {
    if (to != nullptr) detail::store_bytes(to, width, k, detail::load_bytes(from, width, i));
  }
};

/// Finds the shard of a key of at most 8 bytes among the borders.
struct key_owner {
  key_type type = key_type::u32;
  void const* keys = nullptr;
  std::uint64_t const* borders = nullptr;  ///< their codes, ascending
  std::uint64_t count = 0;

  WDX_HD std::uint64_t operator()(std::uint64_t i) const {
    return split_rank::upper_bound_of(borders, count, code_of_value(type, detail::load_bytes(keys, size_of(type), i)));
  }
};

/// Takes from some arrays what is for each shard. Element `i` is for shard first[i], and more[i] after it.
struct deal_elements {
  std::uint64_t const* first;  ///< null if the key finds its shard
  std::uint64_t const* more;   ///< null for none
  key_owner owner = {};
  taken_array arrays[2] = {};
  void* numbers = nullptr;  ///< of the elements that are taken; or, by element, where each is; null if not wanted
  std::size_t number_width = 0;
  bool by_element = false;
  std::uint64_t first_number = 0;  ///< that of element 0

  WDX_HD steps::part_range parts_of(std::uint64_t i) const {
    if (first == nullptr) return {owner(i)};
    return {first[i], more == nullptr ? 0 : more[i]};
  }
  WDX_HD void write(std::uint64_t i, std::uint64_t k) const {
    for (taken_array const& array : arrays) array.take(i, k);
    if (numbers == nullptr) return;
    detail::store_bytes(numbers, number_width, by_element ? i : k, by_element ? k : first_number + i);
  }
};

/// Finds the answer of each probe where all shards have answered all probes.
struct place_answer {
  deal_elements to;
  std::uint64_t probes;
  std::uint32_t* places;  ///< as in `gather_answer`
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const shard = to.parts_of(i).first;
    places[i] = static_cast<std::uint32_t>(shard == steps::part_range::none ? shard : shard * probes + i);
  }
};

/// Writes answers of one shard alone.
struct store_answer {
  std::uint64_t const* numbers;  ///< of the probes of these answers
  std::size_t width;
  void const* from;
  void* to;
  WDX_HD void operator()(std::uint64_t i) const {
    detail::store_bytes(to, width, numbers[i], detail::load_bytes(from, width, i));
  }
};

/// Turns ranks in a shard to those in the whole index.
struct count_from {
  std::uint64_t before;  ///< entries in earlier shards
  std::uint64_t* ranks;
  WDX_HD void operator()(std::uint64_t i) const { ranks[i] += before; }
};

/// Where `floor` or `ceil` found nothing, writes the nearest entry of another shard.
struct answer_nearest {
  std::size_t row_width;
  void* rows;
  std::size_t key_width;
  void* keys;  ///< null if keys are not wanted
  std::uint64_t other_row;
  u128 other_key;

  WDX_HD void operator()(std::uint64_t i) const {
    if (detail::load_bytes(rows, row_width, i) != no_row_of(row_width)) return;
    detail::store_bytes(rows, row_width, i, other_row);
    if (keys != nullptr) detail::store_bytes(keys, key_width, i, other_key);
  }
};

/// Brings answers into the order of their probes.
struct gather_answer {
  std::uint32_t const* places;  ///< where the answer of each probe is; `none` for those without one
  std::size_t width;
  void const* from;
  void* to;

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct answer {
    bool is_there;
    u128 value;
  };
  WDX_HD answer read(std::uint64_t i) const {
    std::uint32_t const position = places[i];
    return {position != none, position == none ? u128{0} : detail::load_bytes(from, width, position)};
  }
  WDX_HD void operator()(std::uint64_t i, answer const& got) const {
    if (got.is_there) detail::store_bytes(to, width, i, got.value);
  }
};

/// The same for the keys that were found. Others remain as they are.
struct gather_key {
  gather_answer keys;
  std::size_t row_width;
  void const* rows;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint32_t const position = keys.places[i];
    if (position == gather_answer::none || detail::load_bytes(rows, row_width, position) == no_row_of(row_width))
      return;
    keys(i, keys.read(i));
  }
};

/// Adds counts and sums.
struct add_answer {
  std::uint64_t const* numbers;  ///< of the probes of these answers
  std::uint64_t const* from;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = numbers[i];
    store_element(to, at, load_element<std::uint64_t>(to, at) + from[i]);
  }
};

/// Writes the rank of a bound, which the first shard of its probe knows.
struct store_rank {
  std::uint64_t const* numbers;  ///< of the probes of these answers
  std::uint64_t const* from;
  std::uint64_t const* first;
  std::uint64_t shard;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = numbers[i];
    if (first[at] == shard) store_element(to, at, from[i]);
  }
};

/// Keeps the longest key that begins a probe. Later shards have longer ones.
struct store_longest {
  std::uint64_t const* numbers;  ///< of the probes of these answers
  std::size_t row_width;
  void const* rows;
  std::uint32_t const* lengths;
  void* to_rows;
  std::uint32_t* to_lengths;

  WDX_HD void operator()(std::uint64_t i) const {
    u128 const row = detail::load_bytes(rows, row_width, i);
    if (row == no_row_of(row_width)) return;
    std::uint64_t const at = numbers[i];
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
  std::uint64_t const* numbers;  ///< of the probes of these answers
  std::uint64_t const* offsets;
  std::uint64_t* lengths;
  WDX_HD void operator()(std::uint64_t i) const { lengths[numbers[i]] += offsets[i + 1] - offsets[i]; }
};

/// Moves row `i` of the lists of a shard after those of earlier shards.
struct move_row {
  std::uint64_t const* numbers;  ///< of the probes of these answers
  std::uint64_t const* offsets;
  std::uint64_t lists;
  std::uint64_t const* ends;  ///< per probe, where the rows of earlier shards end
  std::size_t width;
  void const* from;
  void* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const list = split_rank::upper_bound_of(offsets, lists, i) - 1;
    detail::store_bytes(to, width, ends[numbers[list]] + (i - offsets[list]), detail::load_bytes(from, width, i));
  }
};

struct all : steps::list<steps::runs<sample_key, ask_all_before, number_stretches, split_rank, place_answer,
                                     store_answer, count_from, answer_nearest, gather_answer, gather_key, add_answer,
                                     store_rank, store_longest, count_up, add_length, move_row>,
                         steps::deals<deal_elements>> {};
all list_of_step(...);

}  // namespace warpdex::sharded_steps
