// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/exact.hpp"

/// @file
/// Joins by comparing every probe with every entry.
namespace warpdex::test {

using number = std::uint64_t;
using pairs = std::vector<std::pair<number, number>>;
inline constexpr number none = ~number{0};

/// A value of any key type as a number that every type fits into; NaN after all others.
template <class T> exact exact_of(T value) {
  if constexpr (std::is_same_v<T, date>) return static_cast<exact>(value.days) * 86'400'000'000;
  else if constexpr (std::is_same_v<T, timestamp>) return static_cast<exact>(value.microseconds);
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value) ? static_cast<exact>(std::numeric_limits<double>::infinity()) * 0 : exact{value};
  else return static_cast<exact>(value);
}
inline bool is_nan(exact x) { return !(x == x); }
inline bool less(exact a, exact b) { return is_nan(a) ? false : is_nan(b) ? true : a < b; }
inline bool same(exact a, exact b) { return !less(a, b) && !less(b, a); }

/// A column with nulls and its validity bits.
template <class T> struct test_column {
  std::vector<T> values;
  std::vector<bool> valid;  ///< empty if all are

  bool has(std::size_t i) const { return valid.empty() || valid[i]; }

  /// @return the bits, from bit `offset` on
  std::vector<std::uint8_t> bits(std::size_t offset) const {
    std::vector<std::uint8_t> result((offset + values.size() + 7) / 8 + 1, 0xa5);
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const mask = static_cast<std::uint8_t>(1u << ((offset + i) % 8));
      auto& byte = result[(offset + i) / 8];
      byte = static_cast<std::uint8_t>(has(i) ? byte | mask : byte & ~mask);
    }
    return result;
  }
};

template <class T> void add_nulls(test_column<T>& c, std::mt19937_64& random) {
  c.valid.resize(c.values.size());
  for (std::size_t i = 0; i < c.valid.size(); ++i) c.valid[i] = random() % 4 != 0;
}

/// A column in the memory of some place, with its bits.
template <class T> class placed_column {
 public:
  placed_column(test_column<T> const& from, place where, execution const& exec, std::size_t offset = 3)
      : values_(from.values, where, 0, exec), bits_(from.bits(offset), where, 0, exec), offset_(offset),
        nullable_(!from.valid.empty()) {}

  nullable_column get() const {
    column const values(values_.data(), values_.size(), detail::key_type_of<T>());
    if (!nullable_) return values;
    return {values, static_cast<std::uint8_t const*>(bits_.data()), offset_};
  }

 private:
  input_array<T> values_;
  input_array<std::uint8_t> bits_;
  std::size_t offset_;
  bool nullable_;
};

/// The order of the entries of an index: by key, then by row.
template <class T> std::vector<number> entry_order(test_column<T> const& keys) {
  std::vector<number> rows;
  for (number i = 0; i < keys.values.size(); ++i)
    if (keys.has(i)) rows.push_back(i);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](number a, number b) { return less(exact_of(keys.values[a]), exact_of(keys.values[b])); });
  return rows;
}

/// @param matches matches(probe number, key)
template <class T, class Matches>
pairs expected_pairs(number probes, test_column<T> const& keys, join_kind kind, Matches const& matches) {
  auto const order = entry_order(keys);
  pairs result;
  for (number i = 0; i < probes; ++i) {
    std::vector<number> found;
    for (number const row : order)
      if (matches(i, exact_of(keys.values[row]))) found.push_back(row);
    switch (kind) {
      case join_kind::semi:
        if (!found.empty()) result.emplace_back(i, none);
        break;
      case join_kind::anti:
        if (found.empty()) result.emplace_back(i, none);
        break;
      default:
        for (number const row : found) result.emplace_back(i, row);
        if (found.empty() && kind == join_kind::left) result.emplace_back(i, none);
    }
  }
  return result;
}

inline std::vector<number> rows_of(row_column rows, execution const& exec) {
  std::vector<number> result(rows.size);
  if (rows.type == row_type::u64) {
    if (rows.size != 0) copy(result.data(), rows.data, rows.size * 8, exec);
    return result;
  }
  std::vector<std::uint32_t> narrow(rows.size);
  if (rows.size != 0) copy(narrow.data(), rows.data, rows.size * 4, exec);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = narrow[i] == no_row<std::uint32_t> ? none : narrow[i];
  return result;
}

inline pairs pairs_of(row_column left, row_column right, execution const& exec) {
  auto const l = rows_of(left, exec);
  auto const r = rows_of(right, exec);
  pairs result;
  for (std::size_t i = 0; i < l.size(); ++i) result.emplace_back(l[i], r.empty() ? none : r[i]);
  return result;
}

/// Collects batches, and checks that none has more pairs than allowed.
struct batch_reader {
  execution const& exec;
  number most = none;
  pairs all = {};
  number batches = 0;
  bool too_many = false;
  void operator()(join_batch const& batch) {
    pairs const more = pairs_of(batch.left, batch.right, exec);
    too_many = too_many || more.size() > most || more.empty();
    all.insert(all.end(), more.begin(), more.end());
    ++batches;
  }
};

/// @return as-of joins of all kinds @param tolerance of half of them, if given
inline std::vector<asof_options> all_options(std::optional<asof_tolerance> const& tolerance) {
  std::vector<asof_options> result;
  for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
    for (bool const exact : {true, false})
      for (auto const prefer : {asof_preference::earlier, asof_preference::later}) {
        bool const later = prefer == asof_preference::later;
        auto const ties = strategy == asof_strategy::nearest ? asof_ties::last : asof_ties::adjacent;
        result.push_back({strategy, exact, std::nullopt, prefer, later ? ties : asof_ties::first});
        if (tolerance)
          result.push_back({strategy, exact, tolerance, prefer, later ? asof_ties::last : asof_ties::first});
      }
  return result;
}

inline constexpr join_kind all_kinds[] = {join_kind::inner, join_kind::left, join_kind::semi, join_kind::anti};
inline constexpr closed_ends all_closed_ends[] = {closed_ends::both, closed_ends::left, closed_ends::right,
                                                  closed_ends::none};

}  // namespace warpdex::test
