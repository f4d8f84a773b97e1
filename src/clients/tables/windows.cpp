// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/range_quantiles.hpp>
#include <warpdex/table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clients/tables/chunks.hpp"
#include "clients/tables/table_parts.hpp"

namespace warpdex {
namespace {

using chunks::grain;
using chunks::room;
using ranks = std::shared_ptr<std::uint64_t[]>;

/// Keys that were moved by a distance. Those of a window that has no keys are null.
struct moved_keys {
  std::shared_ptr<void const> values;
  std::shared_ptr<std::uint8_t[]> nulls;
};

/// @param forward whether these are the ends of windows; an end beyond the type is that of the type
template <class Key, class Distance>
moved_keys moved(Key const* keys, std::uint8_t const* nulls, std::uint64_t size, Distance by, bool forward,
                 int threads) {
  auto const to = room<Key>(size);
  auto const absent = room<std::uint8_t>(size);
  parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      absent[static_cast<std::ptrdiff_t>(i)] = nulls != nullptr && nulls[i] != 0;
      Key& key = to[static_cast<std::ptrdiff_t>(i)];
      if constexpr (std::is_floating_point_v<Key>) {
        key = keys[i] + (forward ? by : -by);
      } else {
        using limits = std::numeric_limits<Key>;
        i128 const exact = i128{keys[i]} + (forward ? i128{by} : -i128{by});
        bool const is_below = exact<limits::min(), is_above = exact> limits::max();
        key = is_below ? limits::min() : is_above ? limits::max() : static_cast<Key>(exact);
        if (forward ? is_below : is_above) absent[static_cast<std::ptrdiff_t>(i)] = 1;
      }
    }
  });
  return {to, absent};
}

/// The first and the last keys of the windows of all left rows.
class window_ends {
 public:
  window_ends(chunked_keys const& from, table_window const& by, int threads) : threads_(threads) {
    encoded_keys const keys = chunks::whole(from, threads);
    switch (keys.keys.type) {
      case key_type::f32:
      case key_type::f64: make<double>(keys, key_type::f64, real(by.before), real(by.after)); break;
      case key_type::u64: make<std::uint64_t>(keys, key_type::u64, whole(by.before), whole(by.after)); break;
      case key_type::bytes:
      case key_type::u128:
        throw type_error("windows are of numbers and times; left's '" + by.left_on + "' has no distances");
      default: make<std::int64_t>(keys, key_type::i64, whole(by.before), whole(by.after)); break;
    }
  }

  key_ranges ranges(closed_ends closed) {
    return {chunks::valid_keys(lower_, threads_), chunks::valid_keys(upper_, threads_), closed};
  }

 private:
  static double real(asof_tolerance distance) {
    return std::visit([](auto value) { return static_cast<double>(value); }, distance);
  }

  static std::int64_t whole(asof_tolerance distance) {
    if (auto const* const value = std::get_if<double>(&distance))
      throw invalid_argument("a window reaches " + std::to_string(*value) + ", but its keys are integers");
    return std::get<std::int64_t>(distance);
  }

  template <class Key, class Distance>
  void make(encoded_keys const& keys, key_type type, Distance before, Distance after) {
    using sum = std::conditional_t<std::is_floating_point_v<Distance>, Distance, i128>;
    if (!(sum{before} + sum{after} >= 0))
      throw invalid_argument("before is " + std::to_string(before) + " and after " + std::to_string(after) +
                             "; no window ends before it begins");
    auto const numbers = chunks::numbers_as(keys.keys, type, threads_);
    for (bool const forward : {false, true}) {
      auto const ends = moved(static_cast<Key const*>(numbers.get()), keys.nulls, keys.keys.size,
                              forward ? after : before, forward, threads_);
      encoded_keys& to = forward ? upper_ : lower_;
      to.keys = {ends.values.get(), keys.keys.size, type};
      to.nulls = ends.nulls.get();
      to.held = {ends.values, ends.nulls};
    }
  }

  int threads_;
  encoded_keys lower_, upper_;
};

/// The right rows of all windows, as ranks of the entries of an index.
struct window_ranks {
  std::uint64_t size = 0;
  ranks first, last;
  std::shared_ptr<std::uint64_t[]> counts;

  std::span<std::uint64_t const> firsts() const { return {first.get(), size}; }
  std::span<std::uint64_t const> lasts() const { return {last.get(), size}; }
};

/// @return a column of values; those whose flag is 0 are null
template <class T>
arrow_column column_of(std::string format, std::shared_ptr<T[]> values, std::shared_ptr<std::uint8_t[]> const& valid,
                       std::uint64_t size, int threads) {
  struct kept {
    std::string format;
    std::shared_ptr<T[]> values;
    std::shared_ptr<std::uint8_t[]> bits;
    void const* buffers[2];
  };
  std::shared_ptr<std::uint8_t[]> bits;
  if (valid != nullptr) {
    bits = room<std::uint8_t>((size + 7) / 8);
    parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t at = begin; at < end; at += 8) {
        unsigned byte = 0;
        for (std::uint64_t i = at; i < std::min(end, at + 8); ++i) byte |= unsigned{valid.get()[i]} << (i - at);
        bits.get()[at / 8] = static_cast<std::uint8_t>(byte);
      }
    });
  }
  auto const held = std::make_shared<kept>(kept{std::move(format), values, bits, {bits.get(), values.get()}});
  ArrowSchema const schema{
      held->format.c_str(), "", nullptr, ARROW_FLAG_NULLABLE, 0, nullptr, nullptr, nullptr, nullptr};
  ArrowArray const array{static_cast<std::int64_t>(size),
                         bits == nullptr ? 0 : -1,
                         0,
                         2,
                         0,
                         held->buffers,
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr};
  return {schema, array, -1, held};
}

/// The columns of the right side in the order of an index's entries, and what windows have of them.
class window_columns {
 public:
  window_columns(index const& entries, table const& right, window_ranks const& of, execution const& exec)
      : entries_(entries), right_(right), ranks_(of), exec_(exec) {}

  arrow_column values(window_value const& wanted) {
    switch (wanted.aggregate) {
      case window_aggregate::count: return counts(wanted.column);
      case window_aggregate::sum:
      case window_aggregate::mean:
      case window_aggregate::std: return sums(wanted);
      case window_aggregate::first:
      case window_aggregate::last: return rows(wanted, ends(wanted.aggregate == window_aggregate::last));
      case window_aggregate::min: return rows(wanted, quantile(wanted.column, 0));
      case window_aggregate::max: return rows(wanted, quantile(wanted.column, 1));
      default: return rows(wanted, quantile(wanted.column, wanted.quantile));
    }
  }

 private:
  struct taken_rows {
    std::shared_ptr<std::byte[]> ids;
    row_type type;
  };

  execution host() const { return execution().with_threads(exec_.threads); }

  arrow_column rows(window_value const& wanted, taken_rows const& which) const {
    return gather(right_, {wanted.column}, {which.ids.get(), ranks_.size, which.type}, exec_).column(wanted.column)[0];
  }

  arrow_column counts(std::string const& column) const {
    if (column.empty()) return numbers("l", ranks_.counts, nullptr);
    std::vector<std::int8_t> const ones(right_.rows(), 1);
    arrow_column const values = whole_columns(right_, {column}, host())[0];
    value_column of(ones);
    set_validity(of, values.values());
    auto const found = aggregates(range_aggregates<i128>(entries_, of, exec_, moments::sums));
    auto const result = room<std::int64_t>(ranks_.size);
    each([&](std::uint64_t i) { result.get()[i] = static_cast<std::int64_t>(found.get()[i].count); });
    return numbers("l", result, nullptr);
  }

  arrow_column sums(window_value const& wanted) const {
    arrow_column const column = whole_columns(right_, {wanted.column}, host())[0];
    std::string const format = column.type().format;
    bool const is_duration = format.starts_with("tD"), is_decimal = format.starts_with("d:");
    value_column of = number_column(column);
    if (of.data == nullptr && of.size != 0)
      throw type_error("the right column '" + wanted.column + "' has Arrow's format " + format + ", which has no sums");
    if (is_duration && wanted.aggregate != window_aggregate::sum)
      throw type_error("the right column '" + wanted.column + "' has durations, which have sums alone");
    moments const known = wanted.aggregate == window_aggregate::std ? moments::second : moments::sums;
    double const unit = is_decimal ? std::pow(10.0, -scale_of(format)) : 1;
    if (of.kind == number_kind::floating)
      return added(wanted, "g", aggregates(range_aggregates<double>(entries_, of, exec_, known)), 1);
    auto const found = aggregates(range_aggregates<i128>(entries_, of, exec_, known));
    if (!is_decimal || wanted.aggregate != window_aggregate::sum)
      return added(wanted, is_duration ? format : "l", found, unit);
    auto const result = room<i128>(ranks_.size);
    each([&](std::uint64_t i) { result.get()[i] = found.get()[i].sum; });
    return numbers("d:38," + std::to_string(scale_of(format)), result, nullptr);
  }

  /// @param unit of the values: 10^-2 of decimals with two digits
  template <class Number>
  arrow_column added(window_value const& wanted, std::string const& format,
                     std::shared_ptr<aggregate<Number>[]> const& found, double unit) const {
    if (wanted.aggregate == window_aggregate::sum) {
      using value = std::conditional_t<std::is_same_v<Number, double>, double, std::int64_t>;
      auto const result = room<value>(ranks_.size);
      each([&](std::uint64_t i) {
        Number const sum = found.get()[i].sum;
        result.get()[i] = static_cast<value>(sum);
        if constexpr (std::is_same_v<Number, i128>)
          if (i128{result.get()[i]} != sum)
            throw invalid_argument("the sum of '" + wanted.column + "' takes more than 64 bits at row " +
                                   std::to_string(i));
      });
      return numbers(format, result, nullptr);
    }
    bool const is_mean = wanted.aggregate == window_aggregate::mean;
    auto const result = room<double>(ranks_.size);
    auto const valid = room<std::uint8_t>(ranks_.size);
    each([&](std::uint64_t i) {
      auto const& of = found.get()[i];
      valid.get()[i] = of.count >= (is_mean ? 1 : 2);
      result.get()[i] = (is_mean ? of.mean() : std::sqrt(of.var())) * unit;
    });
    return numbers("g", result, valid);
  }

  template <class Number>
  std::shared_ptr<aggregate<Number>[]> aggregates(range_aggregates<Number> const& of) const {
    auto const result = room<aggregate<Number>>(ranks_.size);
    of.of_ranks(ranks_.firsts(), ranks_.lasts(), {result.get(), ranks_.size}, exec_);
    return result;
  }

  taken_rows no_rows() const {
    row_type const type = entries_.row_type();
    std::uint64_t const bytes = ranks_.size * (type == row_type::u32 ? 4 : 8);
    taken_rows result{room<std::byte>(bytes), type};
    std::fill_n(result.ids.get(), bytes, std::byte{255});  // no_row
    return result;
  }

  /// @return the first or the last row of each window
  taken_rows ends(bool last) const {
    std::vector<std::uint64_t> wanted, at;
    for (std::uint64_t i = 0; i < ranks_.size; ++i) {
      if (ranks_.counts.get()[i] == 0) continue;
      at.push_back(i);
      wanted.push_back(last ? ranks_.last.get()[i] - 1 : ranks_.first.get()[i]);
    }
    matches const found = entries_.rows_at(wanted, exec_);
    taken_rows const result = no_rows();
    chunks::with_rows(result.ids.get(), result.type, [&]<class Row>(Row* to) {
      std::vector<Row> ids(found.total);
      copy(ids.data(), found.rows.data(), ids.size() * sizeof(Row), exec_);
      for (std::uint64_t i = 0; i < ids.size(); ++i) to[at[i]] = ids[i];
    });
    return result;
  }

  taken_rows quantile(std::string const& column, double part) {
    auto found = quantiles_.find(column);
    if (found == quantiles_.end()) {
      chunked_keys const keys = keys_of(right_.column(column));
      encoded_keys values = chunks::whole(keys, exec_.threads);
      range_quantiles of(entries_, chunks::valid_keys(values, exec_.threads), exec_);
      found = quantiles_.emplace(column, std::move(of)).first;
    }
    taken_rows const result = no_rows();
    found->second.of_ranks(ranks_.firsts(), ranks_.lasts(), part, quantile_side::lower,
                           {result.ids.get(), ranks_.size, result.type}, exec_);
    return result;
  }

  static int scale_of(std::string const& format) { return std::stoi(format.substr(format.find(',') + 1)); }

  static void set_validity(value_column& of, ArrowArray const& array) {
    if (array.null_count == 0) return;
    of.validity = static_cast<std::uint8_t const*>(array.buffers[0]);
    of.offset = static_cast<std::uint64_t>(array.offset);
  }

  /// @return no values for a format that has no sums
  static value_column number_column(arrow_column const& from) {
    static constexpr std::pair<std::string_view, std::pair<number_kind, std::uint32_t>> formats[] = {
        {"c", {number_kind::signed_integer, 1}},  {"C", {number_kind::unsigned_integer, 1}},
        {"s", {number_kind::signed_integer, 2}},  {"S", {number_kind::unsigned_integer, 2}},
        {"i", {number_kind::signed_integer, 4}},  {"I", {number_kind::unsigned_integer, 4}},
        {"l", {number_kind::signed_integer, 8}},  {"L", {number_kind::unsigned_integer, 8}},
        {"f", {number_kind::floating, 4}},        {"g", {number_kind::floating, 8}},
        {"tD", {number_kind::signed_integer, 8}}, {"d:", {number_kind::signed_integer, 16}}};
    std::string_view const format = from.type().format;
    value_column result;
    result.size = static_cast<std::uint64_t>(from.values().length);
    for (auto const& [name, what] : formats)
      if (from.type().dictionary == nullptr && (name.size() == 1 ? format == name : format.starts_with(name))) {
        result.kind = what.first;
        result.width = what.second;
        result.data = static_cast<std::byte const*>(from.values().buffers[1]) + from.values().offset * result.width;
        set_validity(result, from.values());
      }
    return result;
  }

  template <class F> void each(F const& f) const {
    parallel_chunks(exec_.threads, ranks_.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(i);
    });
  }

  template <class T>
  arrow_column numbers(std::string format, std::shared_ptr<T[]> values,
                       std::shared_ptr<std::uint8_t[]> const& valid) const {
    return column_of(std::move(format), std::move(values), valid, ranks_.size, exec_.threads);
  }

  index const& entries_;
  table const& right_;
  window_ranks const& ranks_;
  execution const& exec_;
  std::map<std::string, range_quantiles> quantiles_;
};

std::string name_of(window_value const& wanted) {
  static constexpr char const* words[] = {"count", "sum", "mean", "std", "first", "last", "min", "max", "quantile"};
  if (!wanted.name.empty()) return wanted.name;
  std::string const word = words[static_cast<std::size_t>(wanted.aggregate)];
  return wanted.column.empty() ? word : wanted.column + "_" + word;
}

}  // namespace

table window_tables(table const& left, table const& right, table_window const& by, execution const& exec) {
  std::string const& right_on = by.right_on.empty() ? by.left_on : by.right_on;
  names const& right_by = by.right_by.empty() ? by.left_by : by.right_by;
  key_columns const groups(left, by.left_by, right, right_by), keys(left, {by.left_on}, right, {right_on});
  for (window_value const& value : by.values)
    if (!value.column.empty()) right.column(value.column);
    else if (value.aggregate != window_aggregate::count)
      throw invalid_argument("a value of windows names no column, as a count alone may");
  window_ends ends(keys.left[0], by, exec.threads);
  encoded_keys entries = chunks::whole(keys.right[0], exec.threads);
  nullable_column const values = chunks::valid_keys(entries, exec.threads);
  window_ranks found{left.rows(), room<std::uint64_t>(left.rows()), room<std::uint64_t>(left.rows()),
                     room<std::uint64_t>(left.rows())};
  std::span const firsts(found.first.get(), found.size), counts(found.counts.get(), found.size);
  table result = left;
  auto const add = [&](index const& over) {
    parallel_chunks(exec.threads, found.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        if (counts[i] == 0) firsts[i] = 0;  // an empty window may begin beyond the entries
        found.last.get()[i] = firsts[i] + counts[i];
      }
    });
    window_columns columns(over, right, found, exec);
    table added;
    for (window_value const& value : by.values) added.add(name_of(value), {columns.values(value)});
    add_all(result, added, by.suffix);
  };
  if (groups.left.empty()) {
    index const over = build_valid("AO+BS", values, exec);
    over.equal_range(ends.ranges(by.closed), firsts, counts, exec);
    add(over);
  } else {
    auto [mine, others] = encode_groups(groups.left, groups.right, false, exec);
    auto const over = grouped_index::build("AO+BS", chunks::valid_keys(others, exec.threads), values, exec);
    over.equal_range(chunks::valid_keys(mine, exec.threads), ends.ranges(by.closed), firsts, counts, exec);
    add(over.entries());
  }
  return result;
}

table point_in_time_tables(table const& spine, std::vector<dated_table> const& tables, table_point_in_time const& by,
                           execution const& exec) {
  table result = spine;
  for (dated_table const& of : tables) {
    table_asof how{.left_on = by.on, .left_by = by.by, .suffix = by.suffix.empty() ? "_" + of.name : by.suffix};
    how.options.tolerance = of.tolerance;
    result = join_asof_tables(result, *of.known, how, exec);
  }
  return result;
}

}  // namespace warpdex
