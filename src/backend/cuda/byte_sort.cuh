// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "backend/backend.hpp"
#include "backend/cuda/cub_calls.cuh"
#include "backend/cuda/host/streams.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/row_ids.cuh"
#include "backend/cuda/tuning.hpp"
#include "backend/loop_backend.hpp"
#include "backend/strings/byte_words.hpp"

namespace warpdex::cuda {
namespace detail {

/// Two arrays, of which a sort reads one and writes to either.
template <class T> struct array_pair {
  buffer first;
  buffer second;
  cub::DoubleBuffer<T> current;

  array_pair(std::uint64_t n, execution const& exec)
      : first(n * sizeof(T), exec), second(n * sizeof(T), exec),
        current(first.template as<T>(), second.template as<T>()) {}

  T* data() { return current.Current(); }
};

/// Stable sort of pairs by some bits of their keys.
template <class Key, class Value>
void sort_pairs(array_pair<Key>& keys, array_pair<Value>& values, std::uint64_t n, int begin_bit, int end_bit,
                execution const& exec) {
  with_scratch_for(n, exec, [&](void* scratch, std::size_t& bytes, auto size) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.current, values.current, size, begin_bit, end_bit,
                                           exec.stream.get());
  });
}

/// Strings of which those of a group are adjacent and agree in some first bytes.
template <class Number> struct string_groups {
  byte_key const* keys;
  Number const* numbers;       ///< per member: the number of its string
  Number const* group_of;      ///< per member: 1 + the number of its group; null if there is one group
  Number const* first;         ///< per group: its first member
  std::uint32_t const* known;  ///< per group: bytes that are known to agree
  std::uint32_t* agreed;       ///< per group: bytes that agree

  WDX_HD byte_key const& key(std::uint64_t member) const { return keys[numbers[member]]; }
  WDX_HD Number group(std::uint64_t member) const { return group_of == nullptr ? 0 : group_of[member] - 1; }
};

/// Lowers the number of bytes that agree in a group to those that a member shares with the first one.
template <class Number> struct lower_agreed {
  string_groups<Number> groups;
  __device__ void operator()(std::uint64_t member) const {
    Number const group = groups.group(member);
    std::uint32_t* const agreed = groups.agreed + group;
    std::uint32_t const before = *const_cast<std::uint32_t const volatile*>(agreed);  // others lower it all the time
    std::uint32_t const known = groups.known[group];
    if (before == known) return;
    std::uint32_t const shared = shared_bytes(groups.key(groups.first[group]), groups.key(member), known, before);
    if (shared < before) atomicMin(agreed, shared);
  }
};

/// Writes the words of strings, with their groups in the bits above.
template <class Number> struct write_words {
  string_groups<Number> groups;
  byte_word word;
  std::uint64_t* words;
  WDX_HD std::uint64_t read(std::uint64_t member) const {
    Number const group = groups.group(member);
    std::uint64_t const of_string = word(groups.key(member), groups.agreed[group]);
    return group == 0 ? of_string : std::uint64_t{group} << word.bits() | of_string;
  }
  WDX_HD void operator()(std::uint64_t member, std::uint64_t read) const { words[member] = read; }
};

/// Writes how strings compare with the one in the middle of their group, with their groups in the bits above. Columns
/// in order, or in the opposite one, are halved.
template <class Number> struct write_mark_words {
  string_groups<Number> groups;
  std::uint64_t size;  ///< members
  std::uint64_t group_count;
  std::uint64_t* words;
  WDX_HD void operator()(std::uint64_t member) const {
    std::uint64_t const group = groups.group(member);
    std::uint64_t const end = group + 1 < group_count ? groups.first[group + 1] : size;
    byte_key const& mark = groups.key((groups.first[group] + end) / 2);
    words[member] = group << mark_word::bits | mark_word::of(groups.key(member), mark, groups.known[group]);
  }
};

/// The bits that are set in some words, and those that are clear in some.
struct bits_seen {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
};
struct bits_of_word {
  WDX_HD bits_seen operator()(std::uint64_t word) const { return {word, ~word}; }
};
struct join_bits {
  WDX_HD bits_seen operator()(bits_seen const& a, bits_seen const& b) const {
    return {a.set | b.set, a.clear | b.clear};
  }
};

/// Sorted words, and the question which members still tie: those with equal words that go on.
struct sorted_words {
  std::uint64_t const* words;
  std::uint64_t size;
  byte_word word;
  int unsorted = 0;      ///< lowest bits that were not sorted, and do not count
  bool by_mark = false;  ///< whether the words are those of `mark_word`

  WDX_HD int bits() const { return by_mark ? mark_word::bits : word.bits(); }
  WDX_HD bool goes_on(std::uint64_t i) const { return by_mark ? mark_word::goes_on(words[i]) : word.goes_on(words[i]); }
  WDX_HD std::uint64_t operator[](std::uint64_t i) const { return words[i] >> unsorted; }
  WDX_HD bool begins_group(std::uint64_t i) const { return i == 0 || (*this)[i - 1] != (*this)[i]; }
  WDX_HD bool operator()(std::uint64_t i) const {
    if (unsorted == 0 && !goes_on(i)) return false;
    return !begins_group(i) || (i + 1 < size && !begins_group(i + 1));
  }
};

/// Moves the members that still tie, and marks those that begin a group.
template <class Number> struct keep_tied {
  sorted_words words;
  Number const* kept;
  Number const* numbers;
  Number const* places;  ///< null if the places are the numbers of members
  Number* to_numbers;
  Number* to_places;
  Number* begins;
  WDX_HD void operator()(std::uint64_t i) const {
    Number const from = kept[i];
    to_numbers[i] = numbers[from];
    to_places[i] = places == nullptr ? from : places[from];
    begins[i] = words.begins_group(from) ? 1 : 0;
  }
};

/// Describes the group that a member begins.
template <class Number> struct open_group {
  sorted_words words;
  Number const* kept;
  std::uint32_t const* agreed_before;
  byte_key const* keys;
  Number const* numbers;
  Number const* group_of;
  Number* first;
  std::uint32_t* known;
  std::uint32_t* agreed;
  WDX_HD void operator()(std::uint64_t i) const {
    if (i != 0 && group_of[i - 1] == group_of[i]) return;
    Number const group = group_of[i] - 1;
    std::uint64_t const word = words.words[kept[i]];
    std::uint64_t const group_before = words.bits() == 64 ? 0 : word >> words.bits();
    first[group] = static_cast<Number>(i);
    known[group] = words.by_mark ? mark_word::shared(word)
                                 : agreed_before[group_before] + (words.unsorted == 0 ? words.word.bytes : 0);
    agreed[group] = keys[numbers[i]].size;
  }
};

template <class Number> struct place_number {
  Number const* places;
  Number const* numbers;
  Number* order;
  WDX_HD void operator()(std::uint64_t i) const { order[places[i]] = numbers[i]; }
};

template <class Number> struct group_member {
  Number group;
  Number number;
};

template <class Number> struct make_member {
  string_groups<Number> groups;
  group_member<Number>* members;
  WDX_HD void operator()(std::uint64_t i) const { members[i] = {groups.group(i), groups.numbers[i]}; }
};

template <class Number> struct place_member {
  Number const* places;
  group_member<Number> const* members;
  Number* order;
  WDX_HD void operator()(std::uint64_t i) const { order[places[i]] = members[i].number; }
};

/// The order of members. Not inlined, because a merge sort has it in hundreds of places.
template <class Number> struct member_precedes {
  string_groups<Number> groups;
  __device__ __noinline__ bool operator()(group_member<Number> const& a, group_member<Number> const& b) const {
    if (a.group != b.group) return a.group < b.group;
    int const order = compare(groups.keys[a.number], groups.keys[b.number], groups.agreed[a.group]);
    return order < 0 || (order == 0 && a.number < b.number);
  }
};

/// Sorts numbers of strings by the strings, then by the numbers, in rounds:
///
///     1. Skip the bytes that all strings of a group share. At first, all strings are one group.
///     2. Radix sort by (group, the next bytes: as many as fit into the rest of 64 bits) (byte_words.hpp).
///     3. Strings with equal words that go on are the groups of the next round. All others are in their place.
///
/// After `byte_sort_rounds`, what still ties is long, and begins other strings or shares long parts with some. Further
/// rounds sort it by how it compares with a string of its group (`mark_word`), which takes any number of bytes in one
/// step. After `byte_sort_mark_rounds`, what still ties is sorted by comparing.
/// @tparam Number can number all strings
template <class Number> class byte_sort {
 public:
  /// Synchronises once or a few times per round. Scratch: up to 40 bytes per string with numbers of 32 bits, 64 with 64
  /// @param size at least 1
  /// @return the numbers in order
  static buffer run(byte_key const* keys, std::uint64_t size, execution const& exec) {
    byte_sort sort(keys, size, exec);
    for (int round = 0; sort.size_ != 0; ++round) {
      if (round < tuning::byte_sort_rounds) sort.sort_by_words();
      else if (round < tuning::byte_sort_rounds + tuning::byte_sort_mark_rounds &&
               sort.group_bits() + mark_word::bits <= 64)
        sort.sort_by_marks();
      else sort.sort_by_comparing();
    }
    return std::move(sort.order_);
  }

 private:
  byte_sort(byte_key const* keys, std::uint64_t size, execution const& exec)
      : exec_(exec), keys_(keys), size_(size), numbers_(size, exec), first_(sizeof(Number), exec),
        known_(sizeof(std::uint32_t), exec), agreed_(sizeof(std::uint32_t), exec) {
    for_each(exec, size, number_elements<Number>{numbers_.data()});
    for (buffer const* const zero : {&first_, &known_})
      WDX_CUDA_TRY(cudaMemsetAsync(zero->data(), 0, zero->bytes(), exec.stream.get()));
    copy(agreed_.data(), &keys->size, sizeof(std::uint32_t));
  }

  void copy(void* to, void const* from, std::size_t bytes) const {
    WDX_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, exec_.stream.get()));
  }
  template <class T> T read(T const* from) const {
    T value;
    read_back(&value, from, sizeof(T), exec_.stream.get());
    return value;
  }

  bool first_round() const { return places_.data() == nullptr; }
  Number const* places() const { return places_.template as<Number>(); }
  string_groups<Number> groups() {
    return {keys_,
            numbers_.data(),
            group_of_.template as<Number>(),
            first_.template as<Number>(),
            known_.template as<std::uint32_t>(),
            agreed_.template as<std::uint32_t>()};
  }

  /// Step 1. Most columns share no first bytes, which a few of their strings show.
  void agree() {
    if (first_round() && size_ > tuning::byte_sort_sample) {
      for_each(exec_, tuning::byte_sort_sample, lower_agreed<Number>{groups()});
      if (read(agreed_.template as<std::uint32_t>()) == 0) return;
    }
    for_each(exec_, size_, lower_agreed<Number>{groups()});
  }

  int group_bits() const { return std::bit_width(group_count_ - 1); }

  void sort_by_words() {
    agree();
    byte_word const word{std::min(byte_word::most_bytes, (64 - group_bits() - byte_word::count_bits) / 8)};
    array_pair<std::uint64_t> words(size_, exec_);
    for_each(exec_, size_, write_words<Number>{groups(), word, words.data()});

    std::uint64_t const varying = varying_bits(words.data());
    int const lowest = varying == 0 ? 0 : std::countr_zero(varying);
    int const end = std::bit_width(varying);
    // Strings whose leading bits are all in use are likely random, and then fewer bits tell most of them apart.
    int const enough = (std::bit_width(size_) + tuning::byte_sort_spare_bits + 7) / 8 * 8;
    bool const dense = first_round() && end - lowest > enough && std::countl_one(varying << (64 - end)) >= enough;
    int const begin = dense ? end - enough : lowest;
    finish_round(words, begin, end, {words.data(), size_, word, dense ? begin : 0});
  }

  void sort_by_marks() {
    array_pair<std::uint64_t> words(size_, exec_);
    for_each(exec_, size_, write_mark_words<Number>{groups(), size_, group_count_, words.data()});
    finish_round(words, 0, std::bit_width(varying_bits(words.data())), {words.data(), size_, {}, 0, true});
  }

  /// Sorts the bits [begin, end) of words, and takes step 3.
  void finish_round(array_pair<std::uint64_t>& words, int begin, int end, sorted_words sorted) {
    if (begin != end) sort_pairs(words, numbers_, size_, begin, end, exec_);
    sorted.words = words.data();
    if (first_round()) {
      order_ = buffer(size_ * sizeof(Number), exec_);
      copy(order_.data(), numbers_.data(), order_.bytes());
    } else {
      for_each(exec_, size_, place_number<Number>{places(), numbers_.data(), order_.template as<Number>()});
    }
    regroup(sorted);
  }

  std::uint64_t varying_bits(std::uint64_t const* words) const {
    buffer const seen(sizeof(bits_seen), exec_);
    with_scratch(exec_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(scratch, bytes, words, seen.template as<bits_seen>(), size_,
                                                join_bits{}, bits_of_word{}, bits_seen{}, exec_.stream.get());
    });
    bits_seen const all = read(seen.template as<bits_seen>());
    return all.set & all.clear;
  }

  /// Keeps the members that still tie, in groups of equal words.
  void regroup(sorted_words const& words) {
    std::uint64_t const left = count_if(exec_, size_, words);
    if (left == 0) {
      size_ = 0;
      return;
    }
    buffer const kept(left * sizeof(Number), exec_);
    buffer const counter(sizeof(std::uint64_t), exec_);
    with_scratch(exec_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Number>(0), kept.template as<Number>(),
                                   counter.template as<std::uint64_t>(), size_, words, exec_.stream.get());
    });
    array_pair<Number> numbers(left, exec_);
    buffer places(left * sizeof(Number), exec_);
    buffer group_of(left * sizeof(Number), exec_);
    auto* const groups = group_of.template as<Number>();
    for_each(exec_, left,
             keep_tied<Number>{words, kept.template as<Number>(), numbers_.data(), this->places(), numbers.data(),
                               places.template as<Number>(), groups});
    with_scratch(exec_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(scratch, bytes, groups, groups, left, exec_.stream.get());
    });
    std::uint64_t const count = read(groups + (left - 1));
    buffer first(count * sizeof(Number), exec_);
    buffer known(count * sizeof(std::uint32_t), exec_);
    buffer agreed(count * sizeof(std::uint32_t), exec_);
    for_each(exec_, left,
             open_group<Number>{words, kept.template as<Number>(), agreed_.template as<std::uint32_t>(), keys_,
                                numbers.data(), groups, first.template as<Number>(), known.template as<std::uint32_t>(),
                                agreed.template as<std::uint32_t>()});
    size_ = left;
    group_count_ = count;
    numbers_ = std::move(numbers);
    places_ = std::move(places);
    group_of_ = std::move(group_of);
    first_ = std::move(first);
    known_ = std::move(known);
    agreed_ = std::move(agreed);
  }

  void sort_by_comparing() {
    agree();
    buffer const scratch_members(size_ * sizeof(group_member<Number>), exec_);
    auto* const members = scratch_members.template as<group_member<Number>>();
    for_each(exec_, size_, make_member<Number>{groups(), members});
    with_scratch(exec_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceMergeSort::SortKeys(scratch, bytes, members, size_, member_precedes<Number>{groups()},
                                            exec_.stream.get());
    });
    for_each(exec_, size_, place_member<Number>{places(), members, order_.template as<Number>()});
    size_ = 0;
  }

  execution const& exec_;
  byte_key const* keys_;
  std::uint64_t size_;  ///< strings that still tie: the members of groups
  std::uint64_t group_count_ = 1;
  array_pair<Number> numbers_;  ///< per member; the rest of `string_groups` follows
  buffer places_;               ///< per member of a group: a place in the order; empty in the first round
  buffer group_of_;
  buffer first_;
  buffer known_;
  buffer agreed_;
  buffer order_;
};

/// Moves references and row ids to the places that numbers name.
template <class Number, class Row> struct gather_references {
  byte_key const* keys;
  Row const* rows;  ///< null if the row ids are the numbers
  Number const* numbers;
  byte_key* to_keys;
  Row* to_rows;

  struct loaded {
    byte_key key;
    Row row;
  };
  WDX_HD loaded read(std::uint64_t i) const {
    Number const number = numbers[i];
    return {keys[number], rows == nullptr ? static_cast<Row>(number) : rows[number]};
  }
  WDX_HD void operator()(std::uint64_t i, loaded const& read) const {
    to_keys[i] = read.key;
    if (to_rows != nullptr) to_rows[i] = read.row;
  }
};

/// Sorts with numbers of type `Number`, which can number all strings.
template <class Number, class Row>
sorted_pairs sort_numbered(byte_key const* keys, Row const* rows, std::uint64_t n, execution const& exec) {
  buffer const order = byte_sort<Number>::run(keys, n, exec);
  sorted_pairs sorted{buffer(n * sizeof(byte_key), exec), buffer(n * sizeof(Row), exec), n};
  for_each(exec, n,
           gather_references<Number, Row>{keys, rows, order.template as<Number>(), sorted.keys.as<byte_key>(),
                                          sorted.rows.as<Row>()});
  return sorted;
}

}  // namespace detail

/// Sorts strings by their bytes, then by row id. May synchronise.
/// @param keys strings without tails, whose bytes the device reaches
/// @param rows row ids of type `Row`; without them the row id of a string is its position
/// @return references to the strings of `keys`, in order
/// @throws invalid_argument if a row id is `no_row`; out_of_memory, device_error
template <class Row>
sorted_pairs sort_strings(byte_key const* keys, std::optional<row_column> rows, std::uint64_t n,
                          execution const& exec) {
  if (n == 0) return {};
  auto const* const row_data = rows ? static_cast<Row const*>(rows->data) : nullptr;
  if (row_data != nullptr) expect_rows(row_data, n, exec);

  auto const sort = [&](byte_key const* strings, Row const* their_rows) {
    if (n <= std::numeric_limits<std::uint32_t>::max())
      return detail::sort_numbered<std::uint32_t>(strings, their_rows, n, exec);
    return detail::sort_numbered<std::uint64_t>(strings, their_rows, n, exec);
  };
  if (row_data == nullptr || count_if(exec, n - 1, warpdex::detail::descends<Row>{row_data}) == 0)
    return sort(keys, row_data);

  // Sort by row first, so that equal strings are in order of their numbers in any case.
  detail::array_pair<Row> sorted_rows(n, exec);
  detail::array_pair<Row> numbers(n, exec);
  WDX_CUDA_TRY(cudaMemcpyAsync(sorted_rows.data(), row_data, n * sizeof(Row), cudaMemcpyDefault, exec.stream.get()));
  for_each(exec, n, number_elements<Row>{numbers.data()});
  detail::sort_pairs(sorted_rows, numbers, n, 0, 8 * sizeof(Row), exec);
  buffer const keys_by_row(n * sizeof(byte_key), exec);
  for_each(exec, n,
           detail::gather_references<Row, Row>{keys, nullptr, numbers.data(), keys_by_row.as<byte_key>(), nullptr});
  return sort(keys_by_row.as<byte_key>(), sorted_rows.data());
}

}  // namespace warpdex::cuda
