// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "backend/cpu/key_row.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/pieces.hpp"
#include "backend/cpu/tuning.hpp"

namespace warpdex {

/// The probes of a window in the order of buckets: equal intervals of the keys between the smallest and the largest
/// that are searched. The first bucket has all smaller probes, too, and the last one all larger ones.
template <class Key> class probe_buckets {
 public:
  using entry = key_row<Key, std::uint32_t>;  ///< a probe or its route, and its place in the window

  /// Takes the memory for windows.
  /// @param wanted buckets, about @param window probes, at most
  /// @throws out_of_memory
  probe_buckets(Key lowest, Key highest, std::uint64_t wanted, std::uint64_t window, execution const& exec)
      : threads_(exec.threads), lowest_(lowest) {
    auto const span = static_cast<Key>(highest - lowest);
    int const bits = std::clamp<int>(std::bit_width(wanted), 1, cpu::tuning::most_bucket_bits);
    shift_ = std::max(0, bits_of(span) - bits);
    count_ = static_cast<std::uint32_t>(span >> shift_) + 1;
    entries_ = buffer(window * sizeof(entry), exec);
    counts_ = buffer(cut(window).count() * count_ * sizeof(std::uint32_t), exec);
  }

  /// Partitions a window by a stable counting sort.
  /// @param key_at called as key_at(i) for the probes i below `size`
  /// @param target called as target(key) for the key that says the bucket
  template <class KeyAt, class Target> void partition(std::uint64_t size, KeyAt const& key_at, Target const& target) {
    pieces const parts = cut(size);
    auto* const counts = counts_.as<std::uint32_t>();
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
      auto* const own = counts + p * count_;
      std::fill_n(own, count_, 0);
      for (auto i = begin; i < end; ++i) ++own[bucket_of(target(key_at(i)))];
    });
    std::uint32_t before = 0;
    for (std::uint64_t b = 0; b < count_; ++b)
      for (std::uint64_t p = 0; p < parts.count(); ++p) before += std::exchange(counts[p * count_ + b], before);
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
      auto* const position = counts + p * count_;
      auto* const to = entries_.as<entry>();
      for (auto i = begin; i < end; ++i) {
        Key const key = key_at(i);
        to[position[bucket_of(target(key))]++] = {key, static_cast<std::uint32_t>(i)};
      }
    });
    ends_ = counts + (parts.count() - 1) * count_;  // the last piece ends where the bucket ends
  }

  std::uint32_t count() const { return count_; }
  entry const* entries() const { return entries_.as<entry>(); }
  std::uint32_t begin_of(std::uint64_t bucket) const { return bucket == 0 ? 0 : ends_[bucket - 1]; }
  std::uint32_t end_of(std::uint64_t bucket) const { return ends_[bucket]; }

  /// @return whether a bucket has so many probes that all threads share them: those of few keys, or of crowded ones
  bool is_crowded(std::uint64_t bucket) const {
    return end_of(bucket) - begin_of(bucket) > cpu::tuning::most_bucket_probes;
  }

  /// Calls search(bucket, begin, end) for parts of the entries of crowded buckets, in parallel.
  template <class Search> void share_crowded(Search const& search) const {
    for (std::uint64_t b = 0; b < count_; ++b)
      if (std::uint32_t const first = begin_of(b); is_crowded(b))
        parallel_chunks(threads_, end_of(b) - first, cpu::tuning::probe_grain, [&](auto begin, auto end) {
          search(b, static_cast<std::uint32_t>(first + begin), static_cast<std::uint32_t>(first + end));
        });
  }

  /// @return the smallest key of a bucket
  Key first_key(std::uint64_t bucket) const {
    return bucket == 0 ? Key{0} : static_cast<Key>(lowest_ + (static_cast<Key>(bucket) << shift_));
  }

 private:
  static int bits_of(Key span) {
    if constexpr (sizeof(Key) > sizeof(std::uint64_t))
      if (auto const high = static_cast<std::uint64_t>(span >> 64); high != 0) return 64 + std::bit_width(high);
    return std::bit_width(static_cast<std::uint64_t>(span));
  }

  /// The pieces of a window that are partitioned side by side. Each has a count per bucket.
  pieces cut(std::uint64_t size) const {
    return {threads_, size, std::max<std::uint64_t>(cpu::tuning::least_piece, std::uint64_t{4} * count_)};
  }

  std::uint32_t bucket_of(Key target) const {
    if (target <= lowest_) return 0;
    return static_cast<std::uint32_t>(std::min<Key>((target - lowest_) >> shift_, count_ - 1));
  }

  int threads_;
  Key lowest_;
  int shift_;  ///< keys that differ only in the lowest `shift_` bits above `lowest_` share a bucket
  std::uint32_t count_;
  buffer entries_;
  buffer counts_;
  std::uint32_t const* ends_ = nullptr;  ///< per bucket: where its probes end
};

}  // namespace warpdex
