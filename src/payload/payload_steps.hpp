// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/payload.hpp>
#include <warpdex/search/codec.hpp>

#include <cstdint>
#include <type_traits>

#include "backend/steps.hpp"
#include "base/validity_bits.hpp"

/// @file
/// What payloads do with each value, for host and device. Arrays are within reach of the backend.
namespace warpdex {

/// Adjacent values that one aggregate covers, and adjacent aggregates that one of the next level covers.
inline constexpr std::uint64_t payload_block = 16;

/// Levels of aggregates over 2^48 values.
inline constexpr int payload_levels = 12;

WDX_HD inline std::uint64_t payload_blocks(std::uint64_t size) { return (size + payload_block - 1) / payload_block; }

/// Row ids of either type.
struct row_reader {
  void const* rows;
  row_type type;
  WDX_HD std::uint64_t at(std::uint64_t i) const {
    return type == row_type::u32 ? load_element<std::uint32_t>(rows, i) : load_element<std::uint64_t>(rows, i);
  }
  WDX_HD bool is_none(std::uint64_t row) const {
    return row == (type == row_type::u32 ? std::uint64_t{no_row<std::uint32_t>} : no_row<std::uint64_t>);
  }
};

/// Values in key order, as numbers.
template <class Number> struct value_reader {
  void const* values;
  std::uint8_t const* valid;  ///< null if all are
  number_kind kind;
  std::uint32_t width;

  WDX_HD bool has(std::uint64_t i) const { return valid == nullptr || valid[i] != 0; }
  WDX_HD Number at(std::uint64_t i) const {
    if constexpr (std::is_same_v<Number, double>) {
      return width == 4 ? load_element<float>(values, i) : load_element<double>(values, i);
    } else if (kind == number_kind::signed_integer) {
      if (width == 1) return load_element<std::int8_t>(values, i);
      if (width == 2) return load_element<std::int16_t>(values, i);
      if (width == 4) return load_element<std::int32_t>(values, i);
      if (width == 8) return load_element<std::int64_t>(values, i);
      return static_cast<i128>(load_element<u128>(values, i));
    } else {
      if (width == 1) return load_element<std::uint8_t>(values, i);
      if (width == 2) return load_element<std::uint16_t>(values, i);
      if (width == 4) return load_element<std::uint32_t>(values, i);
      return load_element<std::uint64_t>(values, i);
    }
  }
};

WDX_HD inline i128 add_numbers(i128 a, i128 b) {
  return static_cast<i128>(static_cast<u128>(a) + static_cast<u128>(b));
}
WDX_HD inline double add_numbers(double a, double b) { return a + b; }

/// NaN is above all numbers. @return whether a < b
template <class Number> WDX_HD bool below_number(Number a, Number b) {
  if constexpr (std::is_same_v<Number, double>) return a < b || (b != b && a == a);
  else return a < b;
}

/// Adds the aggregate of other values.
template <class Number> WDX_HD void add_aggregate(aggregate<Number>& to, aggregate<Number> const& more) {
  if (more.values == 0) return;
  if (to.values == 0) {
    to = more;
    return;
  }
  to.sum = add_numbers(to.sum, more.sum);
  if (below_number(more.least, to.least)) to.least = more.least;
  if (below_number(to.greatest, more.greatest)) to.greatest = more.greatest;
  to.values += more.values;
}

template <class Number>
WDX_HD void add_values(aggregate<Number>& to, value_reader<Number> const& from, std::uint64_t first,
                       std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    if (!from.has(i)) continue;
    Number const value = from.at(i);
    add_aggregate(to, aggregate<Number>{value, value, value, 1});
  }
}

namespace payload_steps {

/// Moves the value of row number i.
struct gather {
  row_reader rows;
  void const* values;
  std::uint32_t width;
  void* out;
  u128 missing;  ///< its first `width` bytes

  template <class T> WDX_HD void move(std::uint64_t i) const {
    std::uint64_t const row = rows.at(i);
    store_element(out, i, rows.is_none(row) ? static_cast<T>(missing) : load_element<T>(values, row));
  }
  WDX_HD void operator()(std::uint64_t i) const {
    if (width == 1) move<std::uint8_t>(i);
    else if (width == 2) move<std::uint16_t>(i);
    else if (width == 4) move<std::uint32_t>(i);
    else if (width == 8) move<std::uint64_t>(i);
    else move<u128>(i);
  }
};

/// Moves the validity of the value of row number i.
struct gather_valid {
  row_reader rows;
  validity_bits bits;
  std::uint8_t* out;
  WDX_HD void operator()(std::uint64_t i) const { out[i] = bits(rows.at(i)) ? 1 : 0; }
};

/// Makes the first level.
template <class Number> struct add_up_values {
  value_reader<Number> from;
  std::uint64_t size;
  aggregate<Number>* nodes;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * payload_block;
    aggregate<Number> all;
    add_values(all, from, first, first + payload_block < size ? first + payload_block : size);
    nodes[i] = all;
  }
};

/// Makes a level from the one below.
template <class Number> struct add_up_nodes {
  aggregate<Number> const* from;
  std::uint64_t size;
  aggregate<Number>* nodes;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * payload_block;
    std::uint64_t const last = first + payload_block < size ? first + payload_block : size;
    aggregate<Number> all;
    for (std::uint64_t at = first; at < last; ++at) add_aggregate(all, from[at]);
    nodes[i] = all;
  }
};

/// Adds up the values of some ranks. At each level it takes the part before the first whole block and that after the
/// last one, and leaves the blocks between to the next level.
template <class Number> struct add_up_ranks {
  value_reader<Number> values;
  aggregate<Number> const* nodes;
  std::uint64_t begin[payload_levels];  ///< where each level begins among the nodes
  int levels;
  void const* first;
  void const* last;
  bool counted;  ///< whether `last` holds numbers of ranks, not the ends of ranges
  aggregate<Number>* out;

  WDX_HD void add(aggregate<Number>& to, int level, std::uint64_t from, std::uint64_t end) const {
    if (level == 0) {
      add_values(to, values, from, end);
    } else {
      for (; from < end; ++from) add_aggregate(to, nodes[begin[level - 1] + from]);
    }
  }
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t from = load_element<std::uint64_t>(first, i);
    std::uint64_t end = load_element<std::uint64_t>(last, i) + (counted ? from : 0);
    aggregate<Number> all;
    for (int level = 0; from < end; ++level) {
      std::uint64_t const whole_from = payload_blocks(from);
      std::uint64_t const whole_end = end / payload_block;
      if (level == levels || whole_from >= whole_end) {
        add(all, level, from, end);
        break;
      }
      add(all, level, from, whole_from * payload_block);
      add(all, level, whole_end * payload_block, end);
      from = whole_from;
      end = whole_end;
    }
    store_element(out, i, all);
  }
};

/// Whether row number i has no value.
struct has_no_value {
  row_reader rows;
  std::uint64_t size;
  bool may_miss;  ///< whether `no_row` is no fault
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const row = rows.at(i);
    return row >= size && !(may_miss && rows.is_none(row));
  }
};

struct all
    : steps::list<steps::runs<gather, gather_valid, add_up_values<i128>, add_up_values<double>, add_up_nodes<i128>,
                              add_up_nodes<double>, add_up_ranks<i128>, add_up_ranks<double>>,
                  steps::finds_first<has_no_value>> {};
all list_of_step(...);

}  // namespace payload_steps
}  // namespace warpdex
