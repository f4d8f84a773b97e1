/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef WARPDEX_WARPDEX_TYPES_H
#define WARPDEX_WARPDEX_TYPES_H

#include <stdint.h>

/// @file
/// The structs and the enumerations of warpdex.h, which includes this file.
#ifdef __cplusplus
extern "C" {
#endif

/// What a call returns: the kinds of error.hpp.
enum {
  WARPDEX_OK = 0,
  WARPDEX_INVALID_ARGUMENT = 1,
  WARPDEX_SPEC_ERROR = 2,
  WARPDEX_UNSUPPORTED = 3,
  WARPDEX_OUT_OF_MEMORY = 4,
  WARPDEX_DEVICE_ERROR = 5,
  WARPDEX_IO_ERROR = 6,
  WARPDEX_FORMAT_ERROR = 7,
  WARPDEX_CANCELLED = 8,      ///< a sink has ended its join
  WARPDEX_INTERNAL_ERROR = 9  ///< none of these: a fault of the library
};

/// The place for what a call says of its failure. It is the caller's, and needs no initial value.
typedef struct warpdex_error {
  int32_t code;     ///< what the call returns, too
  char text[1020];  ///< ends with a zero; a longer text is cut. Empty after success
} warpdex_error;

/// Types of elements. Keys are of one of the first ten, row ids of u32 or u64.
enum {
  WARPDEX_U32 = 0,
  WARPDEX_U64 = 1,
  WARPDEX_I32 = 2,
  WARPDEX_I64 = 3,
  WARPDEX_F32 = 4,
  WARPDEX_F64 = 5,
  WARPDEX_DATE = 6,       ///< 32 bits: days since 1970-01-01
  WARPDEX_TIMESTAMP = 7,  ///< 64 bits: microseconds since then
  WARPDEX_U128 = 8,       ///< 16 bytes, little-endian
  WARPDEX_BYTES = 9,      ///< strings
  WARPDEX_U8 = 64,        ///< of answers, lengths and files: bytes
  WARPDEX_I128 = 65       ///< of sums of integers: 16 bytes, little-endian, with a sign
};

/// Keys, or row ids, that a call reads. The arrays are on the host, or on the device of the call.
typedef struct warpdex_column {
  void const* data;          ///< the elements; of strings their bytes
  uint64_t size;             ///< number of elements
  int32_t type;              ///< of an element
  uint32_t offset_bytes;     ///< of strings: 4 or 8, or 0 without offsets
  void const* offsets;       ///< of strings: size + 1 numbers; string i is the bytes from offsets[i] to offsets[i + 1]
  uint64_t bytes;            ///< of strings: number of bytes at `data`
  uint8_t const* validity;   ///< bit number (validity_offset + i) is 1 if element i is no null; null: all are valid
  uint64_t validity_offset;  ///< of the first element
  uint32_t stride;           ///< of strings without offsets: bytes of each
  uint32_t reserved;         ///< 0
} warpdex_column;

/// An array that a call writes.
typedef struct warpdex_output {
  void* data;        ///< where the elements go; null to leave keys out
  uint64_t size;     ///< number of elements
  int32_t type;      ///< of an element
  int32_t reserved;  ///< 0
} warpdex_output;

/// How a bound of ranges counts.
enum { WARPDEX_CLOSED = 0, WARPDEX_OPEN = 1, WARPDEX_ABSENT = 2 };

/// The probes of a lookup or a join: keys and prefixes as `lower` alone, ranges as both. Of intervals points as `lower`
/// alone, starts and ends as both; of networks addresses, and lengths of u8 as `upper` if they are networks too.
typedef struct warpdex_probes {
  warpdex_column lower;  ///< keys, prefixes, points or lower bounds; empty if those are absent
  warpdex_column upper;  ///< upper bounds, ends or lengths; empty if they are absent
  union {
    warpdex_column parents;  ///< of the lookup `ancestors`: a key per entry, the parent of the key with that row id
    warpdex_column groups;   ///< of grouped indexes, and of intervals that have groups: the group of each probe
  };
  union {
    int32_t lower_is;         ///< how lower bounds count
    int32_t invalid_is_null;  ///< of networks: 1 if a text that is no address matches nothing; 0 if it is an error
  };
  int32_t upper_is;  ///< how upper bounds count
} warpdex_probes;

/// What runs a call.
enum { WARPDEX_CPU = 0, WARPDEX_CUDA = 1 };

/// Where a call runs. A null pointer in its place is the CPU with all cores, and for a call with an index the place of
/// the index, on a device with the default stream.
typedef struct warpdex_execution {
  int32_t backend;   ///< WARPDEX_CPU or WARPDEX_CUDA; that of the index, if there is one
  int32_t device;    ///< ordinal of the CUDA device
  void* stream;      ///< a `cudaStream_t` of that device, or null for the default stream
  int32_t threads;   ///< most threads on the CPU; 0: all cores
  int32_t reserved;  ///< 0
} warpdex_execution;

/// Two arrays that a call returns, complete. Free them with `warpdex_release`, while the stream of the call exists.
typedef struct warpdex_result {
  void const* first;     ///< the first array
  void const* second;    ///< the second array; null if the call returns one
  uint64_t first_size;   ///< number of elements
  uint64_t second_size;  ///< number of its elements
  int32_t first_type;    ///< type of its elements
  int32_t second_type;   ///< type of its elements
  int32_t backend;  ///< WARPDEX_CPU: the arrays are on the host. Pairs for which a device has no room are there too
  int32_t device;   ///< of arrays on a device
  void* owner;      ///< of the arrays
} warpdex_result;

/// An index of any kind. A call refuses the kinds that it is not for with WARPDEX_UNSUPPORTED.
typedef struct warpdex_index warpdex_index;

/// The kinds: the classes of C++ that have these names.
enum {
  WARPDEX_INDEX = 0,
  WARPDEX_SHARDED = 1,
  WARPDEX_GROUPED = 2,
  WARPDEX_INTERVALS = 3,
  WARPDEX_NETWORKS = 4,
  WARPDEX_AGGREGATES = 5,
  WARPDEX_SET = 6,       ///< `key_set`
  WARPDEX_QUANTILES = 7  ///< `range_quantiles`
};

/// What is known of an index.
typedef struct warpdex_facts {
  char const* spec;  ///< with all choices filled in; valid until the index is updated or freed. "plain" or "compressed"
                     ///< of a set, "" of other kinds
  uint64_t size;     ///< number of entries
  uint64_t bytes;    ///< that the index holds
  int32_t
      key_type;  ///< type of its keys; of aggregates that of their sums, WARPDEX_I128 or WARPDEX_F64; of quantiles 0
  int32_t row_type;  ///< type of its row ids; of quantiles and sets without rows 0
  int32_t backend;   ///< WARPDEX_CPU or WARPDEX_CUDA
  int32_t ordered;   ///< 1 if it answers bounds, floor and ranges
} warpdex_facts;

/// What an update changed: numbers of entries, and of keys that were both inserted and erased.
typedef struct warpdex_counts {
  uint64_t inserted;   ///< entries added
  uint64_t erased;     ///< entries removed
  uint64_t cancelled;  ///< distinct keys that were both inserted and erased
} warpdex_counts;

/// What to check of a file (`check` in types.hpp).
enum { WARPDEX_CHECK_ALL = 0, WARPDEX_CHECK_STRUCTURE = 1, WARPDEX_CHECK_NONE = 2 };

/// Which rows a join returns (`join_kind` in join.hpp).
enum { WARPDEX_INNER = 0, WARPDEX_LEFT = 1, WARPDEX_SEMI = 2, WARPDEX_ANTI = 3, WARPDEX_FULL = 4 };

/// By what a join finds matches: keys that equal a probe, or keys in a range.
enum { WARPDEX_ON_KEYS = 0, WARPDEX_ON_RANGES = 1 };

/// A join of probes with the entries of an index.
typedef struct warpdex_join_how {
  int32_t kind;          ///< which rows it returns, such as WARPDEX_INNER
  int32_t on;            ///< WARPDEX_ON_KEYS or WARPDEX_ON_RANGES
  uint64_t batch_pairs;  ///< most pairs in a batch of a sink; 0: the library's choice
} warpdex_join_how;

/// Takes a batch of pairs: `first` has row numbers of probes, `second` row ids, or nothing for semi and anti joins. The
/// arrays are the library's, and valid until the sink returns.
/// @return 0 to go on, another number to end the join with WARPDEX_CANCELLED
typedef int32_t (*warpdex_sink)(void* context, warpdex_result const* batch);

/// Where an as-of join looks for the nearest key.
enum { WARPDEX_BACKWARD = 0, WARPDEX_FORWARD = 1, WARPDEX_NEAREST = 2 };

/// Which key matches at equal distance (`asof_preference` in join.hpp).
enum { WARPDEX_EARLIER = 0, WARPDEX_LATER = 1 };

/// Which row matches of several with the same key (`asof_ties` in join.hpp).
enum { WARPDEX_TIES_FIRST = 1, WARPDEX_TIES_LAST = 2, WARPDEX_TIES_ADJACENT = 3 };

/// How an as-of join finds matches (`asof_options` in join.hpp).
typedef struct warpdex_asof_how {
  int32_t strategy;                ///< WARPDEX_BACKWARD, WARPDEX_FORWARD or WARPDEX_NEAREST
  int32_t disallow_exact_matches;  ///< 1: a key that equals the probe does not match
  int32_t prefer;                  ///< at equal distance: WARPDEX_EARLIER or WARPDEX_LATER
  int32_t ties;                    ///< of equal keys: WARPDEX_TIES_FIRST and so on; 0: as in C++ by default
  int32_t has_tolerance;  ///< 1: matches are at most `tolerance` away, 2: at most `tolerance_f64`; 0: at any distance
  int64_t tolerance;      ///< of integers, dates and timestamps, in their units
  double tolerance_f64;   ///< of floats
} warpdex_asof_how;

/// How an as-of join finds matches, with all that `asof_options` has.
typedef struct warpdex_asof_options {
  warpdex_asof_how how;       ///< what most joins need
  double relative;            ///< not 0: matches may also be so far away, as a part of the probe
  warpdex_column tolerances;  ///< of i64 or f64, one per probe, in the place of one tolerance; zeros for none
  int64_t const* offsets;     ///< added to the probes, one answer after the other; null for none, or if they are f64
  double const* offsets_f64;  ///< the same as floats
  uint64_t offset_count;      ///< number of offsets
} warpdex_asof_options;

/// By what a join of two columns runs.
enum { WARPDEX_BY_ORDER_OR_HASH = 0, WARPDEX_BY_HASH = 1, WARPDEX_BY_ORDER = 2 };

/// A stream of batches of Arrow's C interface, whose own header declares it.
struct ArrowArrayStream;

/// Which rows a join of tables has (`join_how` in table.hpp).
enum {
  WARPDEX_TABLE_INNER = 0,
  WARPDEX_TABLE_LEFT = 1,
  WARPDEX_TABLE_RIGHT = 2,
  WARPDEX_TABLE_FULL = 3,
  WARPDEX_TABLE_SEMI = 4,
  WARPDEX_TABLE_ANTI = 5
};

/// A join of tables on equality (`table_join` in table.hpp).
typedef struct warpdex_table_join {
  char const* const* left_on;   ///< names of key columns of the left side
  char const* const* right_on;  ///< as many of the right side; null if they have the same names
  uint64_t count;               ///< number of key columns
  char const* suffix;           ///< for names that both sides have; null for "_right"
  int32_t how;                  ///< which rows there are, such as WARPDEX_TABLE_INNER
  int32_t nulls_equal;          ///< 1: nulls match each other
  int32_t keep_keys;            ///< 1: key columns of both sides stay
  int32_t reserved;             ///< 0
} warpdex_table_join;

/// An as-of join of tables (`table_asof` in table.hpp).
typedef struct warpdex_table_asof {
  char const* left_on;          ///< key column of the left side
  char const* right_on;         ///< of the right side; null if it has the same name
  char const* const* left_by;   ///< columns that must be equal
  char const* const* right_by;  ///< as many of the right side; null if they have the same names
  uint64_t count;               ///< number of columns that must be equal
  char const* suffix;           ///< for names that both sides have; null for "_right"
  warpdex_asof_how how;         ///< which row is nearest
} warpdex_table_asof;

/// A join of tables on ranges (`table_between` in table.hpp).
typedef struct warpdex_table_between {
  char const* lower;            ///< column of the left side: where a row's range begins
  char const* upper;            ///< where it ends
  char const* right_on;         ///< key column of the right side
  char const* const* left_by;   ///< columns that must be equal
  char const* const* right_by;  ///< as many of the right side; null if they have the same names
  uint64_t count;               ///< number of columns that must be equal
  char const* suffix;           ///< for names that both sides have; null for "_right"
  int32_t closed;               ///< which ends belong to the ranges, such as WARPDEX_CLOSED_BOTH
  int32_t kind;                 ///< which rows there are: WARPDEX_INNER, _LEFT, _SEMI or _ANTI
} warpdex_table_between;

/// What is found of the right rows in a window (`window_aggregate` in table.hpp).
enum {
  WARPDEX_WINDOW_COUNT = 0,
  WARPDEX_WINDOW_SUM = 1,
  WARPDEX_WINDOW_MEAN = 2,
  WARPDEX_WINDOW_STD = 3,
  WARPDEX_WINDOW_FIRST = 4,
  WARPDEX_WINDOW_LAST = 5,
  WARPDEX_WINDOW_MIN = 6,
  WARPDEX_WINDOW_MAX = 7,
  WARPDEX_WINDOW_QUANTILE = 8
};

/// A column of a window join's result (`window_value` in table.hpp).
typedef struct warpdex_window_value {
  char const* column;  ///< of the right side; null to count rows
  char const* name;    ///< of the new column; null for that of C++
  double quantile;     ///< of WARPDEX_WINDOW_QUANTILE, from 0 to 1
  int32_t aggregate;   ///< such as WARPDEX_WINDOW_SUM
  int32_t reserved;    ///< 0
} warpdex_window_value;

/// A window join of tables (`table_window` in table.hpp).
typedef struct warpdex_table_window {
  char const* left_on;                 ///< key column of the left side
  char const* right_on;                ///< of the right side; null if it has the same name
  char const* const* left_by;          ///< columns that must be equal
  char const* const* right_by;         ///< as many of the right side; null if they have the same names
  uint64_t count;                      ///< number of columns that must be equal
  warpdex_window_value const* values;  ///< the columns that are added
  uint64_t value_count;                ///< number of columns that are added
  char const* suffix;                  ///< for names that both sides have; null for "_right"
  int64_t before;                      ///< how far before its key a window begins: of integers and times, in their unit
  int64_t after;                       ///< how far after it the window ends
  double before_f64;                   ///< the same of floats
  double after_f64;                    ///< the same of floats
  int32_t is_f64;                      ///< 1: `before_f64` and `after_f64` count
  int32_t closed;                      ///< which ends belong to the windows, such as WARPDEX_CLOSED_BOTH
} warpdex_table_window;

/// Which ends belong to intervals or ranges (`closed_ends` in column.hpp).
enum { WARPDEX_CLOSED_BOTH = 0, WARPDEX_CLOSED_LEFT = 1, WARPDEX_CLOSED_RIGHT = 2, WARPDEX_CLOSED_NONE = 3 };

/// How intervals match.
typedef struct warpdex_interval_how {
  int32_t closed;           ///< which ends belong to the intervals
  int32_t has_min_overlap;  ///< 1: matches have at least `min_overlap` in common, 2: at least `min_overlap_f64`
  int64_t min_overlap;      ///< of integers, dates and timestamps, in their units
  double min_overlap_f64;   ///< of floats
} warpdex_interval_how;

/// Which intervals `warpdex_nearest` lists after those that match (`interval_side` in intervals.hpp).
enum { WARPDEX_SIDE_BOTH = 0, WARPDEX_SIDE_BEFORE = 1, WARPDEX_SIDE_AFTER = 2 };

/// How networks are built.
typedef struct warpdex_network_how {
  char const* spec;         ///< of the indexes over borders; null for "AO+BS"
  int32_t mask_host_bits;   ///< 1: bits after the length of a network are cleared; 0: they are an error
  int32_t invalid_is_null;  ///< 1: what is no network has a row and matches nothing; 0: it is an error
} warpdex_network_how;

/// Where the keys of a sharded index are (`placement` in sharded.hpp).
enum { WARPDEX_REPLICATE = 0, WARPDEX_RANGE = 1, WARPDEX_AUTOMATIC = 2 };

/// The shards of an index.
typedef struct warpdex_shards_how {
  warpdex_execution const* places;  ///< where they are: no device twice; the CPU may occur several times
  uint64_t count;                   ///< number of places
  int32_t placement;                ///< such as WARPDEX_RANGE; of a folder that is read that of the folder
  uint32_t shards;                  ///< number of shards of WARPDEX_RANGE; 0: one per place
} warpdex_shards_how;

/// A change of an index. One of a set has keys that come or keys that go, and no rows.
typedef struct warpdex_change {
  warpdex_column const* keys;           ///< to insert, or null
  warpdex_column const* rows;           ///< their row ids, of the index's row type; null if `keys` is
  warpdex_column const* erased;         ///< keys to erase before, or null; keys in both columns cancel each other
  warpdex_column const* groups;         ///< of grouped indexes: the groups of `keys`
  warpdex_column const* erased_groups;  ///< of grouped indexes: those of `erased`
  int32_t assigns;                      ///< 1: all entries of `keys` are erased, and `erased` is null
  int32_t reserved;                     ///< 0
} warpdex_change;

/// What aggregates know of their values (`moments` in range_aggregates.hpp).
enum { WARPDEX_MOMENTS_FIRST = 0, WARPDEX_MOMENTS_SECOND = 1, WARPDEX_MOMENTS_SUMS = 2 };

/// A number of 16 bytes with a sign.
typedef struct warpdex_i128 {
  uint64_t low;  ///< its lower 64 bits
  int64_t high;  ///< its upper ones
} warpdex_i128;

/// What is known of integers of some rows (`aggregate` in range_aggregates.hpp). Arrays of it begin at a multiple
/// of 16.
typedef struct warpdex_aggregate_i128 {
  warpdex_i128 sum;  ///< sum of the values
  warpdex_i128 min;  ///< 0 without values, and of aggregates of sums alone
  warpdex_i128 max;  ///< the same
  uint64_t count;    ///< number of values that are not null
  double m2;         ///< sum of (value - mean)^2; 0 without the second moments
} warpdex_aggregate_i128;

/// The same of floating numbers.
typedef struct warpdex_aggregate_f64 {
  double sum;      ///< sum of the values
  double min;      ///< 0 without values, and of aggregates of sums alone
  double max;      ///< the same
  uint64_t count;  ///< number of values that are not null
  double m2;       ///< sum of (value - mean)^2; 0 without the second moments
} warpdex_aggregate_f64;

/// Which value is taken if a quantile is between two of them (`quantile_side` in range_quantiles.hpp).
enum { WARPDEX_QUANTILE_LOWER = 0, WARPDEX_QUANTILE_HIGHER = 1, WARPDEX_QUANTILE_NEAREST = 2 };

/// How the keys of a set are in memory (`set_code` in key_set.hpp).
enum { WARPDEX_CODE_AUTOMATIC = 0, WARPDEX_CODE_PLAIN = 1, WARPDEX_CODE_COMPRESSED = 2 };

/// How a set is built of batches (`set_build_options` in key_set.hpp).
typedef struct warpdex_set_how {
  uint64_t memory;     ///< most bytes of keys and scratch; 0: the library's choice
  char const* folder;  ///< of files; null: the system's folder for temporary files
  int32_t key_type;    ///< of all batches
  int32_t code;        ///< such as WARPDEX_CODE_AUTOMATIC
  int32_t map;         ///< 1: a set of keys that were written to files uses one in place
  int32_t rows;        ///< 1: the source gives a column of rows after each batch, which stays until then
} warpdex_set_how;

/// Gives the next batch of a build, whose arrays are valid until the next call, and if rows come after it until that
/// one is over.
/// @return 1 with a batch, 0 at the end, another number to end the build with WARPDEX_CANCELLED
typedef int32_t (*warpdex_source)(void* context, warpdex_column* batch);

/// Which keys of two sets `warpdex_combine_sets` takes: those of either, of both, or of the left one alone.
enum { WARPDEX_UNION = 0, WARPDEX_INTERSECTION = 1, WARPDEX_DIFFERENCE = 2 };

/// Which row of several with one key is kept (`keep_row` in distinct.hpp).
enum { WARPDEX_KEEP_FIRST = 0, WARPDEX_KEEP_LAST = 1, WARPDEX_KEEP_NONE = 2 };

/// What `warpdex_change_marks` does with marks: none, all, those that were not; and with others `mark_operation`.
enum {
  WARPDEX_MARKS_NONE = 0,
  WARPDEX_MARKS_ALL = 1,
  WARPDEX_MARKS_INVERT = 2,
  WARPDEX_MARKS_BOTH = 3,
  WARPDEX_MARKS_EITHER = 4,
  WARPDEX_MARKS_WITHOUT = 5
};

/// One field of a tuple (`key_field` in key_encoder.hpp).
typedef struct warpdex_field {
  int32_t type;        ///< of the field's column
  int32_t descending;  ///< 1: larger values come first
  int32_t nullable;    ///< 1: values may be null
  int32_t nulls_last;  ///< 1: nulls come after all values
} warpdex_field;

/// Makes keys of tuples, and tuples of keys (`key_encoder`).
typedef struct warpdex_encoder warpdex_encoder;

/// Tells how far calls are, and stops them. All its functions but `warpdex_control_free` may be called by any thread.
typedef struct warpdex_control warpdex_control;

#ifdef __cplusplus
}
#endif
#endif
