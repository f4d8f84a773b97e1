// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sorted.hpp>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/tuning.hpp"
#include "base/api_border.hpp"
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

template <class Keys>
void merge(Keys left, Keys right, column left_values, column right_values, asof_request const& ask, bool exact,
           row_array rows, execution const& exec) {
  std::size_t const width = size_of(left_values.type);
  parallel_chunks(exec.threads, left.size(), cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
    merging<Keys> places(right, bound_in(right, left[begin], false));
    for (std::uint64_t i = begin; i < end; ++i) {
      constexpr auto none = no_row<std::uint64_t>;
      auto below = ask.looks_below ? places.below(left[i], exact, ask.last_below) : none;
      auto above = ask.looks_above ? places.above(left[i], exact, ask.last_above) : none;
      if (ask.measures) {
        auto const gap = [&](std::uint64_t place) {
          return distance_of(left_values.type, detail::load_bytes(left_values.data, width, i), right_values.type,
                             detail::load_bytes(right_values.data, width, place));
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
  });
}

}  // namespace

bool asof_merge(column left, column right, row_output rows, execution const& exec, asof_options const& options) {
  constexpr char const* call = "asof_merge";
  return run_call(call, exec, [&] {
    expect_host(call, exec);
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
    asof_request const ask(call, options, left.type, right.type);
    staging stage(call, exec);
    left = stage.input(left, "the left column");
    right = stage.input(right, "the right column");
    stage.output(rows.data, rows.size, to.width, "the row output");
    if (!ascends(left, exec) || !ascends(right, exec)) return false;
    with_codes(right.type,
               [&]<class Keys>() { merge(Keys(left), Keys(right), left, right, ask, options.exact, to, exec); });
    return true;
  });
}

}  // namespace warpdex
