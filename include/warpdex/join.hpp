// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/types.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

/// @file
/// Joins of a column of probes, the left side, with the entries of an index, the right side. See docs/joins.md.
///
/// **Pairs.** A pair is the position of a probe in its column together with the row id of an entry that matches it.
/// Pairs come in the order of the probes, and for each probe in the order of the entries: by key, then by row id.
///
/// **Nulls.** A null probe matches nothing; `join_kind::left` and `join_kind::anti` list it as a probe without a match.
/// An index holds no nulls: `build_valid` leaves them out.
///
/// **Equality** is that of lookups: probes may be of another type than the keys, and are compared exactly. -0.0 equals
/// +0.0, and NaN equals NaN. A caller who wants NaN to match nothing marks such probes as nulls.
///
/// **Arrays.** Probe columns and validity bits may lie on the host or on the index's device, as for lookups. Probes on
/// the host pass through the device in parts, so they may be larger than its memory. All results lie in the memory of
/// the call's `execution`, unless said otherwise.
///
/// **Synchronisation.** All functions synchronise, except that `asof_join` does as a lookup does.
///
/// **Errors.** As for lookups (index.hpp). A call that fails leaves the index as it was and usable, and frees
/// everything that it took. Probes that have been handed to a sink stay handed over.
namespace warpdex {

enum class join_kind : std::uint8_t {
  inner,  ///< all pairs
  left,   ///< all pairs, and (probe, `no_row`) for each probe without a match
  semi,   ///< each probe with a match, once
  anti    ///< each probe without a match
};

/// A column with validity bits in the format of Apache Arrow: bit `offset + i` is 1 if value i is valid, and 0 if it is
/// null. Bits are counted from the lowest one of each byte.
struct nullable_column : column {
  std::uint8_t const* validity = nullptr;  ///< null if all values are valid
  std::uint64_t offset = 0;                ///< number of the bit of the first value

  nullable_column() = default;
  nullable_column(column values, std::uint8_t const* validity = nullptr, std::uint64_t offset = 0)
      : column(values), validity(validity), offset(offset) {}
};

/// Some consecutive pairs of a result. The arrays lie in memory of the index's backend. They are complete when the sink
/// is called, and valid until it returns.
struct join_batch {
  row_column left;   ///< position of the probe of each pair; u32 if the column has less than 2^32 - 1 probes, else u64
  row_column right;  ///< row id of the entry of each pair, or `no_row`; empty for `semi` and `anti`
};

/// Takes the batches of a result, one after another, on the calling thread. What it throws leaves the join unchanged.
using join_sink = std::function<void(join_batch const&)>;

/// A join that was stopped by its `join_options::stop`.
struct cancelled : error {
  using error::error;
};

struct join_options {
  std::uint64_t batch_pairs = 0;  ///< most pairs per batch; 0: chosen
  std::uint64_t part_probes = 0;  ///< most probes that are searched before their pairs are handed over; 0: chosen
  std::stop_token stop = {};      ///< looked at before each part and each batch; a stop throws `cancelled`
};

/// All pairs of a join.
struct joined {
  buffer left;   ///< `size` positions of probes
  buffer right;  ///< `size` row ids; empty for `semi` and `anti`
  std::uint64_t size = 0;
  row_type left_type = row_type::u32;
  row_type right_type = row_type::u32;
  bool on_host = false;  ///< whether the arrays lie on the host; otherwise in the memory of the call's execution

  row_column left_rows() const { return {left.data(), size, left_type}; }
  row_column right_rows() const { return {right.data(), right.data() == nullptr ? 0 : size, right_type}; }
};

/// Builds an index over the valid keys of a column. The row id of a key is its position in the column, nulls counted.
/// Synchronises. Cost: that of `index::build`, and with validity bits one pass more over the column.
/// @throws as `index::build`
index build_valid(spec const& s, nullable_column keys, execution const& exec);

/// @name Equality
/// Pairs of probes and entries with equal keys.
///
/// The probes are looked up part by part. If no key of the index repeats, and for `semi` and `anti`, this is one
/// `find` or `contains` and one pass that keeps the matches. Otherwise the matches of each probe are counted, the
/// counts are added up, and pairs are written batch by batch (paper 002, section 5). Whether keys of an ordered index
/// repeat is found out once, by one pass over its keys, and remembered.
///
/// Cost per probe: that of `find`, or with repeated keys that of `count`; per pair at most three passes over its row
/// ids. Scratch: up to 40 bytes per probe of a part, and 24 per pair of a batch.
/// @{

/// @param sink gets all pairs
/// @return the number of pairs
/// @throws invalid_argument, out_of_memory, device_error, cancelled; and what the sink throws
std::uint64_t join(index const& right, nullable_column probes, join_kind kind, join_sink const& sink,
                   execution const& exec, join_options const& options = {});

/// The same with all pairs at once. If they do not fit on the device, they are put on the host.
/// @return the pairs; `joined::on_host` says where they lie
/// @throws as above
joined join(index const& right, nullable_column probes, join_kind kind, execution const& exec,
            join_options const& options = {});

/// Joins two columns without an index, by a hash table of load 0.5 over one of them: for `inner` over the shorter one,
/// else over the right one. It is gone when the call returns. The row id of a value is its position. The order of
/// `inner` pairs is that of the column without the table.
/// Cost: that of `build` with HT(open), and of `join`.
/// @throws as `join`
std::uint64_t hash_join(nullable_column left, nullable_column right, join_kind kind, join_sink const& sink,
                        execution const& exec, join_options const& options = {});
joined hash_join(nullable_column left, nullable_column right, join_kind kind, execution const& exec,
                 join_options const& options = {});

/// @}

/// @name Ranges
/// Pairs of probes and entries whose keys lie within the bounds of the probe.
/// @{

enum class bound : std::uint8_t {
  closed,  ///< the bound belongs to the range
  open,    ///< it does not
  absent   ///< the range has no such bound; its column must be empty
};

/// The bounds of ranges, one range per probe. A null bound makes its range match nothing. At least one bound must not
/// be `absent`.
struct range_bounds {
  nullable_column lower;
  nullable_column upper;
  bound lower_is = bound::closed;
  bound upper_is = bound::closed;
};

/// Cost per probe: one or two searches (`lower_bound`, `upper_bound`); per pair as for `join`.
/// @return the number of pairs
/// @throws unsupported without an order; else as `join`
std::uint64_t range_join(index const& right, range_bounds const& bounds, join_kind kind, join_sink const& sink,
                         execution const& exec, join_options const& options = {});
joined range_join(index const& right, range_bounds const& bounds, join_kind kind, execution const& exec,
                  join_options const& options = {});

/// @}

/// @name As-of
/// For each probe the entry with the nearest key.
/// @{

enum class asof_direction : std::uint8_t {
  backward,  ///< the largest key not above the probe
  forward,   ///< the smallest key not below the probe
  nearest    ///< the nearer one of both
};

/// The largest distance of a match, as a number of any type.
class tolerance {
 public:
  template <std::integral Number>
  tolerance(Number number)
      : negative_(number < Number{0}), whole_(static_cast<std::uint64_t>(number)), real_(static_cast<double>(number)) {}
  template <std::floating_point Number>
  tolerance(Number number) : negative_(number < 0), is_real_(true), real_(static_cast<double>(number)) {}

  bool is_real() const noexcept { return is_real_; }
  bool negative() const noexcept { return negative_; }
  std::uint64_t whole() const noexcept { return whole_; }  ///< if it is an integer
  double real() const noexcept { return real_; }

 private:
  bool negative_;
  bool is_real_ = false;
  std::uint64_t whole_ = 0;
  double real_;
};

struct asof_options {
  asof_direction direction = asof_direction::backward;

  /// Whether a key that equals the probe matches.
  bool exact = true;

  /// Matches are at most this far away: |probe - key| <= tolerance. Integers are compared exactly, floats as f64. For
  /// dates it counts days, for timestamps microseconds; the unit is that of the index's keys. Nothing is near NaN but
  /// NaN.
  std::optional<warpdex::tolerance> tolerance = std::nullopt;

  /// `nearest`: whether of two keys that are equally near the later one is taken.
  bool later_at_equal_distance = false;
};

/// rows[i] = the smallest row id of the key that is nearest to probes[i]; `no_row` if there is none. Synchronises as a
/// lookup does.
/// Cost per probe: that of `floor` or `ceil`; of both for `nearest`. With a tolerance, or `nearest`, also a pass over
/// probes, keys and rows.
/// @param rows one row id per probe, of the index's row type
/// @throws unsupported without an order; invalid_argument for a negative tolerance or NaN; else as `floor`
void asof_join(index const& right, nullable_column probes, row_output rows, execution const& exec,
               asof_options const& options = {});

/// The right side of as-of joins within groups: a probe matches only entries of its own group. It may be joined any
/// number of times, by several threads at once.
///
/// Groups and keys are replaced by their ranks among the distinct ones, and both ranks are packed into one u64 key.
/// Memory: at most 3 indexes, over all entries, the distinct keys and the distinct groups.
class asof_index {
 public:
  /// Synchronises. Cost: three sorts of the column.
  /// @param groups the group of each entry
  /// @param keys the key of each entry; its row id is its position. Entries with a null in either column are left out
  /// @throws invalid_argument for columns of unequal length, and for types that have no ordered index (u128)
  /// @throws unsupported if the ranks take more than 64 bits; out_of_memory, device_error
  static asof_index build(nullable_column groups, nullable_column keys, execution const& exec);

  asof_index(asof_index&&) noexcept;
  asof_index& operator=(asof_index&&) noexcept;
  ~asof_index();

  std::uint64_t size() const;  ///< number of entries
  warpdex::row_type row_type() const;
  memory_usage memory() const;  ///< bytes that it holds

  /// As `asof_join`, within groups. Synchronises.
  /// Cost per probe: three searches, for `nearest` five.
  /// @param groups the group of each probe; with a null there is no match
  /// @param probes as long as `groups`
  /// @param rows one row id per probe, of type `row_type()`
  void join(nullable_column groups, nullable_column probes, row_output rows, execution const& exec,
            asof_options const& options = {}) const;

 private:
  struct parts;
  explicit asof_index(std::unique_ptr<parts> built);
  std::unique_ptr<parts> parts_;
};

/// @}

/// @name Plans
/// @{

/// What is known of an equality join before it runs.
struct join_question {
  std::uint64_t left = 0;              ///< probes
  std::uint64_t right = 0;             ///< entries
  key_type keys = key_type::u32;       ///< type of the entries' keys
  double matches_per_probe = 1;        ///< expected
  std::optional<std::string> indexed;  ///< spec of an index over the right side that exists
  std::uint64_t joins = 1;             ///< joins with the same right side; an index is built once for all
  bool left_on_host = false;           ///< whether the probes must be copied to the device
  bool right_on_host = false;          ///< whether the entries must be copied to the device
  bool right_sorted = false;           ///< whether the entries come in key order
  bool wants_order = false;            ///< whether ranges or as-of joins with the same right side will follow
  backend_kind backend = backend_kind::cuda;
};

/// Rates of a machine, in 10^9 per second. The defaults are those of one H200 for u32 keys.
struct join_rates {
  double sorted_keys = 10;     ///< entries per second of a build that sorts
  double hashed_keys = 4;      ///< entries per second of a hash table's build
  double ordered_probes = 40;  ///< probes per second in an ordered index, in windows
  double hashed_probes = 12;   ///< probes per second in a hash table
  double pairs = 25;           ///< pairs written per second
  double copied_bytes = 50;    ///< bytes per second between host and device
};

struct join_plan {
  bool uses_index = false;  ///< whether to join with an index that exists or is kept; otherwise `hash_join`
  std::string spec;         ///< the index to build or to use
  double seconds = 0;       ///< expected for all joins, the build included
  std::string reasons;      ///< one sentence per decision
};

/// Chooses between an existing index, a new ordered index and `hash_join` by their expected times.
/// Cost: no work on any column.
/// @throws invalid_argument for a rate that is not positive
join_plan plan_join(join_question const& question, join_rates const& rates = {});

/// @}

}  // namespace warpdex
