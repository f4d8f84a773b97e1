// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/random.hpp"

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// Key sets and probes of papers 000 and 003, and the right answers to them. Keys are u32, u64, u128 or strings: other
/// types of a file are measured as the unsigned numbers that the library makes of them.
namespace warpdex::bench {

inline constexpr std::uint32_t missing = no_row<std::uint32_t>;

/// Whether keys are byte strings. Then `key_set` and `placed` are those of strings.hpp and placed_strings.hpp.
template <class Key> inline constexpr bool is_string = std::is_same_v<Key, std::string_view>;

/// An array in the library's host memory, never initialised.
template <class T> class array {
 public:
  array() = default;
  explicit array(std::uint64_t size) : memory_(size * sizeof(T), execution()), size_(size) {}

  T* data() const noexcept { return memory_.template as<T>(); }
  std::uint64_t size() const noexcept { return size_; }
  T& operator[](std::uint64_t i) const noexcept { return data()[i]; }
  std::span<T> all() const noexcept { return {data(), size_}; }
  std::span<T const> first(std::uint64_t count) const noexcept { return {data(), count}; }

 private:
  buffer memory_;
  std::uint64_t size_ = 0;
};

/// A key column; row ids are positions. Generated keys are unique, or repeat equally often: d of them are 0 to d - 1,
/// the others are drawn from all values from d up, and the order is random (paper 003, section 5.1; with d = 0, paper
/// 000). For keys of 128 bits the lower half is drawn, and the upper half is a hash of it.
template <class Key> class key_set {
 public:
  /// @param n less than 2^32 @param uniformity percentage of the keys that are drawn
  /// @param copies entries of each key; the last may have fewer
  static key_set generate(std::uint64_t n, double uniformity, std::uint64_t seed, std::uint64_t copies = 1);
  /// @throws usage_error for 2^32 keys and more
  static key_set of_column(column keys);
  /// @param keys fewer than 2^32
  static key_set of_array(array<Key> keys);

  std::span<Key const> keys() const noexcept { return keys_.first(keys_.size()); }
  std::uint64_t size() const noexcept { return keys_.size(); }
  Key lowest() const noexcept { return lowest_; }
  Key highest() const noexcept { return highest_; }

  /// Whether keys are unique by construction and `row` may be called.
  bool generated() const noexcept { return order_.has_value(); }

  /// @return the row of a key, `missing` if there is none. Undoes the generator; touches no memory.
  std::uint32_t row(Key key) const noexcept {
    if (size() == 0) return missing;
    auto const low = static_cast<std::uint64_t>(key);
    if (key != (low < dense_ ? static_cast<Key>(low) : drawn_key(low))) return missing;
    std::uint64_t const element = low < dense_ ? low : drawn_->inverse(low);
    return element < size() ? static_cast<std::uint32_t>(order_->inverse(element)) : missing;
  }

 private:
  void find_borders();

  static Key drawn_key(std::uint64_t drawn) noexcept {
    if constexpr (sizeof(Key) == 16) return Key{mix(drawn)} << 64 | drawn;
    else return static_cast<Key>(drawn);
  }

  array<Key> keys_;
  std::uint64_t dense_ = 0;
  std::optional<permutation> order_;  ///< from rows to elements
  std::optional<permutation> drawn_;  ///< from elements at and above `dense_` to drawn keys
  Key lowest_ = 0;
  Key highest_ = 0;
};

/// The pairs in key order, ties in row order: the oracle, and what std::lower_bound searches.
template <class Key> struct sorted_set {
  array<Key> keys;
  array<std::uint32_t> rows;

  explicit sorted_set(key_set<Key> const& set);
  std::uint64_t size() const noexcept { return keys.size(); }
  std::uint64_t lower_bound(Key key) const noexcept;
  std::uint64_t upper_bound(Key key) const noexcept;
};

/// @return bytes of the pairs of a key set; of strings with their references
template <class Key> std::uint64_t pair_bytes(key_set<Key> const& set) {
  std::uint64_t bytes = set.size() * (sizeof(Key) + sizeof(std::uint32_t));
  if constexpr (is_string<Key>)
    for (auto const& key : set.keys()) bytes += key.size();
  return bytes;
}

/// A key set, and its pairs in key order, which are made when something first asks for them.
template <class Key> class key_data {
 public:
  explicit key_data(key_set<Key> set) : set_(std::move(set)) {}

  key_set<Key> const& set() const noexcept { return set_; }

  sorted_set<Key> const& sorted() {
    if (!sorted_) sorted_.emplace(set_);
    return *sorted_;
  }

 private:
  key_set<Key> set_;
  std::optional<sorted_set<Key>> sorted_;
};

/// A key with its row, for sorts to compare with.
template <class Key> struct pair_of {
  Key key;
  std::uint32_t row;
};

/// Pairs of a key set in row order.
template <class Key> array<pair_of<Key>> unsorted_pairs(key_set<Key> const& set);

/// Sorts by key, and by row if keys may repeat. One tbb::parallel_sort.
template <class Key> void sort_pairs(array<pair_of<Key>> const& pairs, bool unique);

/// Draws probes: `hit_rate` of them are keys of the set, with equal or Zipf-distributed chances, the others
/// are values inside or outside its borders that are no keys. For `prefix_count` and the like probes are the first
/// halves of these. A file of the configuration has the probes itself, numbers of
/// the type of the keys.
/// @param sorted needed for sets that are not generated, if there are misses
/// @throws usage_error if there are no such misses
template <class Key> array<Key> make_probes(config const& c, key_set<Key> const& set, sorted_set<Key> const* sorted);

/// The right answers. A row, a rank and a count all have 32 bits here; `missing` for a miss.
/// @param sorted may be null where `needs_sorted` says so
template <class Key>
array<std::uint32_t> make_answers(lookup const& what, key_set<Key> const& set, sorted_set<Key> const* sorted,
                                  std::span<Key const> probes);

/// @return whether the answers need more than the generator
template <class Key> bool needs_sorted(lookup const& what, key_set<Key> const& set) {
  return !set.generated() || (what.ordered && &what != &lookups::longest_prefix);
}

}  // namespace warpdex::bench
