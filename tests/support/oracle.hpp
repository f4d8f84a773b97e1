// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

/// @file
/// The right answers for every index, from a sorted vector of entries and std::lower_bound.
namespace warpdex::test {

/// The published order of keys: floats as numbers, both zeros equal, all NaN equal and last.
template <class Scalar> bool key_less(Scalar const& a, Scalar const& b) {
  if constexpr (std::is_floating_point_v<Scalar>) return a < b || (!std::isnan(a) && std::isnan(b));
  else return a < b;
}

template <class Scalar> bool key_equal(Scalar const& a, Scalar const& b) { return !key_less(a, b) && !key_less(b, a); }

template <class Scalar> class oracle {
 public:
  struct entry {
    Scalar key;
    std::uint64_t row;
  };

  /// Row ids are `rows`, or the positions if it is empty.
  oracle(std::vector<Scalar> const& keys, std::vector<std::uint64_t> const& rows) {
    entries_.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) entries_.push_back({keys[i], rows.empty() ? i : rows[i]});
    std::sort(entries_.begin(), entries_.end(), [](entry const& a, entry const& b) {
      return key_less(a.key, b.key) || (!key_less(b.key, a.key) && a.row < b.row);
    });
    begins_.resize(entries_.size());
    sums_.resize(entries_.size() + 1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      begins_[i] = i != 0 && key_equal(entries_[i - 1].key, entries_[i].key) ? begins_[i - 1] : i;
      sums_[i + 1] = sums_[i] + entries_[i].row;
    }
  }

  std::vector<entry> const& entries() const noexcept { return entries_; }

  /// Rank of the first entry with the key of entry `i`.
  std::uint64_t begin_of_key(std::uint64_t i) const { return begins_[i]; }

  /// Sum of the rows of all entries before entry `i`, modulo 2^64 like the answers.
  std::uint64_t sum_before(std::uint64_t i) const { return sums_[i]; }

  /// Number of entries whose key is less than `key`.
  std::uint64_t lower_bound(Scalar const& key) const {
    auto const at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                     [](entry const& e, Scalar const& k) { return key_less(e.key, k); });
    return static_cast<std::uint64_t>(at - entries_.begin());
  }

  /// Number of entries whose key is not greater than `key`.
  std::uint64_t upper_bound(Scalar const& key) const {
    auto const at = std::upper_bound(entries_.begin(), entries_.end(), key,
                                     [](Scalar const& k, entry const& e) { return key_less(k, e.key); });
    return static_cast<std::uint64_t>(at - entries_.begin());
  }

  /// Number of entries whose key is less than `prefix` or begins with it. @tparam Scalar a string
  std::uint64_t end_of_prefix(Scalar const& prefix) const {
    auto const at = std::partition_point(entries_.begin(), entries_.end(), [&](entry const& e) {
      return e.key < prefix || e.key.compare(0, prefix.size(), prefix) == 0;
    });
    return static_cast<std::uint64_t>(at - entries_.begin());
  }

  /// Rank of the first entry with the longest key that begins `text`; the number of entries if none does.
  /// @tparam Scalar a string
  std::uint64_t longest_beginning(Scalar text) const {
    while (std::uint64_t const above = upper_bound(text)) {
      Scalar const& key = entries_[above - 1].key;
      auto const differ = std::mismatch(key.begin(), key.end(), text.begin(), text.end());
      if (differ.first == key.end()) return begins_[above - 1];
      text.erase(differ.second, text.end());  // no key between them is shorter than what both share
    }
    return entries_.size();
  }

 private:
  std::vector<entry> entries_;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace warpdex::test
