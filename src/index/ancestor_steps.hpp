// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"

/// @file
/// What `index::ancestors` does with each path, for host and device.
namespace warpdex::ancestor_steps {

/// A round of `ancestors`: the rows that it found, and what is known of their paths.
template <class Row> struct path_ends {
  Row const* rows;
  Row const* last;   ///< the rows before them on the paths; null in the first round
  Row const* marks;  ///< earlier rows of the paths, by which cycles are found; null in the first round
  std::uint64_t limit;

  /// Whether a path goes on at row number `i`: there is a key, and it is not its own parent.
  WDX_HD bool goes_on(std::uint64_t i) const {
    return rows[i] != no_row<Row> && (last == nullptr || rows[i] != last[i]);
  }

  /// Whether a path goes on where it cannot.
  WDX_HD bool operator()(std::uint64_t i) const {
    return goes_on(i) && (rows[i] >= limit || (marks != nullptr && rows[i] == marks[i]));
  }
};

template <class Row> struct note_paths {
  path_ends<Row> found;
  std::uint64_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = found.goes_on(i) ? 1 : 0; }
};

/// Moves the paths that go on to the front.
template <class Row> struct keep_path {
  std::uint64_t const* before;
  path_ends<Row> found;
  std::uint64_t const* numbers;  ///< of the probes; null if they are all there
  void const* parents;
  std::size_t key_width;
  std::uint64_t length;  ///< rows of each path, with this one
  std::uint64_t* kept_numbers;
  Row* kept_rows;
  Row* kept_marks;
  void* next_keys;
  std::uint64_t* lengths;  ///< one per probe

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const at = before[i];
    if (before[i + 1] == at) return;
    std::uint64_t const number = numbers == nullptr ? i : numbers[i];
    Row const row = found.rows[i];
    kept_numbers[at] = number;
    kept_rows[at] = row;
    // Brent's method: a mark that moves to the path's end whenever its length is a power of two meets every cycle.
    kept_marks[at] = (length & (length - 1)) == 0 ? row : found.marks[i];
    detail::store_bytes(next_keys, key_width, at, detail::load_bytes(parents, key_width, row));
    lengths[number] = length;
  }
};

template <class Row> struct write_path {
  std::uint64_t const* numbers;
  Row const* from;
  std::uint64_t const* offsets;
  std::uint64_t position;  ///< on the path
  Row* to;
  WDX_HD void operator()(std::uint64_t i) const { to[offsets[numbers[i]] + position] = from[i]; }
};

template <class Row>
using of_rows = decltype(steps::runs<note_paths<Row>, keep_path<Row>, write_path<Row>>{} +
                         steps::finds_first<path_ends<Row>>{});

struct all : steps::list<of_rows<std::uint32_t>, of_rows<std::uint64_t>> {};
all list_of_step(...);

}  // namespace warpdex::ancestor_steps
