// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/segments.hpp>

#include <cmath>

#include "structures/any_pairs.hpp"

/// @file
/// Lines through sorted keys, for learned indexes. Each fit takes points one by one, for as long as one line meets all
/// of them with an error of at most eps. All decisions are made in exact integers, so CPUs and GPUs make equal lines.
///
/// The points of sorted keys are (key, rank) for the first entry of each key, and (key + 1, rank after the last entry)
/// for keys with several entries, unless key + 1 is a key itself. A key with one entry needs no second point: the rank
/// after it is one higher. So if all points are met with an error of at most eps, then the lower bound of any number,
/// key or not, is between prediction - eps and prediction + eps + 1. Lines only rise, which covers all numbers between
/// two points.
namespace warpdex {

/// A point of sorted keys.
template <class Key> struct key_point {
  Key key;
  std::uint64_t rank;
  bool behind_run;  ///< whether it is the second point of the key before it
};

/// The points of sorted keys.
template <class Key, class Position> struct key_points {
  any_entries<Key, Position> pairs;
  std::uint64_t size;

  /// @return a point, given everything but its key
  WDX_HD Key key_at(std::uint64_t rank, bool behind_run) const {
    return behind_run ? static_cast<Key>(pairs.key(rank - 1) + 1) : pairs.key(rank);
  }

  /// Calls visit(point) for all points with ranks in [begin, end), in order. The rank `size` belongs to the last part.
  template <class Visit> WDX_HD void for_part(std::uint64_t begin, std::uint64_t end, Visit visit) const {
    constexpr auto largest = static_cast<Key>(-1);
    Key last = begin > 0 ? pairs.key(begin - 1) : Key{0};
    bool repeated = begin > 1 && pairs.key(begin - 2) == last;
    for (std::uint64_t rank = begin; rank < end; ++rank) {
      Key const key = pairs.key(rank);
      if (rank > 0 && key == last) {
        repeated = true;
        continue;
      }
      if (repeated && last + 1 < key) visit(key_point<Key>{static_cast<Key>(last + 1), rank, true});
      visit(key_point<Key>{key, rank, false});
      last = key;
      repeated = false;
    }
    if (end == size && repeated && last != largest) visit(key_point<Key>{static_cast<Key>(last + 1), size, true});
  }
};

/// What a fit makes: the line of a segment and its first key.
template <class Key, class Position> struct fitted {
  Key key;
  line<Position> fit;
};

/// A number wide enough for products of differences of keys and of ranks of one segment.
__extension__ typedef __int128 i128;
template <class Key> using exact_product = std::conditional_t<sizeof(Key) == 4, std::int64_t, i128>;

/// A slope or a vector; `run` is not negative.
template <class Key> struct rise_over_run {
  std::int64_t rise;
  Key run;

  /// @return whether it is less steep. A vector without run is infinitely steep.
  WDX_HD bool operator<(rise_over_run const& other) const {
    using product = exact_product<Key>;
    return static_cast<product>(rise) * static_cast<product>(other.run) <
           static_cast<product>(other.rise) * static_cast<product>(run);
  }
};

/// The fewest segments: a segment takes every point that some line allows (O'Rourke, 1981; paper 001, algorithm 1).
///
/// Each point allows lines between its floor and its ceiling. Of the lines between all of them, the fit keeps the
/// steepest and the flattest, and the convex hulls of the floors and ceilings that they may touch next:
///
///     ceilings   v     v  v        v         the steepest line touches a floor, then a ceiling;
///     points     .     .  .        .         the flattest line touches a ceiling, then a floor
///     floors     ^     ^  ^        ^
///
/// Ranks count double, and ceilings and floors are 2 eps - 1 away. The half rank that is left to eps serves to round
/// the rank at the first key. A segment that is over is at least 2 eps ranks long.
template <class Key, class Position> class hull_fit {
 public:
  /// @return a bound on the points of a segment among `ranks` ranks. A key with two points has several ranks
  WDX_HD static constexpr std::uint64_t hull_points(std::uint64_t ranks) {
    return (ranks < longest_segment ? ranks : longest_segment) + 3;
  }
  WDX_HD static constexpr std::uint64_t scratch_values(std::uint64_t ranks) { return 2 * hull_points(ranks); }
  /// @return a bound on the segments of this number of ranks
  WDX_HD static constexpr std::uint64_t most_segments(std::uint64_t ranks, std::uint64_t eps) {
    return ranks / (2 * eps) + 2;
  }

  /// @param scratch `scratch_values` numbers
  WDX_HD hull_fit(key_points<Key, Position> const& points, std::uint64_t eps, std::uint32_t* scratch,
                  std::uint64_t ranks)
      : points_(points), eps_(eps),
        slack_(static_cast<std::int64_t>(2 * eps - 1)), floors_{scratch, 0, 0}, ceilings_{scratch + hull_points(ranks),
                                                                                          0, 0} {}

  /// Begins a segment.
  WDX_HD void start(key_point<Key> const& first) {
    first_ = first;
    count_ = 1;
  }

  /// @return whether the point belongs to the segment too
  WDX_HD bool add(key_point<Key> const& next) {
    std::uint64_t const rank = next.rank - first_.rank;
    if (rank > longest_segment) return false;
    Key const x = next.key - first_.key;
    auto const y = static_cast<std::int64_t>(2 * rank);
    corner const floor{x, y - slack_};
    corner const ceiling{x, y + slack_};
    auto const number = static_cast<std::uint32_t>(rank << 1 | (next.behind_run ? 1u : 0u));
    if (count_++ == 1) {
      std::uint32_t const first = first_.behind_run ? 1 : 0;
      floors_.restart(first, number);
      ceilings_.restart(first, number);
      steepest_ = {{0, -slack_}, ceiling};
      flattest_ = {{0, slack_}, floor};
      return true;
    }
    if (steepest_.slope() < from(steepest_.left, floor) || from(flattest_.left, ceiling) < flattest_.slope())
      return false;
    if (from(steepest_.left, ceiling) < steepest_.slope()) {
      while (floors_.begin + 1 < floors_.end && !(from(at(floors_, floors_.begin, -slack_), ceiling) <
                                                  from(at(floors_, floors_.begin + 1, -slack_), ceiling)))
        ++floors_.begin;
      steepest_ = {at(floors_, floors_.begin, -slack_), ceiling};
      while (ceilings_.end - ceilings_.begin >= 2) {
        corner const before = at(ceilings_, ceilings_.end - 2, slack_);
        if (from(before, at(ceilings_, ceilings_.end - 1, slack_)) < from(before, ceiling)) break;
        --ceilings_.end;
      }
      ceilings_.push(number);
    }
    if (flattest_.slope() < from(flattest_.left, floor)) {
      while (ceilings_.begin + 1 < ceilings_.end && !(from(at(ceilings_, ceilings_.begin + 1, slack_), floor) <
                                                      from(at(ceilings_, ceilings_.begin, slack_), floor)))
        ++ceilings_.begin;
      flattest_ = {at(ceilings_, ceilings_.begin, slack_), floor};
      while (floors_.end - floors_.begin >= 2) {
        corner const before = at(floors_, floors_.end - 2, -slack_);
        if (from(before, floor) < from(before, at(floors_, floors_.end - 1, -slack_))) break;
        --floors_.end;
      }
      floors_.push(number);
    }
    return true;
  }

  /// @return the segment: the line halfway between the steepest and the flattest. It goes through the point where these
  /// two meet, so it is between all floors and ceilings too. It never falls, because the flattest line falls at most by
  /// two slacks over the segment, and the steepest rises at least as much.
  WDX_HD fitted<Key, Position> finish() const {
    using real = typename line<Position>::real;
    if (count_ == 1) return {first_.key, {static_cast<Position>(first_.rank + eps_), 0}};
    double const steep = steepest_.as_number();
    double const flat = flattest_.as_number();
    double const at_first = (steepest_.left.at_zero(steep) + flattest_.left.at_zero(flat)) / 4;
    auto const low = static_cast<std::int64_t>(first_.rank) + static_cast<std::int64_t>(std::floor(at_first + 0.5));
    auto const most = static_cast<std::int64_t>(points_.size);
    auto const high = static_cast<std::uint64_t>((low < most ? low : most) + static_cast<std::int64_t>(eps_));
    return {first_.key, {static_cast<Position>(high), static_cast<real>((steep + flat) / 4)}};
  }

  /// @return whether `next` begins the segment after a finished one
  WDX_HD void restart(key_point<Key> const& next) { start(next); }

 private:
  struct corner {
    Key x;
    std::int64_t y;

    /// @return the height at x = 0 of the line with this slope through the corner
    WDX_HD double at_zero(double slope) const {
#if defined(__CUDA_ARCH__)
      return __dsub_rn(static_cast<double>(y), __dmul_rn(slope, static_cast<double>(x)));
#else
      double const volatile product = slope * static_cast<double>(x);  // not fused with the subtraction
      return static_cast<double>(y) - product;
#endif
    }
  };

  struct extreme {
    corner left, right;

    WDX_HD rise_over_run<Key> slope() const { return from(left, right); }
    WDX_HD double as_number() const {
      auto const exact = slope();
      return static_cast<double>(exact.rise) / static_cast<double>(exact.run);
    }
  };

  /// Points by number: the rank within the segment, and in the lowest bit `behind_run`. Those before `begin` are no
  /// longer of use.
  struct hull {
    std::uint32_t* numbers;
    std::uint32_t begin;
    std::uint32_t end;

    WDX_HD void restart(std::uint32_t first, std::uint32_t second) {
      numbers[0] = first;
      numbers[1] = second;
      begin = 0;
      end = 2;
    }
    WDX_HD void push(std::uint32_t number) { numbers[end++] = number; }
  };

  WDX_HD static rise_over_run<Key> from(corner const& left, corner const& right) {
    return {right.y - left.y, static_cast<Key>(right.x - left.x)};
  }

  WDX_HD corner at(hull const& of, std::uint32_t i, std::int64_t slack) const {
    std::uint32_t const number = of.numbers[i];
    std::uint64_t const rank = number >> 1;
    Key const key = points_.key_at(first_.rank + rank, (number & 1) != 0);
    return {static_cast<Key>(key - first_.key), static_cast<std::int64_t>(2 * rank) + slack};
  }

  key_points<Key, Position> points_;
  std::uint64_t eps_;
  std::int64_t slack_;
  hull floors_, ceilings_;
  key_point<Key> first_{};
  std::uint64_t count_ = 0;
  extreme steepest_{}, flattest_{};
};

/// Segments between spline points, each of which is a point of the keys (paper 002; Neumann and Michel, Smooth
/// interpolating histograms with error guarantees, 2008). A segment is over once the line to the next point leaves the
/// corridor of lines that meet all points in between. It ends at the point before, where the next segment begins.
///
/// Two adjacent segments that are over cover more than eps ranks together.
template <class Key, class Position> class corridor_fit {
 public:
  using slope = rise_over_run<Key>;

  WDX_HD static constexpr std::uint64_t scratch_values(std::uint64_t) { return 0; }
  WDX_HD static constexpr std::uint64_t most_segments(std::uint64_t ranks, std::uint64_t eps) {
    return 2 * (ranks / eps) + 4;
  }

  WDX_HD corridor_fit(key_points<Key, Position> const&, std::uint64_t eps, std::uint32_t*, std::uint64_t)
      : eps_(static_cast<std::int64_t>(eps)) {}

  WDX_HD void start(key_point<Key> const& first) { first_ = last_ = first; }

  WDX_HD bool add(key_point<Key> const& next) {
    if (next.rank - first_.rank > longest_segment) return false;
    Key const run = next.key - first_.key;
    auto const rise = static_cast<std::int64_t>(next.rank - first_.rank);
    slope const low{rise - eps_, run};
    slope const high{rise + eps_, run};
    if (last_.key == first_.key) {
      low_ = low;
      high_ = high;
    } else {
      slope const direct{rise, run};
      if (direct < low_ || high_ < direct) return false;
      if (low_ < low) low_ = low;
      if (high < high_) high_ = high;
    }
    last_ = next;
    return true;
  }

  WDX_HD fitted<Key, Position> finish() const {
    using real = typename line<Position>::real;
    auto const high = static_cast<Position>(first_.rank + static_cast<std::uint64_t>(eps_));
    if (last_.key == first_.key) return {first_.key, {high, 0}};
    double const slope =
        static_cast<double>(last_.rank - first_.rank) / static_cast<double>(static_cast<Key>(last_.key - first_.key));
    return {first_.key, {high, static_cast<real>(slope)}};
  }

  WDX_HD void restart(key_point<Key> const& next) {
    start(last_);
    if (!add(next)) start(next);  // too far away for one segment; there is no key in between
  }

 private:
  std::int64_t eps_;
  key_point<Key> first_{}, last_{};
  slope low_{}, high_{};
};

}  // namespace warpdex
