// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sorted.hpp>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/tuning.hpp"
#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "index/sorted.hpp"
#include "join/asof.hpp"
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
  /// @return the first place from `at` on whose key is not passed. The next keys are counted without branches, which
  /// would be predicted badly. Then steps grow, so that a long way takes few of them
  template <class Passed> std::uint64_t skip(std::uint64_t at, Passed const& passed) const {
    constexpr unsigned near = cpu::tuning::near_keys;
    std::uint64_t const size = right_.size();
    for (int i = 0; i < 2 && size - at >= near; ++i) {
      unsigned count = 0;
      for (unsigned j = 0; j < near; ++j) count += passed(right_[at + j]) ? 1 : 0;
      at += count;
      if (count < near) return at;
    }
    if (at == size || !passed(right_[at])) return at;
    std::uint64_t step = near;
    while (step < size - at && passed(right_[at + step])) {
      at += step;
      step *= 2;
    }
    std::uint64_t end = std::min(size, at + step);
    while (at < end) {
      std::uint64_t const middle = at + (end - at) / 2;
      if (passed(right_[middle])) at = middle + 1;
      else end = middle;
    }
    return at;
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
  row_array rows;

  /// Writes the row of left row `i`. @param below, above places of entries on both sides, or `no_row`
  void put(std::uint64_t i, std::uint64_t below, std::uint64_t above) const {
    constexpr auto none = no_row<std::uint64_t>;
    if (ask.measures) {
      std::size_t const width = size_of(left.type);
      auto const gap = [&](std::uint64_t place) {
        return distance_of(left.type, detail::load_bytes(left.data, width, i), right.type,
                           detail::load_bytes(right.data, width, place));
      };
      distance const down = below == none ? distance{} : gap(below);
      distance const up = above == none ? distance{} : gap(above);
      if (below != none && ask.limit < down) below = none;
      if (above != none && ask.limit < up) above = none;
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
    join_steps::numbered_values const all = numbered(right_groups, exec);
    std::uint64_t const most =
        std::max<std::uint64_t>(tuning::groups_of_few_rows, left_groups.size + right_groups.size);
    if (all.last >= most || all.last >= no_row<std::uint32_t> - 1) return;
    count = all.last + 1;
    auto const number = [&](column groups) {
      buffer made(groups.size * sizeof(std::uint32_t), exec);
      auto* const to = made.as<std::uint32_t>();
      with_codes(groups.type, [&]<class Groups>() {
        Groups const codes(groups);
        parallel_chunks(
            exec.threads, codes.size(), cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
              for (std::uint64_t i = begin; i < end; ++i)
                to[i] =
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{codes[i]} - all.lowest, count));
            });
      });
      return made;
    };
    left = number(left_groups);
    right = number(right_groups);
  }
};

/// One pass over both sides, which keeps the last right row of each group; from the ends on for rows above.
/// @tparam Place holds numbers of right rows
template <class Place, class Keys>
void merge_in_groups(Keys left, Keys right, group_numbers const& groups, chooser const& choose, bool exact,
                     execution const& exec) {
  constexpr auto none = no_row<Place>;
  constexpr auto nowhere = no_row<std::uint64_t>;
  asof_request const& ask = choose.ask;
  auto const* const left_groups = groups.left.as<std::uint32_t>();
  auto const* const right_groups = groups.right.as<std::uint32_t>();
  buffer const memory((groups.count + 1) * sizeof(Place), exec);
  auto* const newest = memory.as<Place>();  // none of number `count` ever gets a row
  auto const place = [&](Place of) { return of == none ? nowhere : std::uint64_t{of}; };
  if (ask.looks_below) {
    std::fill_n(newest, groups.count + 1, none);
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < left.size(); ++i) {
      auto const probe = left[i];
      for (; next < right.size() && (exact ? !(probe < right[next]) : right[next] < probe); ++next) {
        Place& of = newest[right_groups[next]];
        if (ask.last_below || of == none || right[of] < right[next]) of = static_cast<Place>(next);
      }
      std::uint64_t const below = place(newest[left_groups[i]]);
      if (!ask.looks_above) choose.put(i, below, nowhere);
      else choose.rows.set(i, below == nowhere ? choose.rows.none() : below);
    }
  }
  if (!ask.looks_above) return;
  std::fill_n(newest, groups.count + 1, none);
  std::uint64_t next = right.size();
  for (std::uint64_t i = left.size(); i-- > 0;) {
    auto const probe = left[i];
    for (; next > 0 && (exact ? !(right[next - 1] < probe) : probe < right[next - 1]); --next) {
      Place& of = newest[right_groups[next - 1]];
      if (!ask.last_above || of == none || right[next - 1] < right[of]) of = static_cast<Place>(next - 1);
    }
    std::uint64_t below = nowhere;
    if (ask.looks_below && choose.rows.get(i) != choose.rows.none()) below = choose.rows.get(i);
    choose.put(i, below, place(newest[left_groups[i]]));
  }
}

/// Checks both sides of a merge and brings them within reach.
/// @return where the rows go
row_array expect_sides(char const* call, column& left, column& right, row_output rows, staging& stage) {
  expect_numbers(call, "the left column", left.type);
  expect_numbers(call, "the right column", right.type);
  if (left.type != right.type)
    throw unsupported(std::string(call) + ": the left column is of type " + std::string(to_string(left.type)) +
                      ", the right one of type " + std::string(to_string(right.type)) + "; they must be the same");
  expect_known(call, "the row output", rows.type);
  expect_size(call, "the row output", rows.size, left.size);
  row_array const to{rows.data, size_of(rows.type)};
  if (right.size > to.none())
    throw invalid_argument(std::string(call) + ": the row output is of type " + std::string(to_string(rows.type)) +
                           ", which cannot number " + std::to_string(right.size) + " rows");
  left = stage.input(left, "the left column");
  right = stage.input(right, "the right column");
  stage.output(rows.data, rows.size, to.width, "the row output");
  return to;
}

}  // namespace

bool asof_merge(column left, column right, row_output rows, execution const& exec, asof_options const& options) {
  constexpr char const* call = "asof_merge";
  return run_call(call, exec, [&] {
    expect_host(call, exec);
    staging stage(call, exec);
    row_array const to = expect_sides(call, left, right, rows, stage);
    asof_request const ask(call, options, left.type, right.type);
    if (!ascends(left, exec) || !ascends(right, exec)) return false;
    with_codes(right.type, [&]<class Keys>() {
      merge(Keys(left), Keys(right), {left, right, ask, to}, options.exact, exec);
    });
    return true;
  });
}

bool asof_merge(column left_groups, column left, column right_groups, column right, row_output rows,
                execution const& exec, asof_options const& options) {
  constexpr char const* call = "asof_merge";
  return run_call(call, exec, [&] {
    expect_host(call, exec);
    expect_numbers(call, "the left column of groups", left_groups.type);
    expect_numbers(call, "the right column of groups", right_groups.type);
    if (left_groups.type != right_groups.type)
      throw unsupported(std::string(call) + ": the groups are of types " + std::string(to_string(left_groups.type)) +
                        " and " + std::string(to_string(right_groups.type)) + "; they must be the same");
    expect_size(call, "the left column of groups", left_groups.size, left.size);
    expect_size(call, "the right column of groups", right_groups.size, right.size);
    staging stage(call, exec);
    left_groups = stage.input(left_groups, "the left column of groups");
    right_groups = stage.input(right_groups, "the right column of groups");
    row_array const to = expect_sides(call, left, right, rows, stage);
    asof_request const ask(call, options, left.type, right.type);
    if (!ascends(left, exec) || !ascends(right, exec)) return false;
    group_numbers const groups(left_groups, right_groups, exec);
    if (groups.count == 0) return false;
    with_codes(right.type, [&]<class Keys>() {
      chooser const choose{left, right, ask, to};
      if (right.size < no_row<std::uint32_t>)
        merge_in_groups<std::uint32_t>(Keys(left), Keys(right), groups, choose, options.exact, exec);
      else merge_in_groups<std::uint64_t>(Keys(left), Keys(right), groups, choose, options.exact, exec);
    });
    return true;
  });
}

}  // namespace warpdex
