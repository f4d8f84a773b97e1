// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_bits.hpp>

#include <algorithm>
#include <vector>

#include "backend/backend.hpp"

/// @file
/// The lengths of the prefixes that neighbours in key order share, and the nearest shorter ones of each. The nodes of a
/// radix tree follow from them: a node that branches at depth d is a longest run of entries whose neighbours share at
/// least d bytes, where some share d.
namespace warpdex {

/// The array of lengths, under minima of 32 each, minima of 32 minima, and so on. The arrays have whole blocks of 16
/// bytes, with zeros at the end; bytes are searched by eight.
///
///     minima    | min of 32 | min of 32 | ...
///     lengths   | -- l1 l2 l3 ... l31 | l32 ...       l(i): what the keys of ranks i - 1 and i share
///
/// Numbers are measured in bits, because the bytes of these are those that leaves have (radix_bits.hpp); strings in
/// bytes. All functions speak of bytes.
/// Cost of a search: at most 32 values per level, up and down.
/// @tparam Length type of a length, wide enough for all but `same`: a byte for numbers
template <class Length> struct prefix_minima {
  static constexpr std::uint64_t block = 32;
  static constexpr int most_levels = 10;                      ///< 32^10 is more than an index holds
  static constexpr Length same = static_cast<Length>(~0ull);  ///< of equal keys; also that of rank 0
  static constexpr unsigned per_byte = sizeof(Length) == 1 ? 8 : 1;

  Length const* level[most_levels];
  std::uint64_t count[most_levels];

  /// @return the bytes that the keys of ranks i - 1 and i share, if they differ
  WDX_HD Length operator[](std::uint64_t i) const { return level[0][i] / per_byte; }
  WDX_HD bool differ(std::uint64_t i) const { return level[0][i] != same; }
  WDX_HD std::uint64_t size() const { return count[0]; }

  /// @return the last rank before `i` with a length below `limit`; 0 if there is none
  WDX_HD std::uint64_t last_below(std::uint64_t i, std::uint64_t limit) const {
    limit *= per_byte;
    for (int up = 0; i != 0; ++up) {
      std::uint64_t const first = (i - 1) / block * block;
      std::uint64_t const behind = last_in(up, first, i, limit);
      if (behind != first) return descend<false>(up, behind - 1, limit);
      i /= block;
    }
    return 0;
  }

  /// @return the first rank after `i` with a length below `limit`; the number of all if there is none
  WDX_HD std::uint64_t first_below(std::uint64_t i, std::uint64_t limit) const {
    limit *= per_byte;
    ++i;
    for (int up = 0;; ++up) {
      std::uint64_t const end = end_of_block(up, i);
      std::uint64_t const found = first_in(up, i, end, limit);
      if (found < end) return descend<true>(up, found, limit);
      if (end == count[up]) return size();
      i = end / block;
    }
  }

 private:
  WDX_HD std::uint64_t end_of_block(int up, std::uint64_t i) const {
    std::uint64_t const behind = (i / block + 1) * block;
    return behind < count[up] ? behind : count[up];
  }

  /// @param i a number of level `up` that is below `limit`
  template <bool First> WDX_HD std::uint64_t descend(int up, std::uint64_t i, std::uint64_t limit) const {
    while (up > 0) {
      --up;
      i *= block;
      std::uint64_t const end = end_of_block(up, i);
      i = First ? first_in(up, i, end, limit) : last_in(up, i, end, limit) - 1;
    }
    return i;
  }

  /// @return the first number of [i, end) on a level that is below `limit`; `end` if there is none
  WDX_HD std::uint64_t first_in(int up, std::uint64_t i, std::uint64_t end, std::uint64_t limit) const {
    if constexpr (sizeof(Length) == 1) {
      for (std::uint64_t at = i / 8 * 8; at < end; at += 8) {
        std::uint64_t low = low_bytes(up, at, limit);
        if (at < i) low &= ~std::uint64_t{0} << (8 * (i - at));
        if (low == 0) continue;
        std::uint64_t const found = at + static_cast<unsigned>(trailing_zeros(low)) / 8;
        return found < end ? found : end;
      }
    } else {
      for (; i < end; ++i)
        if (level[up][i] < limit) return i;
    }
    return end;
  }

  /// @return the number after the last one of [first, i) on a level that is below `limit`; `first` if there is none
  /// @param first of a block
  WDX_HD std::uint64_t last_in(int up, std::uint64_t first, std::uint64_t i, std::uint64_t limit) const {
    if constexpr (sizeof(Length) == 1) {
      while (i > first) {
        std::uint64_t const at = (i - 1) / 8 * 8;
        std::uint64_t const low = low_bytes(up, at, limit) << (8 * (at + 8 - i));  // without those from i on
        if (low != 0) return i - radix_bits::leading_zeros(low) / 8;
        i = at;
      }
    } else {
      for (; i > first; --i)
        if (level[up][i - 1] < limit) return i;
    }
    return first;
  }

  /// @param at a multiple of 8 @param limit at most 128
  /// @return the top bits of those of the 8 bytes from `at` on that are below the limit
  WDX_HD std::uint64_t low_bytes(int up, std::uint64_t at, std::uint64_t limit) const {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t tops = ones << 7;
    std::uint64_t const bytes = *reinterpret_cast<std::uint64_t const*>(level[up] + at);
    return ~((bytes | tops) - limit * ones) & ~bytes & tops;
  }
};

namespace detail {

template <class Keys, class Length> struct measure_prefix {
  Keys keys;
  Length* to;
  WDX_HD void operator()(std::uint64_t i) const {
    constexpr Length same = prefix_minima<Length>::same;
    if (i == 0) {
      to[i] = same;
      return;
    }
    auto const before = keys.key(i - 1);
    auto const key = keys.key(i);
    if constexpr (is_bytes<typename Keys::key_type>) {
      std::uint32_t const shorter = before.size < key.size ? before.size : key.size;
      std::uint32_t const shared = common_bytes(before, key, 0, shorter);
      to[i] = shared == key.size && shared == before.size ? same : shared;
    } else {
      static_assert(radix_bits::same == same);
      to[i] = static_cast<Length>(radix_bits::between(before, key, 0).bit);
    }
  }
};

template <class Length> struct take_minimum {
  Length const* from;
  std::uint64_t size;
  Length* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * prefix_minima<Length>::block;
    std::uint64_t const end = first + prefix_minima<Length>::block < size ? first + prefix_minima<Length>::block : size;
    Length least = from[first];
    for (std::uint64_t j = first + 1; j < end; ++j) least = from[j] < least ? from[j] : least;
    to[i] = least;
  }
};

}  // namespace detail

/// @return an array of whole blocks (radix_bits.hpp), with zeros after `bytes`
template <class Engine> buffer buffer_of_bits(std::uint64_t bytes, execution const& exec) {
  buffer result(radix_bits::bytes_for(bytes), exec);
  backend_of(Engine::kind).fill_zero(result.template as<unsigned char>() + bytes, result.bytes() - bytes, exec);
  return result;
}

/// The arrays of `prefix_minima`.
template <class Length> class prefix_arrays {
 public:
  /// @param keys in ascending order; keys.key(rank) @param size not 0
  template <class Engine, class Keys>
  static prefix_arrays make(Keys const& keys, std::uint64_t size, execution const& exec) {
    prefix_arrays result;
    result.add(buffer_of_bits<Engine>(size * sizeof(Length), exec), size);
    Length const* from = result.view_.level[0];
    Engine::for_each(exec, size, detail::measure_prefix<Keys, Length>{keys, result.levels_[0].template as<Length>()});
    while (size > prefix_minima<Length>::block) {
      std::uint64_t const blocks = (size + prefix_minima<Length>::block - 1) / prefix_minima<Length>::block;
      result.add(buffer_of_bits<Engine>(blocks * sizeof(Length), exec), blocks);
      auto* const to = result.levels_.back().template as<Length>();
      Engine::for_each(exec, blocks, detail::take_minimum<Length>{from, size, to});
      from = to;
      size = blocks;
    }
    return result;
  }

  prefix_minima<Length> const& view() const { return view_; }

  /// @return the array of lengths; then the others are of no use
  buffer take_lengths() { return std::move(levels_.front()); }

 private:
  void add(buffer values, std::uint64_t count) {
    view_.level[levels_.size()] = values.as<Length>();
    view_.count[levels_.size()] = count;
    levels_.push_back(std::move(values));
  }

  std::vector<buffer> levels_;
  prefix_minima<Length> view_{};
};

}  // namespace warpdex
