// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// Every lookup as a value: what it takes, what it writes, and what it answers where no key answers. `index::look_up`
/// runs it; the members of `index` are its names.
namespace warpdex {

/// What one search answers.
enum class search_op : std::uint8_t {
  contains,     ///< whether the key exists, as a byte
  find,         ///< the smallest row id of the key
  lower_bound,  ///< the rank of the first key not less than the probe
  upper_bound,  ///< the rank of the first key greater than the probe
  floor,        ///< the smallest row id of the largest key not above the probe, and that key
  ceil,         ///< the same for the smallest key not below the probe
  nearest,      ///< a row id of the key on either side that is nearer; of as-of joins alone
  count,        ///< the number of entries of the key, and the rank of the first of them
  sum_before,   ///< the sum of the row ids of all entries before the lower bound
  sum_up_to,    ///< the same for the upper bound
};

/// The key that stands for a probe of another type, or for a bound.
enum class rounding : std::uint8_t {
  equal,  ///< the one that equals it
  down,   ///< the largest not above it
  up,     ///< the smallest not below it
  below,  ///< the largest below it
  above,  ///< the smallest above it
};

/// What a lookup takes: one column, or the two of ranges.
enum class probe_form : std::uint8_t { keys, ranges, prefixes };

/// What a lookup writes per probe, and what it writes for a null probe.
enum class answer_kind : std::uint8_t {
  none,
  flag,      ///< a byte, 1 or 0; null: 0
  row,       ///< a row id of the index's row type; null: `no_row`
  rank,      ///< a number of 64 bits; null: all bits set
  count,     ///< a number of 64 bits; null: 0
  sum,       ///< a number of 64 bits; null: 0
  key,       ///< a key of the index's type, or nothing if there is none; the array may be left out
  position,  ///< a number of 32 bits: the position of the probe whose answer this is
  length,    ///< a number of 32 bits; null: 0
  rows,      ///< a list of row ids (`matches`); null: an empty one
};

/// @return the key that stands for a probe of another type
constexpr rounding rounding_of(search_op op) noexcept {
  switch (op) {
    case search_op::lower_bound:
    case search_op::ceil: return rounding::up;
    case search_op::upper_bound:
    case search_op::floor: return rounding::down;
    default: return rounding::equal;
  }
}

/// @return the answer to a probe for which no key stands
/// @param entries of the index
constexpr std::uint64_t answer_without_key(search_op op, std::uint64_t entries) noexcept {
  switch (op) {
    case search_op::find:
    case search_op::floor:
    case search_op::ceil: return ~std::uint64_t{0};  // `no_row`
    case search_op::lower_bound: return entries;     // the probe is above all keys
    default: return 0;
  }
}

/// A lookup.
struct lookup {
  char const* name;       ///< as in messages: the name of its member of `any_index`
  search_op op;           ///< what its searches answer
  probe_form takes;       ///< keys, ranges or prefixes
  answer_kind writes[2];  ///< the second one may be `none`
  bool ordered = false;   ///< whether it needs an order of the keys

  /// Whether it lists rows (`any_index::list`), rather than writes arrays.
  constexpr bool lists() const noexcept { return writes[0] == answer_kind::rows; }
};

/// The table of lookups. A new one is a row here, and a member of `index` that names it.
namespace lookups {
/// How the table below calls the forms of probes.

using form = probe_form;
/// How the table below calls the kinds of answers.
using is = answer_kind;

/// What the member of `any_index` with this name runs.
/// @{
inline constexpr lookup contains{"contains", search_op::contains, form::keys, {is::flag}};
inline constexpr lookup find{"find", search_op::find, form::keys, {is::row}};
inline constexpr lookup find_unordered{"find_unordered", search_op::find, form::keys, {is::row, is::position}};
inline constexpr lookup count{"count", search_op::count, form::keys, {is::count}};
inline constexpr lookup retrieve{"retrieve", search_op::count, form::keys, {is::rows}};
inline constexpr lookup ancestors{"ancestors", search_op::find, form::keys, {is::rows}};

inline constexpr lookup lower_bound{"lower_bound", search_op::lower_bound, form::keys, {is::rank}, true};
inline constexpr lookup upper_bound{"upper_bound", search_op::upper_bound, form::keys, {is::rank}, true};
inline constexpr lookup floor{"floor", search_op::floor, form::keys, {is::row, is::key}, true};
inline constexpr lookup ceil{"ceil", search_op::ceil, form::keys, {is::row, is::key}, true};

inline constexpr lookup range_count{"range_count", search_op::count, form::ranges, {is::count}, true};
inline constexpr lookup range_sum{"range_sum", search_op::count, form::ranges, {is::sum}, true};
inline constexpr lookup equal_range{"equal_range", search_op::count, form::ranges, {is::rank, is::count}, true};
inline constexpr lookup range_retrieve{"range_retrieve", search_op::count, form::ranges, {is::rows}, true};

inline constexpr lookup prefix_count{"prefix_count", search_op::count, form::prefixes, {is::count}, true};
inline constexpr lookup prefix_sum{"prefix_sum", search_op::count, form::prefixes, {is::sum}, true};
inline constexpr lookup prefix_retrieve{"prefix_retrieve", search_op::count, form::prefixes, {is::rows}, true};
inline constexpr lookup longest_prefix{"longest_prefix", search_op::floor, form::prefixes, {is::row, is::length}, true};
/// @}

/// All of them, in the order above.
inline constexpr lookup const* all[] = {
    &contains,    &find,           &find_unordered, &count,      &retrieve,        &ancestors,
    &lower_bound, &upper_bound,    &floor,          &ceil,       &range_count,     &range_sum,
    &equal_range, &range_retrieve, &prefix_count,   &prefix_sum, &prefix_retrieve, &longest_prefix};

}  // namespace lookups
}  // namespace warpdex
