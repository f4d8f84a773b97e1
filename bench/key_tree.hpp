// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_view.hpp>
#include <warpdex/search/ordered.hpp>

#include <cstdint>

/// @file
/// The tree of keys in which `ancestors` goes from probes to the root (paper 004, section III.B). Each key has ten
/// children, so paths meet, and keys near the root are on most of them. The tree is over rows, which come in random key
/// order: row 0 is the root, and rows 10 r + 1 to 10 r + 10 are the children of row r.
namespace warpdex::bench {

inline constexpr std::uint64_t children_per_key = 10;

/// @return the row itself if it is the root
constexpr std::uint64_t parent_row(std::uint64_t row) noexcept { return row == 0 ? 0 : (row - 1) / children_per_key; }

/// The rows from one to the root.
struct row_path {
  std::uint64_t rows;  ///< their number
  std::uint32_t sum;   ///< their sum, modulo 2^32
};

constexpr row_path path_of(std::uint64_t row) noexcept {
  row_path path{1, static_cast<std::uint32_t>(row)};
  for (; row != 0; ++path.rows) path.sum += static_cast<std::uint32_t>(row = parent_row(row));
  return path;
}

/// Searches the keys of a path one after another. @param parents per row the key of its parent
/// @return the sum of their rows, as `path_of` has it; `no_row` if one of them is no key
template <class View>
WDX_HD std::uint32_t sum_of_path(View const& view, typename View::key_type key,
                                 typename View::key_type const* parents) {
  std::uint32_t sum = 0;
  for (;;) {
    std::uint32_t const row = find(view, key);
    if (row == no_row<std::uint32_t>) return row;
    sum += row;
    if (parents[row] == key) return sum;
    key = parents[row];
  }
}

}  // namespace warpdex::bench
