// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/join.hpp>
#include <warpdex/matches.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Intervals, such as genes, sessions and validity periods: which of them contain a point, which overlap another
/// interval, which are nearest. docs/guide/intervals.md has examples.
namespace warpdex {

struct interval_parts;  // what intervals are made of; see src/clients/intervals/interval_parts.hpp

/// What is looked for among intervals: points, or intervals with ends of the same kind.
struct interval_probes {
  nullable_column lower;                                 ///< points, or starts
  nullable_column upper;                                 ///< ends, of the type of `lower` and as many; empty for points
  bool are_points;                                       ///< whether `lower` has points; otherwise it has starts
  std::optional<nullable_column> groups = std::nullopt;  ///< as many, of intervals that were built with groups

  /// Points: what converts to a column of them.
  template <std::convertible_to<nullable_column> Points>
  interval_probes(Points const& points) : lower(points), are_points(true) {}
  /// Intervals. @param ends as many as `starts`, of the same type
  interval_probes(nullable_column const& starts, nullable_column const& ends)
      : lower(starts), upper(ends), are_points(false) {}

  /// @return the same probes, which match intervals of their group alone
  interval_probes within(nullable_column const& of) const {
    interval_probes result = *this;
    result.groups = of;
    return result;
  }

  std::uint64_t size() const noexcept { return lower.size; }  ///< number of points or intervals
};

/// Which intervals `nearest` lists after those that match a probe: of both sides, or those that end before it or start
/// after it alone.
enum class interval_side : std::uint8_t { both, before, after };

/// Options of `intervals::nearest`.
struct nearest_options {
  interval_side side = interval_side::both;  ///< of the intervals that match no probe
  bool ignore_overlaps = false;              ///< leaves out the intervals that match the probe
  bool with_distances = false;               ///< whether `nearest_intervals::distances` are written
};

/// The rows of the intervals nearest to each probe, and their distances.
struct nearest_intervals : matches {
  buffer distances;       ///< one per row, in units of the keys, if they were asked for: numbers of 64 bits
  bool are_real = false;  ///< whether the distances are double; otherwise they are std::uint64_t
};

/// The union of intervals: stretches without a gap, by group, then by start. Rows are of the index's row type.
struct merged_intervals {
  buffer starts;                                        ///< per stretch the row of an interval that starts as it does
  buffer ends;                                          ///< per stretch the row of an interval that ends as it does
  buffer counts;                                        ///< per stretch the number of its intervals, std::uint64_t
  buffer clusters;                                      ///< per row its stretch; `no_row` for one that is left out
  std::uint64_t size = 0;                               ///< number of stretches
  std::uint64_t rows = 0;                               ///< number of rows of the columns
  warpdex::row_type row_type = warpdex::row_type::u32;  ///< of `starts`, `ends` and `clusters`
};

/// The parts of probes that no interval covers, in order. A part starts where the interval of its row ends; it starts
/// as the probe does if that is `no_row`.
struct interval_gaps : matches {
  buffer ends;  ///< per part the row of the interval that starts where it ends; `no_row` if it ends as the probe does
};

class intervals;

/// `intervals::save` with a note of the caller's, which the file keeps. @param note as in note.hpp
void save(intervals const& from, std::filesystem::path const& path, std::string_view note);
/// The same for the bytes of a file.
std::vector<std::byte> save(intervals const& from, std::string_view note);

/// An index of intervals, which may nest, overlap and repeat as they like. A point matches the intervals that contain
/// it; an interval those with which it has a point in common, and a length unless both ends belong to intervals. A null
/// matches nothing, and neither does NaN, nor an interval that ends before it starts or has NaN.
///
/// It holds the starts and the ends in order. The matches of a probe are the intervals that started by then, less those
/// that ended before, so two searches count them. To list them, a tree of the latest ends of ever larger blocks of
/// intervals, by start, skips all blocks without a match.
///
/// Arrays may be wherever those of `index` may. All functions are `const` and may be called by several threads. They
/// throw invalid_argument for columns of wrong types, lengths or memory, out_of_memory and device_error.
class intervals {
 public:
  /// Builds them. Row ids are positions in the columns. A row with a null is left out. Synchronises.
  /// Cost: two sorts and three passes. Memory per interval: both keys, and 3.07 row ids.
  /// @param starts of any key type @param ends of the same type, as many, none before its start
  /// @param closed which ends belong to the intervals
  /// @param min_overlap the least length, in units of the keys, that an interval has in common with a probe that is
  /// one. Shorter intervals are left out. Probes must be of the keys' type; of floats ends are moved by it, which
  /// rounds. None and 0 ask for no length; else `closed` does not count
  /// @throws unsupported for a least overlap of keys of more than 8 bytes; invalid_argument for one that is negative or
  /// NaN, or no integer where the keys are none of floats, and for an interval that ends before it starts or has NaN,
  /// naming the first one
  static intervals build(nullable_column const& starts, nullable_column const& ends, execution const& exec,
                         closed_ends closed = closed_ends::both,
                         std::optional<asof_tolerance> const& min_overlap = std::nullopt);

  /// The same within groups: a probe matches intervals of its group alone. A row with a null group is left out. A group
  /// and an end become one number of 64 bits, as in `grouped_index`. Cost: two passes more, or a sort per column that
  /// has to be numbered.
  /// @param groups of any key type, as many
  /// @throws unsupported if the numbers of distinct groups and ends take more than 64 bits together
  static intervals build(nullable_column const& groups, nullable_column const& starts, nullable_column const& ends,
                         execution const& exec, closed_ends closed = closed_ends::both,
                         std::optional<asof_tolerance> const& min_overlap = std::nullopt);

  /// Takes over all arrays. Intervals that were moved from can be assigned to and destroyed; their calls throw
  /// invalid_argument.
  /// @{
  intervals(intervals&&) noexcept;
  intervals& operator=(intervals&&) noexcept;
  /// @}
  ~intervals();

  /// Reads a file that `save` wrote, and checks it; see `index::load`. Synchronises. Cost: a pass over the ends more.
  /// @param map whether starts and ends are used in the file, on the CPU; it must not change meanwhile
  /// @param checks `structure` is as `all`
  /// @throws io_error, format_error, out_of_memory, device_error
  static intervals load(std::filesystem::path const& path, execution const& exec, bool map = false,
                        check checks = check::all);
  /// The same from the bytes of such a file, which are copied.
  static intervals load(std::span<std::byte const> bytes, execution const& exec, check checks = check::all);
  /// The same from bytes that are used in place, as those of a mapped file, if they begin at a multiple of 64.
  /// @param owner keeps the bytes alive, for as long as the intervals live
  static intervals load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                        check checks = check::all);

  /// Writes the intervals to a file, which replaces a previous one only when it is complete. Synchronises.
  /// @throws io_error, out_of_memory, device_error
  void save(std::filesystem::path const& path) const { warpdex::save(*this, path, {}); }
  std::vector<std::byte> save() const { return warpdex::save(*this, {}); }  ///< @return the bytes of that file

  /// @return the note of the file that the intervals were loaded from
  std::string const& note() const;

  /// @return those of these intervals that are as long as a least overlap, which probes must have in common with them,
  /// as if they were built with it. Synchronises. Cost: two sorts and four passes
  /// @throws as `build`; invalid_argument for intervals that have one already
  intervals with_min_overlap(asof_tolerance const& least, execution const& exec) const;

  warpdex::key_type key_type() const;                   ///< of starts and ends
  std::optional<warpdex::key_type> group_type() const;  ///< of groups, if there are any
  closed_ends closed() const;                           ///< which ends belong to the intervals

  std::uint64_t size() const;          ///< number of intervals that are not left out
  warpdex::row_type row_type() const;  ///< of the rows of answers
  std::uint64_t bytes() const;         ///< of all arrays

  /// out[i] = how many intervals match probe i. Synchronises. Cost per probe: two bound searches.
  /// @param probes comparable with the starts @param out one number per probe
  void count(interval_probes const& probes, std::span<std::uint64_t> out, execution const& exec) const;

  /// The same on the host, in a vector.
  std::vector<std::uint64_t> count(interval_probes const& probes, execution const& exec = {}) const;

  /// rows[i] = the row of the first interval that matches probe i, by start, then row; or `no_row`. Synchronises.
  /// Cost per probe: two bound searches, and at most 32 reads per 4 bits of the number of intervals.
  void find(interval_probes const& probes, row_output rows, execution const& exec) const;

  /// Lists the rows of the intervals that match each probe, by start, then row. Synchronises. Cost: that of `count`, a
  /// scan, and per match about two reads if the matches of a probe start one after the other; at most 32 reads per 4
  /// bits of the number of intervals that start between.
  /// @return the rows, in the memory of `exec`
  matches retrieve(interval_probes const& probes, execution const& exec = {}) const;

  /// Lists the rows of the k intervals nearest to each probe, or of all if there are fewer: first those that match it,
  /// by start, then row; then the others by their distance, those before it first, and of equal ends or starts by
  /// start, then row. The distance is 0 for a match, else that of the nearer ends, which is 0 too if they are equal.
  /// Where not both ends belong to intervals, a probe whose start is its end matches those that start before it and end
  /// after it. A null has none, and neither has NaN, nor an interval that ends before it starts. What is infinitely far
  /// away comes last, in the order of the ends or starts. Synchronises. Cost per probe: two bound searches, and per row
  /// about two reads, or those of `retrieve`. A least overlap does not count.
  /// @return the rows, in the memory of `exec`
  /// @throws unsupported also for strings, which have no distances; for distances between types whose difference takes
  /// more than 64 bits: u128, u64 and a signed type, dates and timestamps
  nearest_intervals nearest(interval_probes const& probes, std::uint64_t k, execution const& exec = {},
                            nearest_options const& options = {}) const;

  /// out[i] = the length of the part of probe i that the intervals cover, in units of the keys: days of dates,
  /// microseconds of timestamps. Ends have no length. Of points 1 for those in an interval, else 0. Synchronises.
  /// Cost per probe: four bound searches, and two among the stretches that are covered; the first call finds these, by
  /// three passes, and keeps them. Sums of floats are to 1 ulp of the length of all stretches.
  /// @param probes intervals of the keys' type, or points @param out for floats double, else std::uint64_t
  /// @throws unsupported also for keys of more than 8 bytes
  void coverage(interval_probes const& probes, std::span<std::uint64_t> out, execution const& exec) const;
  /// The same for intervals of floats.
  void coverage(interval_probes const& probes, std::span<double> out, execution const& exec) const;

  /// Merges the intervals that overlap or touch each other, within their groups. Synchronises. Cost: that of the first
  /// `coverage`, which it shares, and a search among the stretches per row.
  /// @return rows, in the memory of `exec`
  /// @throws unsupported also for strings
  merged_intervals merge(execution const& exec = {}) const;

  /// Lists the parts of each probe that no interval of its group covers: the probe less all intervals. Ends have no
  /// length, so parts have the ends of what is taken away; a probe whose start is its end is its own part unless an
  /// interval has it. A null has none, and neither has an interval that ends before it starts. Synchronises. Cost per
  /// probe: as `coverage`, and per part about four reads.
  /// @return rows, in the memory of `exec`
  /// @throws invalid_argument also for points; unsupported for strings
  interval_gaps gaps(interval_probes const& probes, execution const& exec = {}) const;

  /// Joins each probe with the intervals that match it, and hands the pairs to a sink as the joins of join.hpp do.
  /// Pairs ascend by left row, then by start, then by right row. Synchronises. Cost: as `retrieve`.
  /// @return the number of pairs
  /// @throws unsupported also for `join_kind::full`
  std::uint64_t join(interval_probes const& probes, join_kind kind, join_sink const& sink, execution const& exec,
                     join_options const& options = {}) const;

  /// The same, all pairs at once.
  joined join(interval_probes const& probes, join_kind kind, execution const& exec,
              join_options const& options = {}) const;

 private:
  friend void save(intervals const& from, std::filesystem::path const& path, std::string_view note);
  friend std::vector<std::byte> save(intervals const& from, std::string_view note);
  struct filer;
  explicit intervals(std::unique_ptr<interval_parts> made);

  /// @throws invalid_argument if the intervals were moved from
  interval_parts const& built(char const* call) const;

  std::unique_ptr<interval_parts> parts_;
};

}  // namespace warpdex
