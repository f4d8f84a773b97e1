// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/data.hpp"
#include "bench/parallel.hpp"
#include "bench/random.hpp"
#include "bench/report.hpp"

#include <warpdex/join.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <variant>

/// @file
/// Both sides of joins, and the right answers. Keys are u32 or u64.
namespace warpdex::bench {

/// A sorted column as a function of the rank. The values of the type are cut into equally wide steps, and each distinct
/// key is at a drawn place in its own step. So the answers of joins with any number of keys take no look at the column.
template <class Key> class stepped_keys {
 public:
  /// @param n at least 1, and for u32 below 2^32 @param copies entries of each key; the last may have fewer
  stepped_keys(std::uint64_t n, std::uint64_t copies, std::uint64_t seed)
      : size_(n), copies_(copies), distinct_((n + copies - 1) / copies),
        step_(std::numeric_limits<Key>::max() / distinct_), seed_(mix(seed) ^ stream) {}

  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t distinct() const noexcept { return distinct_; }

  /// @return distinct key number `i`
  Key key(std::uint64_t i) const noexcept {
    noise random(seed_, i);
    return near(i, random);
  }
  Key at(std::uint64_t rank) const noexcept { return key(rank / copies_); }

  /// @return the smallest rank of the key at `rank`
  std::uint64_t first_of_key(std::uint64_t rank) const noexcept { return rank / copies_ * copies_; }

  /// @return any value of the step of distinct key number `i`
  Key near(std::uint64_t i, noise& random) const noexcept { return static_cast<Key>(i * step_ + random.below(step_)); }

  std::uint64_t lower_bound(Key value) const noexcept {
    auto const i = value / step_;
    return i < distinct_ && value > key(i) ? first_of(i + 1) : first_of(i);
  }
  std::uint64_t upper_bound(Key value) const noexcept {
    auto const i = value / step_;
    return i < distinct_ && value >= key(i) ? first_of(i + 1) : first_of(i);
  }

 private:
  static constexpr std::uint64_t stream = 0x73746570;

  std::uint64_t first_of(std::uint64_t i) const noexcept { return i < distinct_ ? i * copies_ : size_; }

  std::uint64_t size_;
  std::uint64_t copies_;
  std::uint64_t distinct_;
  std::uint64_t step_;
  std::uint64_t seed_;
};

/// The left side: probes, or the bounds of ranges.
template <class Key> struct left_side {
  array<Key> lower;
  array<Key> upper;  ///< of range joins alone

  std::uint64_t size() const noexcept { return lower.size(); }
};

/// The sum of a set of pairs, whatever their order. Other pairs have the same sum by accident alone.
struct pair_sum {
  std::uint64_t pairs = 0;
  std::uint64_t sum = 0;

  static constexpr std::uint64_t none = no_row<std::uint64_t>;  ///< a right side that is missing

  void add(std::uint64_t left, std::uint64_t right) noexcept {
    ++pairs;
    sum += mix(mix(left) ^ right);
  }
  pair_sum& operator+=(pair_sum const& other) noexcept {
    pairs += other.pairs;
    sum += other.sum;
    return *this;
  }
  bool operator==(pair_sum const&) const = default;
};

/// @return the sum of what body(begin, end) returns for chunks of [0, n)
template <class Body> pair_sum sum_chunks(std::uint64_t n, Body const& body) {
  std::atomic<std::uint64_t> pairs = 0, sum = 0;
  parallel_chunks(n, [&](std::uint64_t begin, std::uint64_t end) {
    pair_sum const part = body(begin, end);
    pairs += part.pairs;
    sum += part.sum;
  });
  return {pairs, sum};
}

/// @return the rank to which an as-of join leads a probe; `pair_sum::none` if there is none
/// @param above the first of `size` ranks with a key not less than the probe; without exact matches, greater than it
/// @param below the first rank with the largest key less than the probe, or `pair_sum::none` @param key_at the key at a
/// rank
template <class Key, class KeyAt>
std::uint64_t asof_answer(asof_options const& ask, Key probe, std::uint64_t above, std::uint64_t below,
                          std::uint64_t size, KeyAt const& key_at) {
  auto const limit = ask.tolerance ? static_cast<Key>(std::get<std::int64_t>(*ask.tolerance)) : static_cast<Key>(-1);
  if (above < size && key_at(above) == probe) return above;
  Key const up = above < size ? static_cast<Key>(key_at(above) - probe) : Key{0};
  Key const down = below != pair_sum::none ? static_cast<Key>(probe - key_at(below)) : Key{0};
  bool const has_above = ask.strategy != asof_strategy::backward && above < size && up <= limit;
  bool const has_below = ask.strategy != asof_strategy::forward && below != pair_sum::none && down <= limit;
  if (has_below && (!has_above || down <= up)) return below;
  return has_above ? above : pair_sum::none;
}

/// A join, of which everything is given but the sink. As-of joins hand out one batch without left rows, which are
/// positions. @return the number of pairs
using join_call = std::function<std::uint64_t(join_sink const&)>;

/// `warpdex-bench join`. The key type is u32 unless `c` says u64.
void run_join(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
