/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef WARPDEX_WARPDEX_H
#define WARPDEX_WARPDEX_H

#include <warpdex/version.hpp>

#include <stdint.h>

/// @file
/// The library for C, and for all languages that call C: extensions of databases, Rust, Java, Julia, Go.
/// docs/guide/c.md has an example. Each function does what the C++ function of its name does; index.hpp and join.hpp
/// tell its cost, and whether it synchronises.
///
/// **Structs** have the same layout in all languages, without padding that is not named. A struct of zeros is valid: an
/// empty column of u32, the CPU with all cores, an inner join.
///
/// **Errors.** A function that can fail returns a code, 0 for success, and takes the place for the text as its last
/// argument: the text cannot be lost to another thread, as one of a thread may where a runtime moves its tasks. A null
/// pointer is no crash but `WARPDEX_INVALID_ARGUMENT`; only a pointer that leads nowhere is. No exception leaves a
/// function. A call that fails has written nothing to its results, and its index is as it was.
///
/// **Threads.** Lookups and joins of one index may run in several threads at once. An update, and `warpdex_free`, must
/// run alone.
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
  WARPDEX_U8 = 64         ///< of answers and of files: bytes
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

/// The probes of a lookup or a join: keys and prefixes as `lower` alone, ranges as both.
typedef struct warpdex_probes {
  warpdex_column lower;    ///< keys, prefixes or lower bounds; empty if those are absent
  warpdex_column upper;    ///< upper bounds; empty if they are absent
  warpdex_column parents;  ///< of the lookup `ancestors` alone: a key per entry, the parent of the key with that row id
  int32_t lower_is;        ///< how lower bounds count
  int32_t upper_is;        ///< how upper bounds count
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

/// An index.
typedef struct warpdex_index warpdex_index;

/// What is known of an index.
typedef struct warpdex_facts {
  char const* spec;  ///< with all choices filled in; valid until the index is updated or freed
  uint64_t size;     ///< number of entries
  uint64_t bytes;    ///< that the index holds
  int32_t key_type;  ///< type of its keys
  int32_t row_type;  ///< type of its row ids
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
enum { WARPDEX_INNER = 0, WARPDEX_LEFT = 1, WARPDEX_SEMI = 2, WARPDEX_ANTI = 3 };

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

/// @return the version of the library, such as "0.1.0"
char const* warpdex_version(void);

/// @return the number of usable CUDA devices; 0 without a driver or without CUDA in the build
int32_t warpdex_device_count(void);

/// Builds an index over a column of keys. Its nulls are left out.
/// @param spec the index, such as "auto" or "B+(16)"
/// @param rows the row ids of the keys, or null for their positions; not with nulls
/// @param built becomes the index, which `warpdex_free` frees
int32_t warpdex_build(char const* spec, warpdex_column const* keys, warpdex_column const* rows,
                      warpdex_execution const* exec, warpdex_index** built, warpdex_error* error);

/// Makes an index over keys that are sorted already and stay the caller's (`index::over_sorted`).
int32_t warpdex_over_sorted(char const* spec, warpdex_column const* keys, warpdex_execution const* exec,
                            warpdex_index** built, warpdex_error* error);

/// Reads an index file. @param map 1: the CPU backend uses the file in place @param check what to check
int32_t warpdex_load(char const* path, int32_t map, int32_t check, warpdex_execution const* exec,
                     warpdex_index** loaded, warpdex_error* error);

/// Reads an index from the bytes of its file, and copies what it needs.
int32_t warpdex_load_bytes(void const* bytes, uint64_t size, int32_t check, warpdex_execution const* exec,
                           warpdex_index** loaded, warpdex_error* error);

/// Writes an index to a file, which it replaces.
int32_t warpdex_save(warpdex_index const* index, char const* path, warpdex_error* error);

/// Returns the bytes of the file as the first array.
int32_t warpdex_save_bytes(warpdex_index const* index, warpdex_result* bytes, warpdex_error* error);

/// Copies an index, also to another backend or device.
int32_t warpdex_clone(warpdex_index const* index, warpdex_execution const* exec, warpdex_index** copied,
                      warpdex_error* error);

/// Frees an index on whatever device it is; all lookups must be complete. Null is no index, and does nothing.
void warpdex_free(warpdex_index* index);

/// Tells what an index is.
int32_t warpdex_describe(warpdex_index const* index, warpdex_facts* facts, warpdex_error* error);

/// Checks all arrays of an index against its entries.
int32_t warpdex_verify(warpdex_index const* index, warpdex_execution const* exec, warpdex_error* error);

/// Runs a lookup that writes answers: contains, find, find_unordered, count, lower_bound, upper_bound, floor, ceil,
/// range_count, range_sum, equal_range, prefix_count, prefix_sum, longest_prefix (the table in lookups.hpp).
/// @param outputs the arrays that the lookup writes, in the order of the table, one element per probe: flags of u8, row
/// ids of the index's row type, ranks, counts and sums of u64, keys of the index's type, positions and lengths of u32.
/// Keys may be left out by an output of zeros
/// @param count number of outputs
int32_t warpdex_look_up(warpdex_index const* index, char const* lookup, warpdex_probes const* probes,
                        warpdex_output const* outputs, uint64_t count, warpdex_execution const* exec,
                        warpdex_error* error);

/// Runs a lookup that lists rows: retrieve, range_retrieve, prefix_retrieve, ancestors. Returns offsets and rows: the
/// rows of probe i are second[first[i]] up to, but not including, second[first[i + 1]].
int32_t warpdex_list(warpdex_index const* index, char const* lookup, warpdex_probes const* probes,
                     warpdex_execution const* exec, warpdex_result* rows, warpdex_error* error);

/// Joins probes with an index. Returns row numbers of probes, and for inner and left joins row ids.
/// @param how null for an inner join on keys
int32_t warpdex_join(warpdex_index const* right, warpdex_probes const* probes, warpdex_join_how const* how,
                     warpdex_execution const* exec, warpdex_result* pairs, warpdex_error* error);

/// The same, in batches that a sink takes one after the other. @param context for the sink alone
int32_t warpdex_join_batches(warpdex_index const* right, warpdex_probes const* probes, warpdex_join_how const* how,
                             warpdex_sink sink, void* context, warpdex_execution const* exec, warpdex_error* error);

/// Writes the row id of the key nearest to each probe, or all bits set. @param how null for the largest key not above
/// it
int32_t warpdex_join_asof(warpdex_index const* right, warpdex_column const* probes, warpdex_asof_how const* how,
                          warpdex_output const* rows, warpdex_execution const* exec, warpdex_error* error);

/// Joins two tables. Both streams are taken over and released, also by a call that fails after it has read them.
/// @param joined becomes a stream of the result, which its consumer releases
int32_t warpdex_join_tables(struct ArrowArrayStream* left, struct ArrowArrayStream* right, warpdex_table_join const* by,
                            warpdex_execution const* exec, struct ArrowArrayStream* joined, warpdex_error* error);

/// Adds to each left row the right row whose key is nearest. Streams are those of `warpdex_join_tables`.
int32_t warpdex_join_asof_tables(struct ArrowArrayStream* left, struct ArrowArrayStream* right,
                                 warpdex_table_asof const* by, warpdex_execution const* exec,
                                 struct ArrowArrayStream* joined, warpdex_error* error);

/// Erases all entries of the keys `erased`, then inserts entries; keys in both cancel each other.
/// @param keys what to insert, or null @param rows their row ids; null if `keys` is
/// @param erased keys, or null @param counts may be null
int32_t warpdex_update(warpdex_index* index, warpdex_column const* keys, warpdex_column const* rows,
                       warpdex_column const* erased, warpdex_execution const* exec, warpdex_counts* counts,
                       warpdex_error* error);

/// Replaces all entries of the keys by the ones given. @param counts may be null
int32_t warpdex_insert_or_assign(warpdex_index* index, warpdex_column const* keys, warpdex_column const* rows,
                                 warpdex_execution const* exec, warpdex_counts* counts, warpdex_error* error);

/// Copies bytes between arrays on the host and on devices.
int32_t warpdex_copy(void* destination, void const* source, uint64_t bytes, warpdex_execution const* exec,
                     warpdex_error* error);

/// Frees the arrays of a result, and makes it empty. A result of zeros is empty; null does nothing.
void warpdex_release(warpdex_result* result);

#ifdef __cplusplus
}
#endif
#endif
