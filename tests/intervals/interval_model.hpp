// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/intervals.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"

/// @file
/// Random intervals and probes, and what matches by definition.
namespace warpdex::test {
/// Names that others of these tests have too.
inline namespace interval_model {

inline constexpr closed_ends all_closed[] = {closed_ends::both, closed_ends::left, closed_ends::right,
                                             closed_ends::none};

/// Values of a column by their numbers, which have their order.
template <class T> struct values_of {
  explicit values_of(std::vector<int> const& numbers) {
    for (int const number : numbers) {
      if constexpr (std::is_same_v<T, u128>) values.push_back((u128{1} << 100) + static_cast<u128>(number) * 3);
      else if constexpr (std::is_floating_point_v<T>) values.push_back(static_cast<T>(number - 40) / 2);
      else if constexpr (std::is_unsigned_v<T>) values.push_back(static_cast<T>(number));
      else values.push_back(static_cast<T>(number - 40));
    }
  }
  column view() const { return column(values); }
  std::vector<T> values;
};

template <> struct values_of<std::string> {
  explicit values_of(std::vector<int> const& numbers) {
    for (int const number : numbers)
      values.push_back(std::string(1, static_cast<char>('a' + number / 10)) + std::to_string(number % 10));
  }
  column view() const { return values.view(); }
  byte_strings values;
};

/// A column of small numbers, some of which are null.
struct numbers {
  std::vector<int> values;
  std::vector<std::uint8_t> bits;

  bool valid(std::size_t i) const { return bits.empty() || (bits[i / 8] >> (i % 8) & 1) != 0; }
  std::uint8_t const* validity() const { return bits.empty() ? nullptr : bits.data(); }
};

/// Whether interval [a, b] matches the point c = d, or the interval [c, d].
inline bool matches_by_definition(closed_ends closed, bool point, int a, int b, int c, int d) {
  bool const left = closed == closed_ends::both || closed == closed_ends::left;
  bool const right = closed == closed_ends::both || closed == closed_ends::right;
  if (point) return (left ? a <= c : a < c) && (right ? c <= b : c < b);
  if (closed == closed_ends::both) return c <= d && std::max(a, c) <= std::min(b, d);
  return std::max(a, c) < std::min(b, d);
}

/// What a call should find.
struct question {
  numbers starts, ends, lower, upper;
  numbers groups = {}, probe_groups = {};  ///< none without groups
  int least = 0;                           ///< the least overlap of intervals, or 0
  bool points;
  closed_ends closed;

  bool has_groups() const { return !probe_groups.values.empty(); }
  bool same_group(std::size_t i, std::size_t probe) const {
    return !has_groups() ||
           (groups.valid(i) && probe_groups.valid(probe) && groups.values[i] == probe_groups.values[probe]);
  }
  bool overlaps_enough(std::size_t i, std::size_t probe) const {
    int const last = std::min(ends.values[i], upper.values[probe]);
    return least == 0 || last - std::max(starts.values[i], lower.values[probe]) >= least;
  }
  std::vector<std::uint32_t> rows_of(std::size_t probe) const {
    std::vector<std::uint32_t> rows;
    if (!lower.valid(probe) || !upper.valid(probe)) return rows;
    for (std::size_t i = 0; i < starts.values.size(); ++i)
      if (same_group(i, probe) && overlaps_enough(i, probe) && starts.valid(i) && ends.valid(i) &&
          matches_by_definition(closed, points, starts.values[i], ends.values[i], lower.values[probe],
                                upper.values[probe]))
        rows.push_back(static_cast<std::uint32_t>(i));
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return starts.values[x] < starts.values[y]; });
    return rows;
  }
};

class question_maker {
 public:
  explicit question_maker(std::uint64_t seed) : random_(seed) {}

  question make(std::size_t size, std::size_t probes, bool points, closed_ends closed, bool nulls) {
    question q;
    q.points = points;
    q.closed = closed;
    int const lengths[] = {1, 2, 8, 80};  // so that some nest in others
    for (std::size_t i = 0; i < size; ++i) {
      int const start = draw(80);
      q.starts.values.push_back(start);
      q.ends.values.push_back(std::min(79, start + draw(lengths[draw(4)])));
    }
    for (std::size_t i = 0; i < probes; ++i) {
      q.lower.values.push_back(draw(80));
      q.upper.values.push_back(points ? q.lower.values[i] : std::clamp(q.lower.values[i] + draw(12) - 2, 0, 79));
    }
    if (nulls)
      for (numbers* const of : {&q.starts, &q.ends, &q.lower, &q.upper}) {
        for (std::size_t i = 0; i < of->values.size() / 8 + 1; ++i)
          of->bits.push_back(static_cast<std::uint8_t>(random_() | random_()));
      }
    if (points) q.upper = q.lower;
    return q;
  }

  /// Gives intervals and probes groups; some probes have one that no interval has.
  void add_groups(question& q, bool nulls) {
    for (std::size_t i = 0; i < q.starts.values.size(); ++i) q.groups.values.push_back(3 * draw(4));
    for (std::size_t i = 0; i < q.lower.values.size(); ++i) q.probe_groups.values.push_back(3 * draw(4) + draw(8) / 7);
    for (numbers* const of : {&q.groups, &q.probe_groups})
      for (std::size_t i = 0; nulls && i < of->values.size() / 8 + 1; ++i)
        of->bits.push_back(static_cast<std::uint8_t>(random_() | random_()));
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::mt19937_64 random_;
};

/// The columns of a question.
template <class T> struct inputs {
  explicit inputs(question const& q)
      : of(q), starts(q.starts.values), ends(q.ends.values), lower(q.lower.values), upper(q.upper.values) {}

  intervals build(execution const& exec) const {
    return intervals::build({starts.view(), of.starts.validity()}, {ends.view(), of.ends.validity()}, exec, of.closed);
  }
  interval_probes probes() const {
    nullable_column const low(lower.view(), of.lower.validity());
    if (of.points) return {low};
    return {low, nullable_column(upper.view(), of.upper.validity())};
  }

  question const& of;
  values_of<T> starts, ends, lower, upper;
};

}  // namespace interval_model
}  // namespace warpdex::test
