// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/probe_buckets.hpp"
#include "clients/key_set/set_steps.hpp"
#include "clients/key_set/tuning.hpp"

namespace warpdex {

/// Looks for a large batch of probes on host threads, in windows.
///
///     1. Partition. The probes of a window come into the order of buckets (backend/cpu/probe_buckets.hpp).
///     2. Search. The blocks of a bucket are unpacked to the L1 cache, and a few searches at a time halve them there.
///        A bucket with few probes for its keys, or with more keys than fit, is searched block by block in flights,
///        whose memory is near.
template <class Key, class Answer> class set_windows {
 public:
  /// Takes the memory for windows. @throws out_of_memory
  /// @param search of a set that has keys, for `size` probes
  set_windows(set_steps::look_up<Key, Answer> const& search, std::uint64_t size, execution const& exec)
      : search_(search), size_(size), window_(std::min<std::uint64_t>(size, cpu::tuning::most_window_probes)),
        threads_(exec.threads), buckets_(set().levels[0][0], set().levels[0][set().blocks() - 1],
                                         set().size / tuning::set_bucket, window_, exec) {}

  /// @return whether windows pay
  static bool pay(set_view<Key> const& set, std::uint64_t probes) {
    return probes >= cpu::tuning::window_from_probes && probes >= set.size / tuning::set_window_keys_per_probe &&
           set.size * sizeof(Key) >= cpu::tuning::window_from_bytes;
  }

  void run() {
    for (first_ = 0; first_ < size_; first_ += window_) {
      std::uint64_t const size = std::min(size_ - first_, window_);
      buckets_.partition(
          size, [this](std::uint64_t i) { return key_of(first_ + i); }, [](Key key) { return key; });
      constexpr auto most = cpu::tuning::buckets_at_a_time;
      parallel_chunks(threads_, buckets_.count(), most, [this](std::uint64_t begin, std::uint64_t end) {
        run_on_isa([&] { search_buckets(begin, end); });
      });
      buckets_.share_crowded(
          [this](std::uint64_t, std::uint32_t begin, std::uint32_t end) { run_on_isa([&] { fly_over(begin, end); }); });
      answer_absent(first_, first_ + size);
    }
  }

 private:
  static constexpr unsigned together = tuning::set_bisections;
  static constexpr std::uint64_t most_keys = tuning::set_bucket_blocks * set_block;

  set_view<Key> const& set() const { return search_.set; }

  Key key_of(std::uint64_t i) const {
    Key key;
    search_.probes.read(i, key);
    return key;
  }

  /// @return the block, or the key of a plain set, where a search for the first key of a bucket ends
  std::uint64_t block_of(std::uint64_t bucket) const {
    if (bucket == buckets_.count()) return set().blocks() - 1;
    set_search<Key> s;
    s.key = buckets_.first_key(bucket);
    for (int level = set().depth - 1; level >= 0; --level) set().descend(level, s);
    return s.block;
  }

  void search_buckets(std::uint64_t begin, std::uint64_t end) const {
    std::array<Key, most_keys> unpacked;
    std::uint64_t first = block_of(begin);
    for (auto b = begin; b < end; ++b) {
      std::uint64_t const last = block_of(b + 1), blocks = last - first + 1;
      std::uint64_t const keys = set().is_plain() ? blocks : blocks * set_block;
      std::uint32_t const from = buckets_.begin_of(b), to = buckets_.is_crowded(b) ? from : buckets_.end_of(b);
      if (keys > most_keys || keys > (to - from) * tuning::set_unpacked_per_probe) {
        fly_over(from, to);
      } else if (set().is_plain()) {
        bisect(from, to, set().levels[0] + first, keys, first);
      } else {
        for (std::uint64_t block = first; block <= last; ++block)
          set().each(block, [out = unpacked.data() + (block - first) * set_block](unsigned i, Key key) {
            out[i] = key;
            return true;
          });
        bisect(from, to, unpacked.data(), std::min(keys, set().size - first * set_block), first * set_block);
      }
      first = last;
    }
  }

  void fly_over(std::uint32_t begin, std::uint32_t end) const {
    search_.fly_over(end - begin, [this, begin](std::uint64_t i) { return place_of(begin + i); });
  }

  std::uint64_t place_of(std::uint64_t entry) const { return first_ + buckets_.entries()[entry].row; }

  /// Looks for some entries among `size` keys, of which the first one has a rank. Vectors would take longer: they
  /// gather.
  [[gnu::noinline]] void bisect(std::uint32_t begin, std::uint32_t end, Key const* keys, std::uint64_t size,
                                std::uint64_t rank) const {
    for (std::uint32_t i = begin; i < end; i += together) {
      Key wanted[together];
      std::uint32_t at[together];
      for (unsigned j = 0; j < together; ++j) {
        std::uint32_t const entry = std::min(i + j, end - 1);
        wanted[j] = buckets_.entries()[entry].key;
        at[j] = 0;
        search_.answer.prefetch_output(place_of(std::min(entry + cpu::tuning::answers_ahead, end - 1)));
      }
      for (auto left = static_cast<std::uint32_t>(size); left > 1;) {
        std::uint32_t const half = left / 2;
        for (unsigned j = 0; j < together; ++j) at[j] = select(keys[at[j] + half] <= wanted[j], at[j] + half, at[j]);
        left -= half;
      }
      for (unsigned j = 0; j < std::min(together, end - i); ++j)
        search_.answer.write(place_of(i + j), keys[at[j]] == wanted[j], rank + at[j]);
    }
  }

  /// Corrects the answers to probes that equal no key of their type.
  void answer_absent(std::uint64_t begin, std::uint64_t end) const {
    if (search_.probes.all_are_keys()) return;
    parallel_chunks(threads_, end - begin, cpu::tuning::probe_grain, [&](std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t i = begin + from; i < begin + to; ++i)
        if (Key key; !search_.probes.read(i, key)) search_.answer.write(i, false, 0);
    });
  }

  set_steps::look_up<Key, Answer> const& search_;
  std::uint64_t const size_;
  std::uint64_t const window_;
  int const threads_;
  probe_buckets<Key> buckets_;
  std::uint64_t first_ = 0;  ///< number of the first probe of the window
};

}  // namespace warpdex
