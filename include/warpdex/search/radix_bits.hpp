// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_nodes.hpp>

/// @file
/// How leaves of GRT (radix_tree.hpp) are searched with one key read (P. Ferragina and R. Grossi, The string B-tree,
/// 1999). An entry of a leaf has one byte, the first bit in which its key differs from the one before:
///
///     keys   | 0000 | 0001 | 0100 | 0111 | 1010 |
///     bits   |  --  |   3  |   1  |   2  |   0  |
///
/// A walk over these bytes reads only the named bits of the target. Where it ends, the key shares as many bits with
/// the target as any in the leaf. One comparison tells how many, and with them the bytes say where the target belongs.
///
/// Bits of numbers are counted from the most significant one, bits of strings from the byte after the path to the leaf.
/// Each byte of a string has nine: first one that says that there is such a byte.
namespace warpdex::radix_bits {

inline constexpr std::uint32_t same = 255;     ///< of equal keys; also of the first entry of a leaf of strings
inline constexpr std::uint32_t far = 254;      ///< of strings that differ in no bit below; their leaves are halved
inline constexpr std::uint32_t of_a_byte = 9;  ///< bits of a byte of a string

/// Number of bits that are loaded at once.
inline constexpr std::uint64_t block = 16;
/// @return the bytes of an array in whole blocks
inline std::uint64_t bytes_for(std::uint64_t entries) { return (entries + block - 1) / block * block; }

/// Where a key and a target differ.
struct difference {
  std::uint32_t bit;  ///< the first bit, or `same`, or `far`
  bool above;         ///< whether the target is above the key
};

/// @return the number of zero bits above the highest set one; 64 of 0
WDX_HD inline std::uint32_t leading_zeros(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__clzll(static_cast<long long>(word)));
#else
  return static_cast<std::uint32_t>(std::countl_zero(word));
#endif
}

namespace detail {

WDX_HD inline difference in_byte(std::uint64_t at, std::uint32_t of_key, std::uint32_t of_target) {
  if (at >= far / of_a_byte) return {far, of_key < of_target};
  auto const zeros = leading_zeros(std::uint64_t{of_key ^ of_target}) - 56;
  return {static_cast<std::uint32_t>(at) * of_a_byte + 1 + zeros, of_key < of_target};
}

/// One of two strings ends before byte `at`.
WDX_HD inline difference at_end(std::uint64_t at, bool above) {
  return {at > (far - 1) / of_a_byte ? far : static_cast<std::uint32_t>(at) * of_a_byte, above};
}

/// The same for strings of which one begins the other, and that share `size` bytes.
WDX_HD inline difference behind(byte_key key, byte_key target, std::uint32_t size, std::uint32_t depth) {
  using tail = byte_key::tail;
  if (key.size < target.size) return at_end(size - depth, true);
  if (target.behind == tail::none) return key.size == size ? difference{same, false} : at_end(size - depth, false);
  if (key.size == size) return at_end(size - depth, true);
  if (target.behind == tail::zero) {
    if (key.data[size] != 0) return in_byte(size - depth, key.data[size], 0);
    return key.size == size + 1 ? difference{same, false} : at_end(std::uint64_t{size} + 1 - depth, false);
  }
  for (std::uint32_t at = size; at < key.size; ++at)
    if (key.data[at] != 0xff) return in_byte(at - depth, key.data[at], 0xff);
  return at_end(key.size - depth, true);
}

}  // namespace detail

/// @param key without a tail @param depth bytes that both share; bits of strings are counted from there
template <class Key> WDX_HD difference between(Key const& key, Key const& target, std::uint32_t depth) {
  if constexpr (is_bytes<Key>) {
    std::uint32_t const shorter = key.size < target.size ? key.size : target.size;
    std::uint32_t const shared = common_bytes(key, target, depth, shorter);
    if (shared == shorter) return detail::behind(key, target, shared, depth);
    return detail::in_byte(shared - depth, key.data[shared], target.data[shared]);
  } else {
    if (key == target) return {same, false};
    std::uint32_t bit = 0;
    if constexpr (sizeof(Key) <= 8) {
      bit = leading_zeros(std::uint64_t{key ^ target}) - (64 - 8 * std::uint32_t{sizeof(Key)});
    } else {
      auto const high = static_cast<std::uint64_t>((key ^ target) >> 64);
      bit = high != 0 ? leading_zeros(high) : 64 + leading_zeros(static_cast<std::uint64_t>(key ^ target));
    }
    return {bit, key < target};
  }
}

/// The bits of a target.
template <class Key> class reader {
 public:
  /// @param target whose bits are read; a number has no depth
  WDX_HD reader(Key const& target, std::uint32_t) : target_(target) {}

  /// @param bit which, or `same`, which no target has
  WDX_HD bool operator[](std::uint32_t bit) const {
    constexpr std::uint32_t last = 8 * sizeof(Key) - 1;
    return bit <= last && (target_ >> (last - (bit & last)) & 1) != 0;
  }

 private:
  Key target_;
};

/// The bits of a string.
template <> class reader<byte_key> {
 public:
  /// @param depth bytes of the target before the leaf
  WDX_HD reader(byte_key const& target, std::uint32_t depth)
      : target_(target), depth_(depth), word_(word_at(target, depth)) {}

  /// @param bit which, counted from `depth`; `same` and `far` are in no target
  WDX_HD bool operator[](std::uint32_t bit) const {
    if (bit >= far) return false;
    std::uint32_t const at = bit / of_a_byte;
    std::uint32_t const in_byte = bit % of_a_byte;
    if (in_byte == 0) return has_byte(at);
    std::uint64_t const from_byte = at < 8 ? word_ << (8 * at) : word_at(target_, depth_ + at);
    return (from_byte >> (64 - in_byte) & 1) != 0;
  }

 private:
  WDX_HD bool has_byte(std::uint32_t at) const {
    if (target_.behind == byte_key::tail::ones) return true;
    std::uint64_t const size = std::uint64_t{target_.size} + (target_.behind == byte_key::tail::zero ? 1 : 0);
    return std::uint64_t{depth_} + at < size;
  }

  byte_key target_;
  std::uint32_t depth_;
  std::uint64_t word_;
};

/// Where a walk ends.
template <class Position> struct walk_end {
  Position candidate;  ///< the entry whose key shares most bits with the target
  bool far;            ///< whether a bit of the leaf is not known, so that the candidate means nothing
};

/// Walks over the entries [first, end) of a leaf.
/// @param bits of all entries, in whole blocks
template <class Key, class Position>
WDX_HD walk_end<Position> walk(unsigned char const* bits, Position first, Position end, reader<Key> const& target) {
  struct alignas(block) loaded {
    std::uint64_t half[2];
  };
  constexpr std::uint32_t open = 256;
  walk_end<Position> found{first, false};
  std::uint32_t below = open;  // entries whose bit is not below this are off the path
  auto const step = [&](Position i, std::uint32_t bit) {
    if constexpr (is_bytes<Key>) found.far |= bit == far;
    if (bit >= below) return;
    bool const one = target[bit];
    found.candidate = select(one, i, found.candidate);
    below = select(one, open, bit);
  };
  Position i = first + 1;
  while (i < end) {
    loaded const words = *reinterpret_cast<loaded const*>(bits + i / block * block);
    WDX_NODE_LOOP
    for (unsigned half = 0; half < 2; ++half) {
      if (half == 0 && i % block >= 8) continue;
      std::uint64_t word = words.half[half] >> (8 * (i % 8));
      Position const behind = i / 8 * 8 + 8;
      for (Position const stop = behind < end ? behind : end; i < stop; ++i, word >>= 8)
        step(i, static_cast<std::uint32_t>(word & 0xff));
    }
  }
  return found;
}

/// @return the first entry of the leaf [first, end) that is not below a target
/// @param candidate where the walk has ended @param d between the candidate's key and the target, not `same`
template <class Position>
WDX_HD Position bound(unsigned char const* bits, Position first, Position end, Position candidate,
                      difference const& d) {
  Position slot = candidate;
  if (d.above) {
    do ++slot;
    while (slot < end && bits[slot] > d.bit);
  } else {
    while (slot > first && bits[slot] > d.bit) --slot;
  }
  return slot;
}

}  // namespace warpdex::radix_bits
