// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/common.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// How the keys of a set are in memory, and how one is found; docs/reference/sets.md states the code and its bits. Keys
/// are the unsigned numbers of codec.hpp, each once, in ascending order.
///
/// A plain set is their array. A compressed one has them in blocks of `set_block`, the last of which may be shorter:
///
///     bases   the first key of each block
///     heads   per block: where its words begin, the width of low parts, the greatest high part, whether it is regular,
///             and the zeros of its high parts
///     words   of a block: the high parts as bits, then the low parts of all keys but the first, packed; and after
///             all blocks `set_padding` zeros
///
/// The distance of a key from the base of its block is cut: `width` bits are its low part, and the others, which are
/// below `set_block`, its high part. Key number i with the high part h sets bit number h + i (P. Elias, 1974; R. Fano,
/// 1971). A block whose keys are equally far apart has this distance alone.
namespace warpdex {

inline constexpr unsigned set_block = 256;   ///< keys per block
inline constexpr unsigned set_fanout = 16;   ///< keys per node of the levels that lead to a block, or to a key
inline constexpr unsigned set_padding = 16;  ///< words after those of all blocks, which searches may read
inline constexpr int set_levels = 13;        ///< most levels: 16^12 is 2^48

/// @return how many of `size` keys a block has
WDX_HD inline unsigned keys_of_block(std::uint64_t size, std::uint64_t block) {
  std::uint64_t const rest = size - block * set_block;
  return rest < set_block ? static_cast<unsigned>(rest) : set_block;
}

/// What is known of a block.
struct alignas(16) set_head {
  static constexpr int place_bits = 47;
  static constexpr std::uint64_t most_words = std::uint64_t{1} << place_bits;
  static constexpr unsigned most_high_words = 2 * set_block / 64;

  std::uint64_t bits = 0;
  std::uint64_t zeros = 0;  ///< byte w: how many zeros the words of high parts have up to word w

  static WDX_HD set_head of_parts(int width, unsigned top) {
    return {static_cast<std::uint64_t>(width) << place_bits | std::uint64_t{top} << 55};
  }
  static WDX_HD set_head of_distance() { return {std::uint64_t{1} << 63}; }

  WDX_HD std::uint64_t place() const { return bits & (most_words - 1); }  ///< of its first word
  WDX_HD int width() const { return static_cast<int>(bits >> place_bits & 255); }
  WDX_HD unsigned top() const { return static_cast<unsigned>(bits >> 55 & 255); }
  WDX_HD bool regular() const { return bits >> 63 != 0; }
  WDX_HD unsigned high_words(unsigned keys) const { return (top() + keys + 63) / 64; }

  /// @return the zeros of high parts. After the last key's bit are no more
  WDX_HD std::uint64_t zeros_of(std::uint64_t const* high_parts, unsigned keys) const {
    std::uint64_t result = 0;
    unsigned sum = 0;
    for (unsigned w = 0; w < most_high_words; ++w) {
      if (w < high_words(keys)) sum += static_cast<unsigned>(count_ones(~high_parts[w]));
      result |= std::uint64_t{sum < top() ? sum : top()} << (8 * w);
    }
    return result;
  }
  /// @return the number of the word that has a zero after `before` - 1 others: of the bytes that are less than
  /// `before`, compared all at once
  WDX_HD unsigned word_of_zero(unsigned before) const {
    constexpr std::uint64_t each = 0x0101010101010101, highest = each << 7;
    std::uint64_t const wanted = before * each;
    std::uint64_t const difference = (zeros | highest) - (wanted & ~highest);
    std::uint64_t const less = ((~zeros & wanted) | (~(zeros ^ wanted) & ~difference)) & highest;
    return static_cast<unsigned>(count_ones(less));
  }
  WDX_HD unsigned zeros_before(unsigned word) const { return static_cast<unsigned>((zeros << 8) >> (8 * word) & 255); }
};

/// @return how many words a block has
template <class Key> WDX_HD unsigned words_of(set_head head, unsigned keys) {
  if (head.regular()) return sizeof(Key) / 8 + (sizeof(Key) == 4 ? 1 : 0);
  return head.high_words(keys) + ((keys - 1) * static_cast<unsigned>(head.width()) + 63) / 64;
}

/// @return `width` bits from bit number `at` on; also the word after them is read
template <class Key> WDX_HD Key read_bits(std::uint64_t const* words, std::uint64_t at, int width) {
  if (width == 0) return 0;
  if constexpr (sizeof(Key) == 16)
    if (width > 64)
      return static_cast<Key>(read_bits<std::uint64_t>(words, at + 64, width - 64)) << 64 |
             read_bits<std::uint64_t>(words, at, 64);
#ifndef __CUDA_ARCH__
  if (width <= 57) {  // in 8 bytes from any one on, which devices do not load
    std::uint64_t found;
    std::memcpy(&found, reinterpret_cast<unsigned char const*>(words) + at / 8, sizeof found);
    return static_cast<Key>(found >> at % 8 & ~std::uint64_t{0} >> (64 - width));
  }
#endif
  std::uint64_t const* const word = words + at / 64;
  int const shift = static_cast<int>(at % 64);
  std::uint64_t const found = word[0] >> shift | (word[1] << 1) << (63 - shift);
  return static_cast<Key>(found & ~std::uint64_t{0} >> (64 - width));
}

/// @return the place of the bit of a word that has `n` set bits below it. Without branches, as good as random ones
WDX_HD inline unsigned place_of_bit(std::uint64_t word, int n) {
  unsigned place = 0;
  for (unsigned half = 32; half != 0; half /= 2) {
    int const below = count_ones(word & ((std::uint64_t{1} << half) - 1));
    bool const passes = below <= n;
    n -= select(passes, below, 0);
    word >>= select(passes, half, 0u);
    place += select(passes, half, 0u);
  }
  return place;
}

/// Writes bits one after the other, to words of its own.
struct bit_writer {
  std::uint64_t* to;
  std::uint64_t word = 0;
  int used = 0;

  WDX_HD void put(std::uint64_t bits, int width) {
    word |= bits << used;
    used += width;
    if (used < 64) return;
    *to++ = word;
    used -= 64;
    word = used == 0 ? 0 : bits >> (width - used);
  }
  WDX_HD void end() {
    if (used != 0) *to++ = word;
    word = 0;
    used = 0;
  }
};

/// @return the bits of a number up to its highest one
template <class Key> WDX_HD int bit_length(Key value) {
  int length = 0;
  for (int step = static_cast<int>(sizeof(Key)) * 4; step != 0; step /= 2)
    if (value >> step != 0) {
      value >>= step;
      length += step;
    }
  return length + (value != 0 ? 1 : 0);
}

/// A key that is looked for in a block.
template <class Key> struct set_search {
  set_head head = {};
  Key key = 0;
  Key distance = 0;               ///< from the base of the block
  std::uint64_t block = 0;        ///< or of a plain set the place of the greatest key that is not above it
  unsigned high = 0, word = 0;    ///< its high part, and the word of high parts where its keys are
  unsigned first = 0, count = 0;  ///< the keys with its high part
  unsigned place = 0;             ///< among the keys of the block
  bool is_over = false;
  bool found = false;

  WDX_HD void end(bool is_in, unsigned at = 0) {
    is_over = true;
    found = is_in;
    place = at;
  }
};

/// Row ids of the keys of a set, packed one after the other.
struct packed_rows {
  static constexpr unsigned group = 64;  ///< rows that fill whole words

  std::uint64_t const* words = nullptr;  ///< and one after them, which may be read
  int bits = 0;                          ///< per row; 0 if there are none

  WDX_HD std::uint64_t get(std::uint64_t i) const { return read_bits<std::uint64_t>(words, i * unsigned(bits), bits); }
  WDX_HD WDX_INLINE void prefetch_row(std::uint64_t i) const { prefetch(words + i * unsigned(bits) / 64); }
};

/// The arrays of a set, within reach of the backend.
template <class Key> struct set_view {
  Key const* levels[set_levels] = {};  ///< the first one: all keys, or all bases; each further one every 16th of those
  std::uint64_t sizes[set_levels] = {};
  int depth = 0;
  set_head const* heads = nullptr;  ///< null of a plain set
  std::uint64_t const* words = nullptr;
  std::uint64_t size = 0;

  WDX_HD bool is_plain() const { return heads == nullptr; }
  WDX_HD std::uint64_t blocks() const { return sizes[0]; }
  WDX_HD unsigned keys_of(std::uint64_t block) const { return keys_of_block(size, block); }

  /// Goes from a node of a level to the last of its keys that is not above a key, or to the first one.
  WDX_HD void descend(int level, set_search<Key>& s) const {
    std::uint64_t const first = s.block * set_fanout, rest = sizes[level] - first;
    Key const* const keys = levels[level] + first;
    auto const last = static_cast<unsigned>(rest < set_fanout ? rest - 1 : set_fanout - 1);
    unsigned at = 0;
    if (last == set_fanout - 1) {
      for (unsigned step = set_fanout / 2; step != 0; step /= 2) at = select(keys[at + step] <= s.key, at + step, at);
    } else {
      for (unsigned step = set_fanout / 2; step != 0; step /= 2) {
        unsigned const next = at + step < last ? at + step : last;
        at = select(keys[next] <= s.key, next, at);
      }
    }
    s.block = first + at;
  }

  WDX_HD WDX_INLINE void prefetch_node(int level, std::uint64_t node) const {
    prefetch<static_cast<int>(sizeof(Key) * set_fanout)>(levels[level] + node * set_fanout);
  }

  /// Compares with the base of the block, and finds the word of high parts.
  WDX_HD void begin(set_search<Key>& s) const {
    Key const base = levels[0][s.block];
    if (is_plain() || s.key <= base) return s.end(s.key == base);
    s.distance = s.key - base;
    s.head = heads[s.block];
    if (s.head.regular()) return;
    Key const high = s.distance >> s.head.width();
    if (high > s.head.top()) return s.end(false);
    s.high = static_cast<unsigned>(high);
    s.word = s.head.word_of_zero(s.high);
  }

  WDX_HD std::uint64_t const* high_word(set_search<Key> const& s) const { return words + s.head.place() + s.word; }

  /// Finds the keys with the same high part.
  WDX_HD void find_high(set_search<Key>& s) const {
    unsigned const keys = keys_of(s.block);
    std::uint64_t const* const high_parts = words + s.head.place();
    if (s.head.regular()) {
      Key const step = read_bits<Key>(high_parts, 0, static_cast<int>(sizeof(Key)) * 8);
      bool const fits = step != 0 && s.distance % step == 0 && s.distance / step < keys;
      return s.end(fits, fits ? static_cast<unsigned>(s.distance / step) : 0);
    }
    unsigned const before = s.high - s.head.zeros_before(s.word);  // zeros of the word that are before the keys
    unsigned const zero = s.word * 64 + place_of_bit(~*high_word(s), static_cast<int>(before) - 1);
    unsigned const at = select(s.high == 0, 0u, zero + 1);
    std::uint64_t const gaps = ~read_bits<std::uint64_t>(high_parts, at, 64);
    s.first = at > s.high ? at - s.high : 0;
    s.count = gaps == 0 ? count_on(high_parts, at, keys) : static_cast<unsigned>(trailing_zeros(gaps));
    unsigned const most = s.first < keys ? keys - s.first : 0;  // after the last key is no zero
    s.count = s.count < most ? s.count : most;
    if (s.first == 0) {  // the base, which the key is not
      s.first = 1;
      s.count -= s.count == 0 ? 0 : 1;
    }
  }

  WDX_HD static Key low_part(std::uint64_t const* from, int width, unsigned i) {
    return read_bits<Key>(from, static_cast<std::uint64_t>(i - 1) * static_cast<unsigned>(width), width);
  }

  /// Finds the low part among them. A few are compared without branches.
  WDX_HD void find_low(set_search<Key>& s) const {
    int const width = s.head.width();
    std::uint64_t const* const parts = words + s.head.place() + s.head.high_words(keys_of(s.block));
    Key const low = s.distance & ((Key{1} << width) - 1);
    if (s.count <= few) {
      bool found = false;
      unsigned at = 0;
      for (unsigned j = 0; j < few; ++j) {
        bool const is_this = (j < s.count) & (low_part(parts, width, s.first + j) == low);
        found |= is_this;
        at = select(is_this, s.first + j, at);
      }
      return s.end(found, at);
    }
    unsigned at = s.first;
    for (unsigned left = s.count; left > 1;) {
      unsigned const half = left / 2;
      at = low_part(parts, width, at + half) <= low ? at + half : at;
      left -= half;
    }
    s.end(low_part(parts, width, at) == low, at);
  }

  /// Finds a key in a set that has some.
  WDX_HD void find(set_search<Key>& s) const {
    for (int level = depth - 1; level >= 0; --level) descend(level, s);
    find_in_block(s);
  }

  WDX_HD void find_in_block(set_search<Key>& s) const {
    begin(s);
    if (!s.is_over) find_high(s);
    if (!s.is_over) find_low(s);
  }

  /// @return the rank of a key that was found
  WDX_HD std::uint64_t rank(set_search<Key> const& s) const {
    return is_plain() ? s.block : s.block * set_block + s.place;
  }

  /// Calls take(i, key) for the keys of a block in order, until it returns false.
  /// @return how many it took
  template <class Take> WDX_HD unsigned each(std::uint64_t block, Take const& take) const {
    set_head const head = heads[block];
    Key const base = levels[0][block];
    unsigned const keys = keys_of(block);
    std::uint64_t const* const parts = words + head.place();
    unsigned i = 0;
    if (head.regular()) {
      Key const step = read_bits<Key>(parts, 0, static_cast<int>(sizeof(Key)) * 8);
      while (i < keys && take(i, static_cast<Key>(base + step * i))) ++i;
      return i;
    }
    int const width = head.width();
    std::uint64_t const* const lows = parts + head.high_words(keys);
    for (unsigned w = 0; w < head.high_words(keys); ++w)
      for (std::uint64_t word = parts[w]; word != 0; word &= word - 1) {
        Key const high = w * 64 + static_cast<unsigned>(trailing_zeros(word)) - i;
        if (i == keys ||
            !take(i, static_cast<Key>(base + (high << width | (i == 0 ? Key{0} : low_part(lows, width, i))))))
          return i;
        ++i;
      }
    return i;
  }

 private:
  static constexpr unsigned few = 4;

  /// @return how many bits are set from bit number `at` on, at most `most`
  WDX_HD static unsigned count_on(std::uint64_t const* high_parts, unsigned at, unsigned most) {
    unsigned count = 0;
    while (count < most && (high_parts[(at + count) / 64] >> ((at + count) % 64) & 1) != 0) ++count;
    return count;
  }
};

}  // namespace warpdex
