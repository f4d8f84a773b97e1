// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sorted.hpp>

#include <utility>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/pieces.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/cpu/walk.hpp"
#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/encoder/places.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "clients/join/asof.hpp"
#include "clients/join/columns.hpp"
#include "index/sorted.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

/// The entries around ascending probes, each found from the places of the one before.
template <class Keys> class merging {
 public:
  using code = typename Keys::code;

  merging(Keys right, std::uint64_t begin) : right_(right), below_(begin), above_(begin) {}

  /// @return the place of the entry below or at a probe, or `no_row`
  std::uint64_t below(code probe, bool exact, bool last) {
    below_ = skip(below_, [&](code key) { return exact ? !(probe < key) : key < probe; });
    if (below_ == 0) return no_row<std::uint64_t>;
    if (last) return below_ - 1;
    if (first_end_ != below_) {
      code const key = right_[below_ - 1];
      first_ = below_ - 1;
      while (first_ > 0 && right_[first_ - 1] == key) --first_;
      first_end_ = below_;
    }
    return first_;
  }

  /// @return the place of the entry above or at a probe, or `no_row`
  std::uint64_t above(code probe, bool exact, bool last) {
    above_ = skip(above_, [&](code key) { return exact ? key < probe : !(probe < key); });
    if (above_ == right_.size()) return no_row<std::uint64_t>;
    if (!last) return above_;
    code const key = right_[above_];
    if (last_end_ <= above_) last_end_ = skip(above_, [&](code next) { return !(key < next); });
    return last_end_ - 1;
  }

 private:
  template <class Passed> std::uint64_t skip(std::uint64_t at, Passed const& passed) const {
    return walk(at, right_.size(), [&](std::uint64_t position) { return passed(right_[position]); });
  }

  Keys right_;
  std::uint64_t below_, above_;
  std::uint64_t first_ = 0, first_end_ = 0;  ///< the first of the keys before `first_end_` that are equal
  std::uint64_t last_end_ = 0;               ///< after the last of the keys from `above_` on that are equal
};

/// Chooses between the entries around left rows.
struct chooser {
  column left;
  column right;
  asof_request const& ask;
  join_steps::distance_limits limits;
  row_array rows;

  /// Writes the row of left row `i`. @param below, above places of entries on both sides, or `no_row`
  void put(std::uint64_t i, std::uint64_t below, std::uint64_t above) const {
    constexpr auto none = no_row<std::uint64_t>;
    if (ask.measures) {
      std::size_t const width = size_of(left.type);
      auto const gap = [&](std::uint64_t position) {
        return distance_of(left.type, detail::load_bytes(left.data, width, i), right.type,
                           detail::load_bytes(right.data, width, position));
      };
      distance const down = below == none ? distance{} : gap(below);
      distance const up = above == none ? distance{} : gap(above);
      distance const limit = limits.limit(i, left.type, detail::load_bytes(left.data, width, i));
      bool const any = limits.valid(i);
      if (below != none && (!any || limit < down)) below = none;
      if (above != none && (!any || limit < up)) above = none;
      if (below != none && above != none && (ask.later ? !(down < up) : up < down)) below = none;
    }
    std::uint64_t const found = below == none ? above : below;
    rows.set(i, found == none ? rows.none() : found);
  }
};

template <class Keys> void merge(Keys left, Keys right, chooser const& choose, bool exact, execution const& exec) {
  asof_request const& ask = choose.ask;
  parallel_chunks(exec.threads, left.size(), cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
    merging<Keys> places(right, bound_in(right, left[begin], false));
    for (std::uint64_t i = begin; i < end; ++i) {
      constexpr auto none = no_row<std::uint64_t>;
      auto const below = ask.looks_below ? places.below(left[i], exact, ask.last_below) : none;
      auto const above = ask.looks_above ? places.above(left[i], exact, ask.last_above) : none;
      choose.put(i, below, above);
    }
  });
}

/// The groups of both sides as numbers from 0 on; a left row whose group the right side lacks has `count`.
struct group_numbers {
  buffer left;
  buffer right;
  std::uint64_t count = 0;  ///< 0 if the codes of groups are too far apart

  group_numbers(column left_groups, column right_groups, execution const& exec) {
    tuple_steps::numbered_values const all = numbered({&right_groups, 1}, exec);
    std::uint64_t const most =
        std::max<std::uint64_t>(tuning::groups_of_few_rows, left_groups.size + right_groups.size);
    if (all.last >= most || all.last >= no_row<std::uint32_t> - 1) return;
    count = all.last + 1;
    auto const number = [&](column groups) {
      buffer result(groups.size * sizeof(std::uint32_t), exec);
      auto* const to = result.as<std::uint32_t>();
      with_codes(groups.type, [&]<class Groups>() {
        Groups const codes(groups);
        parallel_chunks(
            exec.threads, codes.size(), cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
              for (std::uint64_t i = begin; i < end; ++i)
                to[i] =
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{codes[i]} - all.lowest, count));
            });
      });
      return result;
    };
    left = number(left_groups);
    right = number(right_groups);
  }
};

/// A walk over both sides that keeps the last right row of each group: from the beginnings on for the rows below left
/// ones, from the ends on for those above. Rows are numbered in the order of the walk.
/// @tparam Place holds numbers of right rows
template <bool Above, class Place, class Keys> class group_walk {
 public:
  /// @param exact whether equal keys match @param keeps_last whether of equal keys the last one of the walk is kept
  group_walk(Keys left, Keys right, group_numbers const& groups, bool exact, bool keeps_last)
      : left_(left), right_(right), groups_(groups), exact_(exact), keeps_last_(keeps_last) {}

  /// Calls put(left row, place of the right row or `no_row`) for all left rows. If groups are few, the walk is cut into
  /// parts: a first pass over the right rows finds the last ones of each part, and so what is kept before each part.
  template <class Put> void run(execution const& exec, Put const& put) const {
    bool const few = groups_.count * tuning::rows_per_group_of_parts <= right_.size();
    pieces const parts(few ? exec.threads : 1, left_.size(), cpu::tuning::loop_grain);
    std::uint64_t const size = groups_.count + 1;  // the row of number `count` is always `none`
    buffer const memory(parts.count() * size * sizeof(Place), exec);
    auto* const tables = memory.template as<Place>();
    std::fill_n(tables, parts.count() * size, none);
    if (parts.count() > 1) {
      parts.for_each([&](std::uint64_t part, std::uint64_t begin, std::uint64_t end) {
        if (part + 1 == parts.count()) return;
        std::uint64_t const last = passed_before(end);
        for (std::uint64_t next = passed_before(begin); next < last; ++next) keep(tables + part * size, next);
      });
      std::vector<Place> kept(size, none);
      for (std::uint64_t part = 0; part < parts.count(); ++part)
        for (std::uint64_t group = 0; group < groups_.count; ++group) {
          Place const own = std::exchange(tables[part * size + group], kept[group]);
          if (own != none && replaces(own, kept[group])) kept[group] = own;
        }
    }
    parts.for_each([&](std::uint64_t part, std::uint64_t begin, std::uint64_t end) {
      run_part(begin, end, tables + part * size, put);
    });
  }

 private:
  static constexpr Place none = no_row<Place>;

  std::uint64_t left_row(std::uint64_t i) const { return Above ? left_.size() - 1 - i : i; }
  std::uint64_t right_row(std::uint64_t i) const { return Above ? right_.size() - 1 - i : i; }

  /// @return whether the walk passes a right row before it comes to a left one
  bool passes(std::uint64_t i, typename Keys::code probe) const {
    auto const key = right_[right_row(i)];
    if constexpr (Above) return exact_ ? !(key < probe) : probe < key;
    else return exact_ ? !(probe < key) : key < probe;
  }

  template <class Put> void run_part(std::uint64_t begin, std::uint64_t end, Place* last, Put const& put) const {
    auto const* const left_groups = groups_.left.template as<std::uint32_t>();
    std::uint64_t next = passed_before(begin);
    for (std::uint64_t i = begin; i < end; ++i) {
      auto const probe = left_[left_row(i)];
      for (; next < right_.size() && passes(next, probe); ++next) keep(last, next);
      Place const found = last[left_groups[left_row(i)]];
      put(left_row(i), found == none ? no_row<std::uint64_t> : std::uint64_t{found});
    }
  }

  /// @return the number of right rows that the walk has passed when it is before left row `i`
  std::uint64_t passed_before(std::uint64_t i) const {
    if (i == 0) return 0;
    std::uint64_t const bound = bound_in(right_, left_[left_row(i - 1)], Above != exact_);
    return Above ? right_.size() - bound : bound;
  }

  /// Notes right row `i` of the walk as the last one of its group.
  void keep(Place* last, std::uint64_t i) const {
    auto const row = static_cast<Place>(right_row(i));
    Place& of = last[groups_.right.template as<std::uint32_t>()[row]];
    if (replaces(row, of)) of = row;
  }

  /// @return whether a row takes the place of one that the walk has kept before it
  bool replaces(Place row, Place kept) const { return keeps_last_ || kept == none || right_[kept] != right_[row]; }

  Keys left_;
  Keys right_;
  group_numbers const& groups_;
  bool exact_;
  bool keeps_last_;
};

template <class Place, class Keys>
void merge_in_groups(Keys left, Keys right, group_numbers const& groups, chooser const& choose, bool exact,
                     execution const& exec) {
  constexpr auto nowhere = no_row<std::uint64_t>;
  asof_request const& ask = choose.ask;
  if (ask.looks_below)
    group_walk<false, Place, Keys>(left, right, groups, exact, ask.last_below)
        .run(exec, [&](std::uint64_t i, std::uint64_t below) {
          if (!ask.looks_above) choose.put(i, below, nowhere);
          else choose.rows.set(i, below == nowhere ? choose.rows.none() : below);
        });
  if (!ask.looks_above) return;
  group_walk<true, Place, Keys>(left, right, groups, exact, !ask.last_above)
      .run(exec, [&](std::uint64_t i, std::uint64_t above) {
        bool const any_below = ask.looks_below && choose.rows.get(i) != choose.rows.none();
        choose.put(i, any_below ? choose.rows.get(i) : nowhere, above);
      });
}

/// Checks both sides of a merge. @return where the rows go
row_array expect_sides(char const* call, column const& left, column const& right, row_output rows) {
  expect_numbers(call, "the left column", left.type);
  expect_numbers(call, "the right column", right.type);
  if (left.type != right.type)
    throw unsupported(std::string(call) + ": the left column is of type " + std::string(to_string(left.type)) +
                      ", the right one of type " + std::string(to_string(right.type)) + "; they must be the same");
  expect_known(call, "the row output", rows.type);
  row_array const to{rows.data, size_of(rows.type)};
  if (right.size > to.none())
    throw invalid_argument(std::string(call) + ": the row output is of type " + std::string(to_string(rows.type)) +
                           ", which cannot number " + std::to_string(right.size) + " rows");
  return to;
}

void expect_groups(char const* call, column const& left_groups, column const& left, column const& right_groups,
                   column const& right) {
  expect_numbers(call, "the left column of groups", left_groups.type);
  expect_numbers(call, "the right column of groups", right_groups.type);
  if (left_groups.type != right_groups.type)
    throw unsupported(std::string(call) + ": the groups are of types " + std::string(to_string(left_groups.type)) +
                      " and " + std::string(to_string(right_groups.type)) + "; they must be the same");
  expect_size(call, "the left column of groups", left_groups.size, left.size);
  expect_size(call, "the right column of groups", right_groups.size, right.size);
}

/// Joins within groups on a device, where the right side is sorted by group and key.
void join_in_groups(column left_groups, column left, column right_groups, column right, row_output rows,
                    execution const& exec, asof_options const& options) {
  auto const over = grouped_index::build("AO+BS", right_groups, right, exec);
  if (over.row_type() == rows.type) return join_asof(over, left_groups, left, rows, exec, options);
  buffer const found(rows.size * size_of(over.row_type()), exec);
  join_asof(over, left_groups, left, {found.data(), rows.size, over.row_type()}, exec, options);
  buffer const wide(rows.size * size_of(rows.type), exec);
  steps::run(join_steps::copy_row{{found.data(), size_of(over.row_type())}, {wide.data(), size_of(rows.type)}},
             rows.size, exec);
  backend_of(exec).copy(rows.data, wide.data(), wide.bytes(), exec);
  backend_of(exec).synchronize(exec);
}

bool is_of_host(execution const& exec) { return exec.memory->backend() == backend_kind::cpu; }

}  // namespace

bool asof_merge(column left, column right, row_output rows, execution const& exec, asof_options const& options) {
  constexpr char const* call = "asof_merge";
  return run_call(call, exec, [&] {
    row_array const to = expect_sides(call, left, right, rows);
    asof_request const ask(call, options, left.type, right.type);
    staging stage(call, exec);
    if (!options.offsets.empty()) {
      auto const run = [&](nullable_column const& moved, row_output part, asof_options const& once) {
        column const& values = moved;
        return asof_merge(values, right, part, exec, once);
      };
      return join_by_offsets(call, left, rows, stage, exec, options, run);
    }
    expect_size(call, "the row output", rows.size, left.size);
    if (is_of_host(exec)) {
      left = stage.input(left, "the left column");
      right = stage.input(right, "the right column");
      stage.output(rows.data, rows.size, to.width, "the row output");
    }
    if (!both_ascend(left, right, exec)) return false;
    if (is_of_host(exec)) {
      staged_tolerances const tolerances(call, ask, left.size, stage, exec);
      with_codes(right.type, [&]<class Keys>() {
        merge(Keys(left), Keys(right), {left, right, ask, ask.limits(tolerances.from(0)), to},
              options.allow_exact_matches, exec);
      });
    } else {
      join_asof(over_ascending(call, right, rows.type, exec), left, rows, exec, options);
      backend_of(exec).synchronize(exec);
    }
    return true;
  });
}

bool asof_merge(column left_groups, column left, column right_groups, column right, row_output rows,
                execution const& exec, asof_options const& options) {
  constexpr char const* call = "asof_merge";
  return run_call(call, exec, [&] {
    expect_groups(call, left_groups, left, right_groups, right);
    row_array const to = expect_sides(call, left, right, rows);
    asof_request const ask(call, options, left.type, right.type);
    staging stage(call, exec);
    if (!options.offsets.empty()) {
      auto const run = [&](nullable_column const& moved, row_output part, asof_options const& once) {
        column const& values = moved;
        return asof_merge(left_groups, values, right_groups, right, part, exec, once);
      };
      return join_by_offsets(call, left, rows, stage, exec, options, run);
    }
    expect_size(call, "the row output", rows.size, left.size);
    if (!is_of_host(exec)) {
      if (!both_ascend(left, right, exec)) return false;
      join_in_groups(left_groups, left, right_groups, right, rows, exec, options);
      return true;
    }
    left_groups = stage.input(left_groups, "the left column of groups");
    right_groups = stage.input(right_groups, "the right column of groups");
    left = stage.input(left, "the left column");
    right = stage.input(right, "the right column");
    stage.output(rows.data, rows.size, to.width, "the row output");
    if (!both_ascend(left, right, exec)) return false;
    group_numbers const groups(left_groups, right_groups, exec);
    if (groups.count == 0) return false;
    staged_tolerances const tolerances(call, ask, left.size, stage, exec);
    with_codes(right.type, [&]<class Keys>() {
      chooser const choose{left, right, ask, ask.limits(tolerances.from(0)), to};
      if (right.size < no_row<std::uint32_t>)
        merge_in_groups<std::uint32_t>(Keys(left), Keys(right), groups, choose, options.allow_exact_matches, exec);
      else merge_in_groups<std::uint64_t>(Keys(left), Keys(right), groups, choose, options.allow_exact_matches, exec);
    });
    return true;
  });
}

}  // namespace warpdex
