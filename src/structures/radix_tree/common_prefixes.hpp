// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_nodes.hpp>

#include <algorithm>
#include <vector>

#include "backend/backend.hpp"

/// @file
/// The lengths of the prefixes that neighbours in key order share, and the nearest shorter ones of each. The nodes of a
/// radix tree follow from them: a node that branches at depth d is a longest run of entries whose neighbours share at
/// least d bytes, where some share d.
namespace warpdex {

/// The array of lengths, under minima of 32 each, minima of 32 minima, and so on.
///
///     minima    | min of 32 | min of 32 | ...
///     lengths   | -- l1 l2 l3 ... l31 | l32 ...       l(i): bytes that the keys of ranks i - 1 and i share
///
/// Cost of a search: at most 32 values per level, up and down.
/// @tparam Length type of a length, wide enough for all but `same`
template <class Length> struct prefix_minima {
  static constexpr std::uint64_t block = 32;
  static constexpr int most_levels = 10;                      ///< 32^10 is more than an index holds
  static constexpr Length same = static_cast<Length>(~0ull);  ///< of equal keys; also that of rank 0

  Length const* level[most_levels];
  std::uint64_t count[most_levels];

  WDX_HD Length operator[](std::uint64_t i) const { return level[0][i]; }
  WDX_HD std::uint64_t size() const { return count[0]; }

  /// @return the last rank before `i` with a length below `limit`; 0 if there is none
  WDX_HD std::uint64_t last_below(std::uint64_t i, std::uint64_t limit) const {
    int up = 0;
    while (i != 0) {
      std::uint64_t const first = (i - 1) / block * block;
      for (; i > first; --i)
        if (level[up][i - 1] < limit) return descend<false>(up, i - 1, limit);
      i /= block;
      ++up;
    }
    return 0;
  }

  /// @return the first rank behind `i` with a length below `limit`; the number of all if there is none
  WDX_HD std::uint64_t first_below(std::uint64_t i, std::uint64_t limit) const {
    int up = 0;
    ++i;
    while (true) {
      std::uint64_t const behind = (i / block + 1) * block;
      std::uint64_t const end = behind < count[up] ? behind : count[up];
      for (; i < end; ++i)
        if (level[up][i] < limit) return descend<true>(up, i, limit);
      if (end == count[up]) return size();
      i /= block;
      ++up;
    }
  }

 private:
  /// @param i a number of level `up` that is below `limit`
  template <bool First> WDX_HD std::uint64_t descend(int up, std::uint64_t i, std::uint64_t limit) const {
    while (up > 0) {
      --up;
      if constexpr (First) {
        i *= block;
        while (!(level[up][i] < limit)) ++i;
      } else {
        i = i * block + block - 1;
        if (i >= count[up]) i = count[up] - 1;
        while (!(level[up][i] < limit)) --i;
      }
    }
    return i;
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
    std::uint32_t const before_size = radix_digits::size(before);
    std::uint32_t const size = radix_digits::size(key);
    std::uint32_t const most = before_size < size ? before_size : size;
    std::uint32_t const shared = radix_digits::common(before, key, most);
    to[i] = shared == size && shared == before_size ? same : static_cast<Length>(shared);
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

/// The arrays of `prefix_minima`.
template <class Length> class prefix_arrays {
 public:
  /// @param keys in ascending order; keys.key(rank) @param size not 0
  template <class Engine, class Keys>
  static prefix_arrays make(Keys const& keys, std::uint64_t size, execution const& exec) {
    prefix_arrays made;
    Length* from = made.add(size, exec);
    Engine::for_each(exec, size, detail::measure_prefix<Keys, Length>{keys, from});
    while (size > prefix_minima<Length>::block) {
      std::uint64_t const blocks = (size + prefix_minima<Length>::block - 1) / prefix_minima<Length>::block;
      Length* const to = made.add(blocks, exec);
      Engine::for_each(exec, blocks, detail::take_minimum<Length>{from, size, to});
      from = to;
      size = blocks;
    }
    return made;
  }

  prefix_minima<Length> const& view() const { return view_; }

 private:
  Length* add(std::uint64_t count, execution const& exec) {
    auto* const values = levels_.emplace_back(count * sizeof(Length), exec).template as<Length>();
    view_.level[levels_.size() - 1] = values;
    view_.count[levels_.size() - 1] = count;
    return values;
  }

  std::vector<buffer> levels_;
  prefix_minima<Length> view_{};
};

}  // namespace warpdex
