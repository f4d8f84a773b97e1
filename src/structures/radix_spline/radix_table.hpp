// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/radix_spline.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include "structures/flat_structure.hpp"
#include "structures/learned/segmentation.hpp"

namespace warpdex {

namespace detail {

/// The number of points in the cells before cell `i`.
template <class Key, class Position> struct points_before {
  radix_grid<Key, Position> grid;
  Key const* points;
  Position count;

  WDX_HD Position operator()(std::uint64_t i) const {
    return end_of_prefix<Position>(0, count, [&](Position p) { return grid.cell_of(points[p]) < i; });
  }
};

}  // namespace detail

/// The guide of a RadixSpline. In files it is four sections: `grid`, four numbers of 64 bits (points, origin, shift and
/// cells); `points` and `lines`, the segments of the spline; and `table`.
struct radix_table {
  static constexpr int most_bits = 28;

  int bits = 0;  ///< log2 of the cells, at most; 0 for about as many cells as points

  /// Of this number of points, one before the first cell and one after the last are not covered by the table.
  static constexpr std::uint64_t points_per_outlier = 512;

  /// @return a grid whose cells are spread over the keys from `first` to `last`
  template <class Position, class Key>
  radix_grid<Key, Position> grid_over(std::uint64_t points, Key first, Key last) const {
    auto const range = static_cast<Key>(last - first);
    int const most = bits != 0 ? bits : std::clamp(static_cast<int>(std::bit_width(points)), 1, most_bits);
    int const shift = std::max(0, static_cast<int>(std::bit_width(range)) - most);
    return {first, shift, static_cast<Position>((range >> shift) + 1)};
  }

  template <class Engine, class View, class Entries>
  void build(View& view, Entries const& all, stored_arrays& to, execution const& exec) const {
    using Key = typename View::key_type;
    using position = typename View::position;
    auto const& backend = backend_of(Engine::kind);
    made_segments segments;
    std::array<Key, 2> ends{};
    if (view.size != 0) {
      segments = make_segments<Engine, corridor_fit, Key, position>(all.pairs, view.size, view.spline.eps,
                                                                    chunk_of_pairs, exec);
      std::uint64_t const outliers = segments.count / points_per_outlier;
      auto const* const keys = static_cast<Key const*>(segments.keys.data);
      backend.copy(&ends[0], keys + outliers, sizeof(Key), exec);
      backend.copy(&ends[1], keys + (segments.count - 1 - outliers), sizeof(Key), exec);
      backend.synchronize(exec);
    }
    view.spline.count = static_cast<position>(segments.count);
    view.grid = grid_over<position>(segments.count, ends[0], ends[1]);
    grid_numbers const grid{segments.count, view.grid.origin, static_cast<std::uint64_t>(view.grid.shift),
                            view.grid.cells};
    auto& stored_grid = to.add("grid", stored_array(sizeof(grid), exec));
    backend.copy(stored_grid.owned.data(), grid.data(), sizeof(grid), exec);
    backend.synchronize(exec);
    view.spline.keys = static_cast<Key const*>(to.add("points", std::move(segments.keys)).data);
    view.spline.lines = static_cast<line<position> const*>(to.add("lines", std::move(segments.lines)).data);
    auto& table = to.add("table", stored_array((view.grid.cells + std::uint64_t{1}) * sizeof(position), exec));
    view.table = table.owned.template as<position>();
    if (view.size == 0) backend.fill_zero(table.owned.data(), table.bytes, exec);
    else
      Engine::for_each(
          exec, view.grid.cells + std::uint64_t{1},
          detail::place_by_rule<decltype(rule_of(view)), position>{rule_of(view), table.owned.template as<position>()});
  }

  template <class Key, class Position> static bool has_wide_lines(io::file const& from) {
    return has_wide_lines_for<Key, Position>(from, "points");
  }

  template <class View, class Take> void load(View& view, io::file const& from, Take take) const {
    using Key = typename View::key_type;
    using position = typename View::position;
    auto const [count, origin, shift, cells] = read_grid(from, view.size, sizeof(Key));
    view.spline.count = static_cast<position>(count);
    view.grid.origin = static_cast<Key>(origin);
    view.grid.shift = static_cast<int>(shift);
    view.grid.cells = static_cast<position>(cells);
    take("grid", sizeof(grid_numbers));
    std::uint64_t const slots = view.size == 0 ? 0 : padded_segments(count);
    view.spline.keys = static_cast<Key const*>(take("points", slots * sizeof(Key)).data);
    view.spline.lines = static_cast<line<position> const*>(take("lines", slots * sizeof(line<position>)).data);
    view.table = static_cast<position const*>(take("table", (cells + 1) * sizeof(position)).data);
  }

  template <class Engine, class View, class Entries>
  void verify(View const& view, Entries const& all, execution const& exec) const {
    verify_segments<Engine, bound::less>(view.spline, all.pairs, exec);
    expect_none(Engine::count_if(
                    exec, view.grid.cells + std::uint64_t{1},
                    detail::breaks_rule<decltype(rule_of(view)), typename View::position>{rule_of(view), view.table}),
                "cells that count other points than those before them");
  }

 private:
  /// Points, origin, shift, cells.
  using grid_numbers = std::array<std::uint64_t, 4>;

  /// @return the numbers of an index of `size` entries
  /// @throws format_error if no table has them; io_error
  static grid_numbers read_grid(io::file const& from, std::uint64_t size, std::size_t key_bytes);

  /// @return the function that computes number i of the table
  template <class View> static auto rule_of(View const& view) {
    return detail::points_before<typename View::key_type, typename View::position>{view.grid, view.spline.keys,
                                                                                   view.spline.count};
  }
};

}  // namespace warpdex
