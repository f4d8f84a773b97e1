// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

/// @file
/// Joins of a probe column (the left side) with an index over a key column (the right side). A join goes through the
/// probes in parts, looks each part up, and hands out pairs of row numbers. docs/guide/joins.md has examples.
///
/// **Row numbers.** A left row number is the position of a probe. It has 32 bits if there are fewer than 2^32 - 1
/// probes, else 64. A right one is a row id of the index, of the index's row type.
///
/// **Nulls.** Columns may have validity bits. A null probe matches nothing; left and anti joins list it. Null keys of
/// an index are left out by `build_valid`.
///
/// **Arrays** may be wherever those of lookups may. Host columns of an index on a device are streamed through it. Row
/// outputs must overlap neither columns nor validity bits.
///
/// **Errors.** All joins throw invalid_argument for columns of the wrong type, length or memory, unsupported for an
/// unordered index where an order is needed, out_of_memory, device_error, `cancelled` after a stop request, and what a
/// sink throws. A join that throws has freed all it took; its index stays as it was.
///
/// All joins synchronise.
namespace warpdex {

/// Which rows a join hands out.
enum class join_kind : std::uint8_t {
  inner,  ///< each probe with each of its matches
  left,   ///< the same, and each probe without a match once, with `no_row` on the right
  semi,   ///< each probe that has a match, once
  anti,   ///< each probe that has none
  full,   ///< as `left`, and then each right row without a match, with `no_row` on the left; of two columns alone
};

/// A batch of a join's pairs. The arrays are in the memory of the index's backend, and are valid until the sink
/// returns. Pairs ascend by left row; the pairs of a probe ascend by the key, then the row, of the entry.
struct join_batch {
  row_column left;   ///< left row numbers, one per pair
  row_column right;  ///< as long as `left`; of length 0 for semi and anti joins
};

/// Takes the batches of a join one after the other, on the calling thread. The work that made a batch is complete. The
/// join goes on when the sink returns, so a slow sink holds it back. What the sink throws ends the join. A sink may
/// look up in the index of the join. It must not update it, which throws invalid_argument, nor assign to it or destroy
/// it.
using join_sink = std::function<void(join_batch const&)>;

/// How a join runs.
struct join_options {
  /// Most pairs in a batch; at least 1. Pairs that are collected on a device are a batch per part unless this is
  /// changed.
  std::uint64_t batch_pairs = std::uint64_t{1} << 27;
  std::uint64_t part_probes = std::uint64_t{1} << 27;  ///< most probes in a part; at least 1
  std::stop_token stop = {};  ///< as that of a `stop_scope` (stop.hpp) around the join, for the sink too
  bool keeps_order = false;   ///< whether inner pairs of two columns come in the order of the left one in any case
};

/// All pairs of a join.
struct joined {
  buffer left;                          ///< `size` row numbers
  buffer right;                         ///< `size` row ids; empty for semi and anti joins
  std::uint64_t size = 0;               ///< number of pairs
  row_type left_type = row_type::u32;   ///< type of the left row numbers
  row_type right_type = row_type::u32;  ///< type of the right row ids
  bool on_host = false;                 ///< whether the arrays are in host memory

  /// The left row numbers, valid as long as this object.
  row_column left_rows() const { return {left.data(), size, left_type}; }
  /// The right row ids, valid as long as this object.
  row_column right_rows() const { return {right.data(), right.bytes() == 0 ? 0 : size, right_type}; }
};

/// @name Equality joins
/// @{

/// Joins each probe with the entries whose key equals it, and hands the pairs to a sink (paper 002, section 3).
/// Cost: for an index whose keys do not repeat that of `find` (semi, anti: `contains`) and a pass over the answers;
/// otherwise that of `retrieve` and a pass over the pairs. Whether keys repeat is found out once per state of an index,
/// by a pass over its keys, and by `index::over_sorted` when it checks their order. Scratch: up to 40 bytes per probe
/// of a part, and the pairs of a batch. For an index in shards: that of `count` and of `retrieve`, and the pairs twice.
/// @return the number of pairs
std::uint64_t join(any_index const& right, nullable_column const& probes, join_kind kind, join_sink const& sink,
                   execution const& exec, join_options const& options = {});

/// The same, all pairs at once. They are in `exec.memory`, or on the host if they do not fit there.
joined join(any_index const& right, nullable_column const& probes, join_kind kind, execution const& exec,
            join_options const& options = {});

/// @return whether each key of the index has one entry; false also if there is no memory to find out. Synchronises.
///
/// Cost: once per state of an index a pass over its keys.
bool is_unique(index const& of, execution const& exec);

/// @}

/// @name Range joins
/// @{

/// Joins each range with the entries whose keys are in it. A range with a null bound matches nothing.
/// Cost: two bounds per range, a scan, and a pass over the pairs.
/// @return the number of pairs
/// @throws invalid_argument also if there is no bound, or the columns of bounds differ in length; unsupported for an
/// index without an order
std::uint64_t join_between(any_index const& right, key_ranges const& ranges, join_kind kind, join_sink const& sink,
                           execution const& exec, join_options const& options = {});

/// The same, all pairs at once.
joined join_between(any_index const& right, key_ranges const& ranges, join_kind kind, execution const& exec,
                    join_options const& options = {});

/// The same within groups: range i is joined with the entries of its group that are in it. Without bounds that is the
/// whole group. Cost: as above, and that of `grouped_index::place_ranges`.
std::uint64_t join_between(grouped_index const& right, nullable_column const& groups, key_ranges const& ranges,
                           join_kind kind, join_sink const& sink, execution const& exec,
                           join_options const& options = {});
/// The same, all pairs at once.
joined join_between(grouped_index const& right, nullable_column const& groups, key_ranges const& ranges, join_kind kind,
                    execution const& exec, join_options const& options = {});

/// @}

/// @name As-of joins
/// @{

/// Where an as-of join looks for the nearest key.
enum class asof_strategy : std::uint8_t {
  backward,  ///< the largest key not above the probe
  forward,   ///< the smallest key not below the probe
  nearest,   ///< the one of both that is nearer
};

/// Which key matches if one below the probe and one above it are equally near.
enum class asof_preference : std::uint8_t {
  earlier,  ///< the one below, as in pandas
  later,    ///< the one above, as in Polars
};

/// Which row matches of several with the same key.
enum class asof_ties : std::uint8_t {
  first,     ///< the smallest row id
  last,      ///< the largest one
  adjacent,  ///< the one next to the probe: the largest of a key not above it, the smallest of one not below it
};

/// The largest distance of a match, in units of the keys: seconds of a number of seconds, days of dates, microseconds
/// of timestamps. For integers and the calendar it is an integer, compared exactly; for floats a double.
using asof_tolerance = std::variant<std::int64_t, double>;

/// What an as-of join counts as a match.
struct asof_options {
  asof_strategy strategy = asof_strategy::backward;        ///< where it looks
  bool allow_exact_matches = true;                         ///< whether a key that equals the probe matches
  std::optional<asof_tolerance> tolerance = std::nullopt;  ///< not negative, not NaN
  asof_preference prefer = asof_preference::earlier;       ///< which key matches at equal distance
  asof_ties ties = asof_ties::first;                       ///< which row matches of several with the same key

  /// If not empty, the join is made once per offset, over the sums of the probes and the offset. An offset has the unit
  /// of the probes: seconds, days, microseconds. For integers and the calendar it is an integer. The rows of one offset
  /// come after those of the one before, so there are `offsets.size()` times as many rows as probes. A probe whose sum
  /// is beyond its type matches nothing. Only for outputs of rows.
  std::vector<asof_tolerance> offsets = {};

  /// If not empty, the largest distance of each probe's match, in the place of `tolerance`: of type i64 or f64, in
  /// units of the keys, none negative or NaN. A probe with a null has no match. Only for outputs of rows.
  nullable_column tolerances = {};

  /// If not 0, a distance up to that part of |probe| is within the tolerance too: the larger one of both counts, or
  /// this one alone. 2e-5 is 20 ppm. It is a product of doubles, of integers rounded down.
  double relative = 0;
};

/// rows[i] = the row id of the key that is nearest to probe i by the strategy, or `no_row`; of equal keys the smallest
/// one, unless `options` say otherwise.
/// Synchronises if the index is on a device and the probes, their validity or the rows are on the host. The first join
/// for largest row ids also waits to find out whether keys repeat at all (`is_unique`), unless it has few probes or a
/// graph records its stream.
/// Cost: one search per probe, if probes and keys are of one integer type or times of one type, and equal keys match.
/// Else one `floor` or `ceil`, for `nearest` both; keys are read too if distances matter. For the largest row id of
/// keys that repeat an upper bound takes the place of `floor`, and two bounds that of `ceil`.
/// @param rows one row id per probe and offset, of the index's row type; in the memory of the index's backend or on the
/// host
/// @throws unsupported for an index without an order, and for strings, which have no distances, if the strategy is
/// `nearest`, or there is a tolerance or an offset; for offsets of u128; invalid_argument also for a tolerance that is
/// negative or NaN, and for an offset that is NaN, or no integer where one is needed
void join_asof(any_index const& right, nullable_column const& probes, row_output rows, execution const& exec,
               asof_options const& options = {});

/// The same with all rows of the nearest key: hands each probe with each of them to a sink. `ties` do not
/// count. Cost: as above, and if keys repeat that of `retrieve` and a pass over the pairs.
/// @return the number of pairs
/// @throws as above; unsupported for offsets and `join_kind::full`, and for strings in shards
std::uint64_t join_asof(any_index const& right, nullable_column const& probes, join_kind kind, join_sink const& sink,
                        execution const& exec, asof_options const& options = {}, join_options const& parts = {});

/// The same, all pairs at once.
joined join_asof(any_index const& right, nullable_column const& probes, join_kind kind, execution const& exec,
                 asof_options const& options = {}, join_options const& parts = {});

/// The same without an index, for two columns that ascend: one pass over both finds all matches. Row ids are positions
/// in `right`. Synchronises. Cost: a pass over each column that checks its order, and one that merges them; a left
/// column that is much shorter skips most of the right one in the second.
/// @param left of a numeric type of at most 8 bytes @param right of the same type
/// @param rows one row id per left value and offset
/// @return whether both columns ascend; otherwise nothing is written
/// @throws unsupported for other types; invalid_argument also if `rows` cannot number the right side, or overlaps a
/// column
bool asof_merge(column left, column right, row_output rows, execution const& exec, asof_options const& options = {});

/// The same within groups: only right rows of a left row's group match. Row ids are positions in `right`, as of
/// a `grouped_index`. Cost on the CPU: as above, and two passes over the groups, which are numbered by their codes. One
/// row per group is kept at a time. On a device: a `grouped_index` and a join with it.
/// @param left_groups of a numeric type of at most 8 bytes, as long as `left`
/// @param right_groups of the same type, as long as `right`
/// @return whether both columns ascend, and on the CPU the codes of the right groups are at most as far apart as there
/// are rows, or 2^16; otherwise nothing is written
/// @throws as above
bool asof_merge(column left_groups, column left, column right_groups, column right, row_output rows,
                execution const& exec, asof_options const& options = {});

/// rows[i] = the row of the nearest key in the group of probe i as above, or `no_row`. A null group or probe matches
/// nothing. Synchronises. Cost: as above, and that of places (`grouped_index`).
/// @param groups comparable with those of the index @param probes the same, equally many
/// @param rows one row id per probe and offset
/// @throws as above
void join_asof(grouped_index const& right, nullable_column const& groups, nullable_column const& probes,
               row_output rows, execution const& exec, asof_options const& options = {});

/// The same with all rows of the nearest key.
std::uint64_t join_asof(grouped_index const& right, nullable_column const& groups, nullable_column const& probes,
                        join_kind kind, join_sink const& sink, execution const& exec, asof_options const& options = {},
                        join_options const& parts = {});
/// The same, all pairs at once.
joined join_asof(grouped_index const& right, nullable_column const& groups, nullable_column const& probes,
                 join_kind kind, execution const& exec, asof_options const& options = {},
                 join_options const& parts = {});

/// @}

/// @name Joins without an index
/// @{

/// Joins two columns by a hash table, `HT(open,load=0.5)` with all rows of a key, through which the other column is
/// streamed (paper 002, section 3.2). The table of strings is over their hashes under a random seed; strings that meet
/// in a hash are compared, and both columns of strings are brought within reach as a whole. Inner joins build it over
/// the shorter column, and their pairs come in the order of the longer one. Left, semi and anti joins list each left
/// row at most once per match, so they build it over the right column, however long that is, and stream the left one.
/// Cost: the build of the table, and an equality join with it.
/// @return the number of pairs
std::uint64_t hash_join(nullable_column const& left, nullable_column const& right, join_kind kind,
                        join_sink const& sink, execution const& exec, join_options const& options = {});

/// The same, all pairs at once.
joined hash_join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
                 join_options const& options = {});

/// Joins two columns that ascend. Nothing is built: the right column is searched in place as by `index::over_sorted`,
/// and left values in order find their places in it without a search from the top. Pairs come in the order of the left
/// column. A left column that does not ascend has the same pairs, at the cost of random probes. Cost: a pass over the
/// right column that checks its order, and one over both sides. A right column is copied first if it has nulls, a sign,
/// floats or times, is not aligned to 16 bytes, or is in pageable host memory while `exec` is of a device.
/// @param left of a numeric type of at most 8 bytes @param right the same
/// @return the number of pairs
/// @throws invalid_argument for a right column without nulls that does not ascend, and names the first position
std::uint64_t merge_join(nullable_column const& left, nullable_column const& right, join_kind kind,
                         join_sink const& sink, execution const& exec, join_options const& options = {});

/// The same, all pairs at once.
joined merge_join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
                  join_options const& options = {});

/// Joins two columns: by `merge_join` if both are numbers without nulls that ascend, else by `hash_join`. Cost: that of
/// the join, and up to a pass over each column that looks at its order.
std::uint64_t join(nullable_column const& left, nullable_column const& right, join_kind kind, join_sink const& sink,
                   execution const& exec, join_options const& options = {});

/// The same, all pairs at once.
joined join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
            join_options const& options = {});

/// rows[i] = the smallest position in `right` whose value equals left value i, or `no_row`. Equal values have equal
/// rows, so rows are numbers of values: of `left` those of the values of `right`, and of `right` itself those of its
/// own. A null matches nothing. Synchronises. Cost: the build of a table as in `hash_join`, and one `find` per left
/// value.
/// @param left of a type that can be compared with that of the other @param right the other column
/// @param rows one row id per left value
/// @param right_rows if given, gets the same of the right values, by the same table
/// @throws invalid_argument also if `rows` cannot number the right side, or overlaps a column
void first_match(nullable_column const& left, nullable_column const& right, row_output rows, execution const& exec,
                 std::optional<row_output> right_rows = std::nullopt);

/// @}

/// @name Plans
/// @{

/// What is known of equality joins before they run.
struct join_question {
  std::uint64_t left = 0;                              ///< probes per join
  std::uint64_t right = 0;                             ///< entries
  std::size_t key_bytes = 4;                           ///< bytes per key, on both sides
  double matches = 1;                                  ///< expected pairs per probe
  std::uint64_t joins = 1;                             ///< joins with the same right side
  std::optional<std::string> existing = std::nullopt;  ///< spec of an index over the right side that exists
  bool existing_on_host = false;                       ///< whether that index searches keys in host memory
  bool left_on_host = false;                           ///< whether probes are copied to the device
  bool right_on_host = false;                          ///< whether keys of the right side are copied to the device
  bool right_sorted = false;                           ///< whether `index::over_sorted` can search them in place
  bool left_sorted = false;                            ///< whether probes ascend
  std::uint64_t room = ~std::uint64_t{0};              ///< bytes of device memory for an index
  bool wants_order = false;                            ///< whether ranges or as-of joins with it will follow
  join_kind kind = join_kind::inner;                   ///< decides over which side `hash_join` builds its table
};

/// Rates of a machine, in 10^9 per second.
struct join_rates {
  double built_ordered = 0;   ///< keys built into the ordered index
  double built_hashed = 0;    ///< keys built into the hash table
  double probed_ordered = 0;  ///< probes of the ordered index
  double probed_hashed = 0;   ///< probes of the hash table
  double pairs = 0;           ///< pairs written
  double bytes = 0;           ///< bytes copied between host and device
  double lines = 0;           ///< probes in windows that each read a line of 128 bytes of host memory
  double merged = 0;          ///< values of both sides in a `merge_join`, or searched in order
};

/// Measures the rates of this machine and the memory of `exec`: builds, joins and copies of 2^24 random u64 keys, 2^20
/// on the CPU backend. Rates of u32 keys are about twice as high. Synchronises. Cost: about a second, so keep the
/// result; 2 GiB of device memory and 256 MiB of page-locked memory, or 64 MiB for the CPU.
/// @throws out_of_memory, device_error
join_rates measured_rates(execution const& exec);

/// How to run the joins of a question.
struct join_plan {
  /// A way to run equality joins.
  enum class method : std::uint8_t {
    existing,  ///< `join` with the index that exists
    build,     ///< `build_valid` with `spec` once, then `join`; the spec may place pairs in host memory
    borrow,    ///< `index::over_sorted` with `spec` over the column in place once, then `join`
    copy,      ///< the same over a copy of the column on the device
    hash,      ///< `hash_join` for each
    merge,     ///< `merge_join` for each
  };
  method by = method::hash;  ///< the method that is expected to take the least time
  std::string spec;          ///< of the index
  double seconds = 0;        ///< expected for all joins, with what is built for them
  std::string reasons;       ///< the expected seconds of each method that was considered
};

/// Chooses the method that is expected to take the least time. While probes are searched the next ones are copied, so
/// a join takes the longer of both. Probes of keys in host memory take the time of a copy of all keys or, if that is
/// less, of a line of 128 bytes each; before that they are partitioned on the device. An index that exceeds `room` is
/// not considered, but with its pairs in page-locked host memory (`/pairs=host`). Cost: none; no column is read.
/// @throws invalid_argument for a rate that is not above 0; out_of_memory if not even what leads to such pairs fits
join_plan plan_join(join_question const& question, join_rates const& rates);

/// @}

/// Builds an index over the valid keys of a column. Row ids are positions in the column. Synchronises.
/// Cost: that of `index::build`, and for columns with nulls a pass over the column.
/// @throws as `index::build`
index build_valid(spec const& s, nullable_column const& keys, execution const& exec);

}  // namespace warpdex
