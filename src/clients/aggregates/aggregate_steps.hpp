// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/range_aggregates.hpp>
#include <warpdex/search/codec.hpp>
#include <warpdex/search/common.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "backend/steps.hpp"
#include "base/block_levels.hpp"
#include "base/tuning.hpp"
#include "base/validity_bits.hpp"

/// @file
/// What aggregates do with each value, for host and device. Arrays are within reach of the backend.
namespace warpdex {

/// Which values of a range come first.
enum class extreme : std::uint8_t { max, min };

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

/// NaN is above all numbers. @return whether a < b
template <class Number> WDX_HD bool below_number(Number a, Number b) {
  if constexpr (std::is_same_v<Number, double>) return a < b || (b != b && a == a);
  else return a < b;
}

/// The aggregate of some blocks, and what its sum cannot hold.
struct rested_aggregate : aggregate<double> {
  double rest = 0;
};
template <class Number>
using partial = std::conditional_t<std::is_same_v<Number, double>, rested_aggregate, aggregate<Number>>;

/// Adds a sum, of any type that has one and its rest.
template <class Sum> WDX_HD void add_sum(Sum& to, Sum const& more) {
  if constexpr (std::is_same_v<decltype(to.sum), i128>) {
    to.sum = static_cast<i128>(static_cast<u128>(to.sum) + static_cast<u128>(more.sum));
  } else {
    double const sum = to.sum + more.sum;
    double const back = sum - to.sum;
    double const rest = to.rest + more.rest + ((to.sum - (sum - back)) + (more.sum - back));
    to.sum = sum + rest;
    to.rest = rest - (to.sum - sum);
    if (rest - rest == 0) return;
    to.sum = sum;  // infinite, or NaN
    to.rest = 0;
  }
}

/// @return the number, which device code converts in halves
WDX_HD inline double as_double(i128 number) {
  u128 const bits = static_cast<u128>(number);
  u128 const size = number < 0 ? -bits : bits;
  double const high = static_cast<double>(static_cast<std::uint64_t>(size >> 64));
  double const found = high * 0x1p64 + static_cast<double>(static_cast<std::uint64_t>(size));
  return number < 0 ? -found : found;
}

/// @return the distance of the means of two blocks, times both numbers of their values
WDX_HD inline double scaled_distance(aggregate<i128> const& a, aggregate<i128> const& b) {
  constexpr i128 most = i128{1} << 94;
  auto const small = [](aggregate<i128> const& of) { return -most < of.sum && of.sum < most && of.count >> 32 == 0; };
  if (small(a) && small(b)) return as_double(a.sum * static_cast<i128>(b.count) - b.sum * static_cast<i128>(a.count));
  auto const of_a = static_cast<i128>(a.count), of_b = static_cast<i128>(b.count);
  auto const whole = static_cast<u128>(a.sum / of_a) - static_cast<u128>(b.sum / of_b);
  double const rest = as_double(a.sum % of_a) / as_double(of_a) - as_double(b.sum % of_b) / as_double(of_b);
  return (as_double(static_cast<i128>(whole)) + rest) * as_double(of_a) * as_double(of_b);
}
WDX_HD inline double scaled_distance(rested_aggregate const& a, rested_aggregate const& b) {
  auto const of_a = static_cast<double>(a.count), of_b = static_cast<double>(b.count);
  double const first = a.sum * of_b, second = b.sum * of_a;
  double const errors = std::fma(a.sum, of_b, -first) - std::fma(b.sum, of_a, -second);
  return (first - second) + (errors + (a.rest * of_b - b.rest * of_a));
}

/// Adds the aggregate of other values.
template <class Partial> WDX_HD void add_aggregate(Partial& to, Partial const& more, moments known) {
  if (more.count == 0) return;
  if (to.count == 0) {
    to = more;
    return;
  }
  if (known == moments::second) {
    double const distance = scaled_distance(to, more);
    auto const of_to = static_cast<double>(to.count), of_more = static_cast<double>(more.count);
    to.m2 += more.m2 + distance * distance / (of_to * of_more * (of_to + of_more));
  }
  add_sum(to, more);
  if (below_number(more.min, to.min)) to.min = more.min;
  if (below_number(to.max, more.max)) to.max = more.max;
  to.count += more.count;
}

template <class Number>
WDX_HD void add_values(partial<Number>& to, value_reader<Number> const& from, std::uint64_t first, std::uint64_t last,
                       moments known) {
  for (std::uint64_t i = first; i < last; ++i) {
    if (!from.has(i)) continue;
    partial<Number> single;
    single.sum = single.min = single.max = from.at(i);
    single.count = 1;
    add_aggregate(to, single, known);
  }
}

/// The values in key order, which are level 0, and the aggregates of blocks of them: level 1, and so on.
template <class Number> struct value_tree {
  value_reader<Number> values;
  partial<Number> const* nodes;
  std::uint64_t begin[most_block_levels];  ///< where each level begins among the nodes
  int levels;                              ///< of nodes
  moments known;

  WDX_HD partial<Number> const& node(int level, std::uint64_t i) const { return nodes[begin[level - 1] + i]; }

  WDX_HD void add(partial<Number>& to, int level, std::uint64_t from, std::uint64_t end) const {
    if (level == 0) {
      add_values(to, values, from, end, known);
    } else {
      for (; from < end; ++from) add_aggregate(to, node(level, from), known);
    }
  }

  /// @return the aggregate of the ranks from `from` up to, but not including, `end`. At each level it takes the part
  /// before the first whole block and that after the last one, and leaves the blocks between to the next level.
  WDX_HD aggregate<Number> add_up(std::uint64_t from, std::uint64_t end) const {
    partial<Number> all;
    for (int level = 0; from < end; ++level) {
      std::uint64_t const whole_from = blocks_of(from);
      std::uint64_t const whole_end = end / block_size;
      if (level == levels || whole_from >= whole_end) {
        add(all, level, from, end);
        break;
      }
      add(all, level, from, whole_from * block_size);
      add(all, level, whole_end * block_size, end);
      from = whole_from;
      end = whole_end;
    }
    aggregate<Number> found = all;
    if (known == moments::sums) found.min = found.max = 0;
    return found;
  }
};

/// Ranges of ranks that a call asks for.
struct ranks_of_ranges {
  void const* first;
  void const* last;
  bool counted;  ///< whether `last` holds numbers of ranks, not the ends of ranges

  WDX_HD std::uint64_t begin(std::uint64_t i) const { return load_element<std::uint64_t>(first, i); }
  WDX_HD std::uint64_t end(std::uint64_t i, std::uint64_t begin) const {
    return load_element<std::uint64_t>(last, i) + (counted ? begin : 0);
  }
};

namespace aggregate_steps {

/// Moves the values of row number i of some columns of one width.
struct gather {
  static constexpr auto most = tuning::gather_columns;
  row_reader rows;
  std::uint32_t width;
  std::uint32_t columns;
  void const* values[most] = {};
  void* out[most] = {};
  u128 missing[most] = {};  ///< the first `width` bytes of each

  gather(row_reader of, std::uint32_t bytes) : rows(of), width(bytes), columns(0) {}

  bool is_full() const { return columns == most; }
  gather& with(void const* from, void* to, u128 instead) {
    values[columns] = from;
    out[columns] = to;
    missing[columns++] = instead;
    return *this;
  }

  template <class T> WDX_HD void move(std::uint64_t i) const {
    std::uint64_t const row = rows.at(i);
    bool const none = rows.is_none(row);
    for (std::uint32_t c = 0; c < columns; ++c)
      store_element(out[c], i, none ? static_cast<T>(missing[c]) : load_element<T>(values[c], row));
  }
  WDX_HD void operator()(std::uint64_t i) const {
    if (width == 1) move<std::uint8_t>(i);
    else if (width == 2) move<std::uint16_t>(i);
    else if (width == 4) move<std::uint32_t>(i);
    else if (width == 8) move<std::uint64_t>(i);
    else move<u128>(i);
  }

  /// The same of rows [begin, end), on the host, in loops of one kind of values.
  void run_part(std::uint64_t begin, std::uint64_t end) const {
    if (width == 1) move_part<std::uint8_t>(begin, end);
    else if (width == 2) move_part<std::uint16_t>(begin, end);
    else if (width == 4) move_part<std::uint32_t>(begin, end);
    else if (width == 8) move_part<std::uint64_t>(begin, end);
    else move_part<u128>(begin, end);
  }

 private:
  template <class T> void move_part(std::uint64_t begin, std::uint64_t end) const {
    if (rows.type == row_type::u32) move_part_of<T, std::uint32_t>(begin, end);
    else move_part_of<T, std::uint64_t>(begin, end);
  }

  template <class T, class Row> void move_part_of(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint32_t c = 0; c < columns; ++c) {
      void const* const from = values[c];
      void* const to = out[c];
      T const none = static_cast<T>(missing[c]);
      for (std::uint64_t i = begin; i < end; ++i) {
        Row const row = load_element<Row>(rows.rows, i);
        store_element(to, i, row == no_row<Row> ? none : load_element<T>(from, row));
      }
    }
  }
};

/// Moves bits to byte number i: those of eight rows, and 0 for no row.
struct gather_bits {
  row_reader rows;
  std::uint64_t size;  ///< number of rows
  validity_bits from;
  std::uint8_t* out;
  WDX_HD void operator()(std::uint64_t i) const {
    unsigned count = 0;
    for (unsigned bit = 0; bit < values_per_byte && values_per_byte * i + bit < size; ++bit) {
      std::uint64_t const row = rows.at(values_per_byte * i + bit);
      if (!rows.is_none(row) && from(row)) count |= 1u << bit;
    }
    out[i] = static_cast<std::uint8_t>(count);
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
  partial<Number>* nodes;
  moments known;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * block_size;
    partial<Number> all;
    add_values(all, from, first, first + block_size < size ? first + block_size : size, known);
    nodes[i] = all;
  }
};

/// Makes a level from the one below.
template <class Number> struct add_up_nodes {
  partial<Number> const* from;
  std::uint64_t size;
  partial<Number>* nodes;
  moments known;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * block_size;
    std::uint64_t const last = first + block_size < size ? first + block_size : size;
    partial<Number> all;
    for (std::uint64_t at = first; at < last; ++at) add_aggregate(all, from[at], known);
    nodes[i] = all;
  }
};

/// The first values of ranges of ranks, in an order of the values: how both steps below see them.
template <class Number> struct top_of_ranks {
  value_tree<Number> tree;
  std::uint64_t const* first;
  std::uint64_t const* counts;
  extreme which;

  /// @return the first value of block number i of a level
  WDX_HD Number value(int level, std::uint64_t i) const {
    if (level == 0) return tree.values.at(i);
    return which == extreme::max ? tree.node(level, i).max : tree.node(level, i).min;
  }
  WDX_HD bool has(int level, std::uint64_t i) const {
    return level == 0 ? tree.values.has(i) : tree.node(level, i).count != 0;
  }
};

/// Counts the first k values of range number i: all of its values if there are fewer.
template <class Number> struct count_top {
  top_of_ranks<Number> of;
  std::uint64_t k;
  std::uint64_t* out;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t values = of.counts[i];
    if (of.tree.values.valid != nullptr) values = of.tree.add_up(of.first[i], of.first[i] + values).count;
    out[i] = values < k ? values : k;
  }
};

/// The first k of the blocks of a level that are offered, by their first values, then by their numbers. It is a heap
/// whose root is the last of them.
template <class Number> struct top_list {
  Number* values;
  std::uint64_t* blocks;  ///< their numbers
  std::uint64_t most;     ///< k, at least 1
  extreme which;
  std::uint64_t size = 0;
  bool bounded = false;
  Number last = 0;  ///< if bounded, k values are known of which none comes after this one

  WDX_HD bool before(Number a, Number b) const {
    return which == extreme::max ? below_number(b, a) : below_number(a, b);
  }
  WDX_HD bool before(Number a, std::uint64_t a_block, Number b, std::uint64_t b_block) const {
    return before(a, b) || (a_block < b_block && !before(b, a));
  }
  WDX_HD bool takes(Number value, std::uint64_t block) const {
    return size == most ? before(value, block, values[0], blocks[0]) : !bounded || !before(last, value);
  }

  /// Makes room for blocks of the level below. Each of k blocks has its first value in one of them.
  WDX_HD void clear() {
    bounded = size == most;
    if (bounded) last = values[0];
    size = 0;
  }
  WDX_HD void put(std::uint64_t i, Number value, std::uint64_t block) {
    values[i] = value;
    blocks[i] = block;
  }

  /// Puts a block in the place of the root of the first `count`, or below it.
  WDX_HD void sink(std::uint64_t count, Number value, std::uint64_t block) {
    std::uint64_t i = 0;
    for (std::uint64_t next = 1; next < count; next = 2 * i + 1) {
      if (next + 1 < count && before(values[next], blocks[next], values[next + 1], blocks[next + 1])) ++next;
      if (!before(value, block, values[next], blocks[next])) break;
      put(i, values[next], blocks[next]);
      i = next;
    }
    put(i, value, block);
  }
  WDX_HD void offer(Number value, std::uint64_t block) {
    if (!takes(value, block)) return;
    if (size == most) return sink(most, value, block);
    std::uint64_t i = size++;
    for (; i != 0; i = (i - 1) / 2) {
      std::uint64_t const above = (i - 1) / 2;
      if (!before(values[above], blocks[above], value, block)) break;
      put(i, values[above], blocks[above]);
    }
    put(i, value, block);
  }

  /// Puts the first of them first. Nothing can be offered then.
  WDX_HD void sort() {
    for (std::uint64_t end = size; end > 1;) {
      Number const value = values[--end];
      std::uint64_t const block = blocks[end];
      put(end, values[0], blocks[0]);
      sink(end, value, block);
    }
  }
};

/// Takes the first values of range number i. They are in the first k whole blocks of a level, and in what is beside the
/// whole blocks. So the search begins where about k blocks cover the range, and keeps k blocks of each level below.
template <class Number> struct take_top {
  top_of_ranks<Number> of;
  std::uint64_t const* offsets;
  Number* values;
  std::uint64_t* ranks;
  std::uint64_t* numbers;  ///< of the answers, and one more. Those after the first one are scratch before

  /// @return the number of the first block that begins at a rank or after it
  WDX_HD static std::uint64_t begin(std::uint64_t rank, int level) {
    return (rank + (std::uint64_t{1} << block_bits * level) - 1) >> block_bits * level;
  }
  /// @return the number of the first block that ends after a rank
  WDX_HD static std::uint64_t end(std::uint64_t rank, int level) { return rank >> block_bits * level; }

  WDX_HD void offer(top_list<Number>& to, int level, std::uint64_t from, std::uint64_t end) const {
    for (; from < end; ++from)
      if (of.has(level, from)) to.offer(of.value(level, from), from);
  }

  /// Puts blocks of the level below in the place of those of a level.
  WDX_HD void descend(top_list<Number>& best, int level, std::uint64_t* parents) const {
    std::uint64_t const count = best.size;
    for (std::uint64_t j = 0; j < count; ++j) parents[j] = best.blocks[j];
    best.clear();
    for (std::uint64_t j = count; j-- != 0;) {  // the last one is the root
      std::uint64_t const child = parents[j] * block_size;
      if (best.takes(of.value(level, parents[j]), child)) offer(best, level - 1, child, child + block_size);
    }
  }

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = offsets[i];
    std::uint64_t const most = offsets[i + 1] - at;
    if (most != 0) {
      std::uint64_t const from = of.first[i];
      std::uint64_t const to = from + of.counts[i];
      top_list<Number> best{values + at, ranks + at, most, of.which};
      int level = 0;
      while (level < of.tree.levels && begin(from, level + 1) + most < end(to, level + 1)) ++level;
      offer(best, level, begin(from, level), end(to, level));
      for (; level != 0; --level) {
        descend(best, level, numbers + at + 1);
        offer(best, level - 1, begin(from, level - 1), begin(from, level) * block_size);
        offer(best, level - 1, end(to, level) * block_size, end(to, level - 1));
      }
      best.sort();
    }
    if (i == 0) numbers[0] = 0;
    for (std::uint64_t j = at + 1; j <= at + most; ++j) numbers[j] = j;
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

struct all : steps::list<steps::runs<gather, gather_bits, gather_valid, add_up_values<i128>, add_up_values<double>,
                                     add_up_nodes<i128>, add_up_nodes<double>, count_top<i128>, count_top<double>>,
                         steps::runs_long<take_top<i128>, take_top<double>>, steps::finds_first<has_no_value>> {};
all list_of_step(...);

}  // namespace aggregate_steps
}  // namespace warpdex
