// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_bytes.hpp>

#include <cstdint>

/// @file
/// A blocked Bloom filter over the keys of an index. It tells that a key is surely not there, or that it may be there.
namespace warpdex {

/// A block of 256 bits: one sector of a GPU's memory, half a cache line of a CPU's. A key leaves its mark in one block:
/// one bit in each half of each word.
///
///     | word 0: 32 bits, 32 bits | word 1: 32 bits, 32 bits | word 2 | word 3 |
struct alignas(32) filter_block {
  static constexpr int word_count = 4;
  std::uint64_t words[word_count];
};

/// Hashes of the keys of an array, whose type is known at run time.
class key_hashes {
 public:
  /// @param codec of the keys; `identity` if they are codes
  key_hashes(void const* keys, key_kind kind, key_codec codec)
      : keys_(keys), kind_(kind), codec_(codec), of_string_(seed) {}

  WDX_HD std::uint64_t operator()(std::uint64_t i) const {
    switch (kind_) {
      case key_kind::u32: return mix(std::uint64_t{encode(codec_, load_element<std::uint32_t>(keys_, i))}, seed);
      case key_kind::u64: return mix(encode(codec_, load_element<std::uint64_t>(keys_, i)), seed);
      case key_kind::u128:
        return static_cast<std::uint64_t>(mix(encode(codec_, load_element<u128>(keys_, i)), seed) >> 64);
      default: return mix(of_string_(load_element<byte_key>(keys_, i)), seed);
    }
  }

 private:
  static constexpr std::uint64_t seed = 0;

  void const* keys_;
  key_kind kind_;
  key_codec codec_;
  string_hash of_string_;
};

/// The mark of a key, and the block that has it.
struct filter_mark {
  std::uint64_t block;
  std::uint64_t bits;  ///< 8 numbers of 5 bits

  WDX_HD bool is_in(filter_block const& holder) const {
    std::uint64_t missing = 0;
    for (int w = 0; w < filter_block::word_count; ++w) missing |= word(w) & ~holder.words[w];
    return missing == 0;
  }

  /// Many threads may add marks at once.
  WDX_HD void add_to(filter_block& holder) const {
    for (int w = 0; w < filter_block::word_count; ++w) {
#if defined(__CUDA_ARCH__)
      static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
      atomicOr(reinterpret_cast<unsigned long long*>(holder.words + w), static_cast<unsigned long long>(word(w)));
#else
      __atomic_fetch_or(holder.words + w, word(w), __ATOMIC_RELAXED);
#endif
    }
  }

 private:
  WDX_HD std::uint64_t word(int w) const {
    auto const places = static_cast<unsigned>(bits >> (10 * w));
    return std::uint64_t{1} << (places & 31) | std::uint64_t{1} << (32 + (places >> 5 & 31));
  }
};

/// A view of the blocks.
struct key_filter {
  filter_block const* blocks;
  std::uint64_t count;  ///< at least one

  WDX_HD filter_mark mark_of(std::uint64_t hash) const { return {part_of(hash, count), mix(hash, 1) >> 24}; }

  /// @return false if no key with this hash was added
  WDX_HD bool may_hold(std::uint64_t hash) const {
    filter_mark const mark = mark_of(hash);
    filter_block const holder = blocks[mark.block];
    return mark.is_in(holder);
  }
};

}  // namespace warpdex
