// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "backend/engine_backend.hpp"
#include "calls/lookup.hpp"
#include "calls/rounds_backend.hpp"

/// @file
/// Lookups in rounds, one text for all engines.
namespace warpdex {
namespace detail {

/// A round of `trace`: the rows that it found, and what is known of their paths.
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
    store_bytes(next_keys, key_width, at, load_bytes(parents, key_width, row));
    lengths[number] = length;
  }
};

template <class Row> struct write_path {
  std::uint64_t const* numbers;
  Row const* from;
  std::uint64_t const* offsets;
  std::uint64_t place;  ///< on the path
  Row* to;
  WDX_HD void operator()(std::uint64_t i) const { to[offsets[numbers[i]] + place] = from[i]; }
};

}  // namespace detail

template <class Loops> class engine_rounds : public rounds_backend {
 public:
  matches trace(structure const& s, trace_request const& asked, execution const& exec) const final {
    return s.shape().rows == row_type::u32 ? follow<std::uint32_t>(s, asked, exec)
                                           : follow<std::uint64_t>(s, asked, exec);
  }

 private:
  /// The rows at one place of the paths that reach it.
  struct level {
    buffer numbers;  ///< of the probes, ascending
    buffer rows;
    std::uint64_t size;
  };

  template <class Row> static matches follow(structure const& s, trace_request const& asked, execution const& exec) {
    backend const& platform = backend_of(Loops::kind);
    std::size_t const key_width = size_of(s.shape().keys);
    matches paths;
    paths.probes = asked.size;
    paths.offsets = buffer((asked.size + 1) * sizeof(std::uint64_t), exec);
    auto* const lengths = paths.offsets.as<std::uint64_t>();
    platform.fill_zero(lengths, (asked.size + 1) * sizeof(std::uint64_t), exec);

    std::vector<level> levels;
    buffer marks;
    buffer keys;
    void const* wanted = asked.probes;
    for (std::uint64_t pending = asked.size; pending != 0;) {
      buffer const rows(pending * sizeof(Row), exec);
      point_batch const batch{point_op::find, codec_of(s.shape().keys), wanted, pending, rows.data(), nullptr};
      bool const first = levels.empty();
      if (first) run_points(s, batch, asked.from, rounding::equal, sizeof(Row), exec);
      else s.point(batch, exec);
      detail::path_ends<Row> const found{rows.as<Row>(), first ? nullptr : levels.back().rows.template as<Row>(),
                                         marks.as<Row>(), asked.parents_size};
      if (auto const bad = detail::first_if<Loops>(exec, pending, found)) {
        Row row = 0;
        platform.copy(&row, found.rows + *bad, sizeof(row), exec);
        platform.synchronize(exec);
        fail_trace(s, asked, row, first ? nullptr : keys.as<std::byte>() + *bad * key_width, exec);
      }
      buffer const flags((pending + 1) * sizeof(std::uint64_t), exec);
      auto* const before = flags.as<std::uint64_t>();
      Loops::for_each(exec, pending, detail::note_paths<Row>{found, before});
      std::uint64_t const kept = platform.exclusive_scan(before, pending, exec);
      if (kept == 0) break;
      level next{buffer(kept * sizeof(std::uint64_t), exec), buffer(kept * sizeof(Row), exec), kept};
      buffer next_marks(kept * sizeof(Row), exec);
      buffer next_keys(kept * key_width, exec);
      Loops::for_each(
          exec, pending,
          detail::keep_path<Row>{before, found, first ? nullptr : levels.back().numbers.template as<std::uint64_t>(),
                                 asked.parents, key_width, levels.size() + 1, next.numbers.template as<std::uint64_t>(),
                                 next.rows.template as<Row>(), next_marks.as<Row>(), next_keys.data(), lengths});
      levels.push_back(std::move(next));
      marks = std::move(next_marks);
      keys = std::move(next_keys);
      wanted = keys.data();
      pending = kept;
    }

    if (asked.size != 0) paths.total = platform.exclusive_scan(lengths, asked.size, exec);
    paths.rows = buffer(paths.total * sizeof(Row), exec);
    auto* const to = paths.rows.as<Row>();
    for (std::uint64_t place = 0; place < levels.size(); ++place) {
      level const& from = levels[place];
      auto const* const numbers = from.numbers.template as<std::uint64_t>();
      Loops::for_each(exec, from.size,
                      detail::write_path<Row>{numbers, from.rows.template as<Row>(), lengths, place, to});
    }
    platform.synchronize(exec);
    return paths;
  }
};

}  // namespace warpdex
