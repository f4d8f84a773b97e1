/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef WARPDEX_WARPDEX_H
#define WARPDEX_WARPDEX_H

#include <warpdex/warpdex_types.h>
#include <warpdex/version.hpp>

#include <stdint.h>

/// @file
/// The library for C, and for all languages that call C: extensions of databases, Rust, Java, Julia, Go.
/// docs/guide/c.md has an example. Each function does what the C++ function of its name does, whose header tells its
/// cost, and whether it synchronises.
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

/// Builds an index of keys within groups. Rows with a null are left out. Several columns of groups become one by
/// `warpdex_encode`.
int32_t warpdex_build_grouped(char const* spec, warpdex_column const* groups, warpdex_column const* keys,
                              warpdex_execution const* exec, warpdex_index** built, warpdex_error* error);

/// Builds intervals. Rows with a null are left out.
/// @param groups null for none @param how null: both ends belong to them
int32_t warpdex_build_intervals(warpdex_column const* groups, warpdex_column const* starts, warpdex_column const* ends,
                                warpdex_interval_how const* how, warpdex_execution const* exec, warpdex_index** built,
                                warpdex_error* error);

/// Builds networks of IP addresses.
/// @param addresses of u128, u32 or texts @param lengths one per address, or null for texts such as "10.0.0.0/8"
/// @param how null: as zeros
int32_t warpdex_build_networks(warpdex_column const* addresses, uint8_t const* lengths, warpdex_network_how const* how,
                               warpdex_execution const* exec, warpdex_index** built, warpdex_error* error);

/// Builds an index over several devices, or over several shards on the host. @param rows null: positions
int32_t warpdex_build_sharded(char const* spec, warpdex_column const* keys, warpdex_column const* rows,
                              warpdex_shards_how const* how, warpdex_index** built, warpdex_error* error);

/// Builds an index of keys within groups whose entries are in shards. Rows with a null are left out. It is not saved.
int32_t warpdex_build_grouped_sharded(char const* spec, warpdex_column const* groups, warpdex_column const* keys,
                                      warpdex_shards_how const* how, warpdex_index** built, warpdex_error* error);

/// Reads the folder of a sharded index to any places.
int32_t warpdex_load_sharded(char const* folder, int32_t map, int32_t check, warpdex_shards_how const* how,
                             warpdex_index** loaded, warpdex_error* error);

/// Adds up values in the order of an index's keys. They belong to the index as it is now.
/// @param over an index, or a grouped one, whose calls then take groups @param values one per row id: numbers of 4 or 8
/// bytes, or u8 @param moments such as WARPDEX_MOMENTS_FIRST
int32_t warpdex_build_aggregates(warpdex_index const* over, warpdex_column const* values, int32_t moments,
                                 warpdex_execution const* exec, warpdex_index** built, warpdex_error* error);

/// Ranks values in the order of an index's keys. They belong to the index as it is now.
/// @param over as in `warpdex_build_aggregates` @param values one per row id, of any key type
int32_t warpdex_build_quantiles(warpdex_index const* over, warpdex_column const* values, warpdex_execution const* exec,
                                warpdex_index** built, warpdex_error* error);

/// Builds a set of keys, which are numbers. Nulls are left out.
/// @param rows one per key, which `find` answers as u64; null for none @param code such as WARPDEX_CODE_AUTOMATIC
int32_t warpdex_build_set(warpdex_column const* keys, warpdex_column const* rows, int32_t code,
                          warpdex_execution const* exec, warpdex_index** built, warpdex_error* error);

/// Builds a set of batches, also of more keys than memory has room for, on the CPU (`key_set_builder`).
/// @param context for `next` alone
int32_t warpdex_build_set_of_batches(warpdex_set_how const* how, warpdex_source next, void* context,
                                     warpdex_execution const* exec, warpdex_index** built, warpdex_error* error);

/// Reads the file of an index of any kind, or the folder of a sharded one to the place of `exec`.
/// @param map 1: the CPU backend uses the file in place @param check what to check
int32_t warpdex_load(char const* path, int32_t map, int32_t check, warpdex_execution const* exec,
                     warpdex_index** loaded, warpdex_error* error);

/// Reads an index from the bytes of its file, and copies what it needs.
int32_t warpdex_load_bytes(void const* bytes, uint64_t size, int32_t check, warpdex_execution const* exec,
                           warpdex_index** loaded, warpdex_error* error);

/// Writes an index to a file, which it replaces; a sharded one to a folder.
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

/// Tells the kind of an index, such as WARPDEX_GROUPED. @param group_type type of its groups, or -1; may be null
int32_t warpdex_kind(warpdex_index const* index, int32_t* kind, int32_t* group_type, warpdex_error* error);

/// Tells why an index is as it is, as lines of text. @param batch number of probes per call
int32_t warpdex_explain(warpdex_index const* index, uint64_t batch, warpdex_result* text, warpdex_error* error);

/// Tells the greatest row id; 0 without entries.
int32_t warpdex_greatest_row(warpdex_index const* index, warpdex_execution const* exec, uint64_t* row,
                             warpdex_error* error);

/// Tells whether each key has one entry.
int32_t warpdex_is_unique(warpdex_index const* index, warpdex_execution const* exec, int32_t* unique,
                          warpdex_error* error);

/// Checks all arrays of an index against its entries.
int32_t warpdex_verify(warpdex_index const* index, warpdex_execution const* exec, warpdex_error* error);

/// Runs a lookup that writes answers: contains, find, find_unordered, count, lower_bound, upper_bound, floor, ceil,
/// range_count, range_sum, equal_range, prefix_count, prefix_sum, longest_prefix (the table in lookups.hpp).
/// @param outputs the arrays that the lookup writes, in the order of the table, one element per probe: flags of u8, row
/// ids of the index's row type, ranks, counts and sums of u64, keys of the index's type, positions and lengths of u32.
/// Keys may be left out by an output of zeros
/// Grouped indexes have those that need no prefixes, within the group of each probe. Intervals have `count`, u64;
/// `find`, row ids; and `coverage`, f64 for floats, else u64. Networks have `find`, sets `contains`.
/// @param count number of outputs
int32_t warpdex_look_up(warpdex_index const* index, char const* lookup, warpdex_probes const* probes,
                        warpdex_output const* outputs, uint64_t count, warpdex_execution const* exec,
                        warpdex_error* error);

/// Runs a lookup that lists rows: retrieve, range_retrieve, prefix_retrieve, ancestors, and rows_at of ranks, u64;
/// of intervals retrieve, of networks covering. Returns offsets and rows: the rows of probe i are second[first[i]] up
/// to, but not including, second[first[i + 1]].
int32_t warpdex_list(warpdex_index const* index, char const* lookup, warpdex_probes const* probes,
                     warpdex_execution const* exec, warpdex_result* rows, warpdex_error* error);

/// Returns the keys at ranks, numbers of u64: of strings their bytes, and offsets.
int32_t warpdex_keys_at(warpdex_index const* index, warpdex_column const* ranks, warpdex_execution const* exec,
                        warpdex_result* keys, warpdex_error* error);

/// Adds up the values of each range, or each key, by aggregates.
/// @param over the index that they were built over @param on WARPDEX_ON_KEYS or WARPDEX_ON_RANGES
/// @param out a `warpdex_aggregate_i128` or `warpdex_aggregate_f64` per probe; its type is WARPDEX_I128 or WARPDEX_F64
int32_t warpdex_aggregate(warpdex_index const* aggregates, warpdex_index const* over, warpdex_probes const* probes,
                          int32_t on, warpdex_output const* out, warpdex_execution const* exec, warpdex_error* error);

/// Returns the rows of the k greatest values of each range as `warpdex_list` does, and these values.
/// @param bottom 1: of the least values @param values may be null
int32_t warpdex_top_k(warpdex_index const* aggregates, warpdex_index const* over, warpdex_probes const* ranges,
                      uint64_t k, int32_t bottom, warpdex_execution const* exec, warpdex_result* rows,
                      warpdex_result* values, warpdex_error* error);

/// Writes of each range the row of the value at a quantile, or all bits set.
/// @param over the index that they were built over @param quantile from 0 to 1 @param side such as
/// WARPDEX_QUANTILE_LOWER
int32_t warpdex_quantiles(warpdex_index const* quantiles, warpdex_index const* over, warpdex_probes const* ranges,
                          double quantile, int32_t side, warpdex_output const* rows, warpdex_execution const* exec,
                          warpdex_error* error);

/// Makes a set of two others, in the code that the left one was asked for. @param which such as WARPDEX_UNION
int32_t warpdex_combine_sets(warpdex_index const* left, warpdex_index const* right, int32_t which,
                             warpdex_execution const* exec, warpdex_index** made, warpdex_error* error);

/// Counts the probes that are in a set.
int32_t warpdex_count_in_set(warpdex_index const* set, warpdex_column const* probes, warpdex_execution const* exec,
                             uint64_t* count, warpdex_error* error);

/// Returns all keys of a set, in ascending order.
int32_t warpdex_set_keys(warpdex_index const* set, warpdex_execution const* exec, warpdex_result* keys,
                         warpdex_error* error);

/// Returns the rows of the k intervals nearest to each probe as `warpdex_list` does, and their distances.
/// @param side such as WARPDEX_SIDE_BOTH @param ignore_overlaps 1: without the intervals that match
/// @param distances f64 for floats, else u64; may be null
int32_t warpdex_nearest(warpdex_index const* intervals, warpdex_probes const* probes, uint64_t k, int32_t side,
                        int32_t ignore_overlaps, warpdex_execution const* exec, warpdex_result* rows,
                        warpdex_result* distances, warpdex_error* error);

/// Merges intervals that overlap or touch. Returns per stretch a row that starts and one that ends as it does, and as
/// the second result the number of its intervals, and per row its stretch. @param more may be null
int32_t warpdex_merge(warpdex_index const* intervals, warpdex_execution const* exec, warpdex_result* stretches,
                      warpdex_result* more, warpdex_error* error);

/// Returns the parts of each probe that no interval covers: as `warpdex_list` does the rows that end where they start,
/// and the rows that start where they end; all bits set for the probe's own ends.
int32_t warpdex_gaps(warpdex_index const* intervals, warpdex_probes const* probes, warpdex_execution const* exec,
                     warpdex_result* starts, warpdex_result* ends, warpdex_error* error);

/// Reads texts as addresses, or as networks.
/// @param mask_host_bits as of `warpdex_network_how` @param addresses u128, one per text
/// @param lengths u8, one per text, or null for addresses
/// @param valid u8, 1 for what is an address or a network; null: another text is an error
int32_t warpdex_parse_networks(warpdex_column const* texts, int32_t mask_host_bits, warpdex_output const* addresses,
                               warpdex_output const* lengths, warpdex_output const* valid,
                               warpdex_execution const* exec, warpdex_error* error);

/// Joins probes with an index, a grouped one, or intervals. Returns row numbers of probes, and for inner and left joins
/// row ids.
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

/// The same with all options, and in a grouped index within the group of each probe.
/// @param probes keys as `lower`, and `groups` @param options null as zeros @param rows one per probe and offset
int32_t warpdex_asof(warpdex_index const* right, warpdex_probes const* probes, warpdex_asof_options const* options,
                     warpdex_output const* rows, warpdex_execution const* exec, warpdex_error* error);

/// The same with all rows of the nearest key, as `warpdex_join` returns pairs. @param kind such as WARPDEX_INNER
int32_t warpdex_asof_pairs(warpdex_index const* right, warpdex_probes const* probes,
                           warpdex_asof_options const* options, int32_t kind, warpdex_execution const* exec,
                           warpdex_result* pairs, warpdex_error* error);

/// The same of two columns that ascend, without an index.
/// @param left_groups null for a single group @param right_groups the same
/// @param ascend becomes 1 if both ascend; otherwise nothing is written to `rows`
int32_t warpdex_asof_merge(warpdex_column const* left_groups, warpdex_column const* left,
                           warpdex_column const* right_groups, warpdex_column const* right,
                           warpdex_asof_options const* options, warpdex_output const* rows,
                           warpdex_execution const* exec, int32_t* ascend, warpdex_error* error);

/// Joins two columns without an index. @param by such as WARPDEX_BY_HASH; `how->on` is WARPDEX_ON_KEYS
/// @param sink null: all pairs are returned; otherwise it takes them as of `warpdex_join_batches`, and `pairs` is null
int32_t warpdex_join_columns(warpdex_column const* left, warpdex_column const* right, warpdex_join_how const* how,
                             int32_t by, warpdex_sink sink, void* context, warpdex_execution const* exec,
                             warpdex_result* pairs, warpdex_error* error);

/// Writes of each left value the first position in `right` with an equal one, or all bits set.
/// @param right_rows the same of right values, or null
int32_t warpdex_first_match(warpdex_column const* left, warpdex_column const* right, warpdex_output const* rows,
                            warpdex_output const* right_rows, warpdex_execution const* exec, warpdex_error* error);

/// Finds the rows that are kept of equal ones, by one or several columns.
/// @param columns as many as `count` @param keep such as WARPDEX_KEEP_FIRST
/// @param rows the rows that are kept
/// @param more null, or gets of each row the place of its key in `rows`, and of each key the number of its rows
int32_t warpdex_unique(warpdex_column const* columns, uint64_t count, int32_t keep, warpdex_execution const* exec,
                       warpdex_result* rows, warpdex_result* more, warpdex_error* error);

/// Flags the rows that are not kept. @param flags u8, one per row
int32_t warpdex_duplicates(warpdex_column const* columns, uint64_t count, int32_t keep, warpdex_output const* flags,
                           warpdex_execution const* exec, warpdex_error* error);

/// Makes an encoder of tuples (key_encoder.hpp): a narrow one for the tuples of some columns, whose keys are u64, or a
/// wide one without columns.
/// @param columns one per field, or null
int32_t warpdex_encoder_make(warpdex_field const* fields, uint64_t count, warpdex_column const* columns,
                             warpdex_execution const* exec, warpdex_encoder** made, warpdex_error* error);

/// Reads and checks the file of an encoder, which `warpdex_encoder_save`, C++ or Python wrote.
int32_t warpdex_encoder_load(char const* path, warpdex_encoder** loaded, warpdex_error* error);

/// Writes an encoder to a file, which replaces an older one once it is complete.
int32_t warpdex_encoder_save(warpdex_encoder const* encoder, char const* path, warpdex_error* error);

/// @param key_type null, or gets the type of the keys @param narrow null, or gets 1 of a narrow encoder, else 0
int32_t warpdex_encoder_type(warpdex_encoder const* encoder, int32_t* key_type, int32_t* narrow, warpdex_error* error);

/// Returns tuples as keys in their order: numbers, or bytes and offsets.
/// @param columns one per field
int32_t warpdex_encode(warpdex_encoder const* encoder, warpdex_column const* columns, uint64_t count,
                       warpdex_execution const* exec, warpdex_result* keys, warpdex_error* error);

/// Returns the tuples of keys. @param columns `count` results, one per field: numbers, or bytes and offsets
/// @param validity null, or as many results, which are validity bits, and empty of fields without nulls
int32_t warpdex_decode(warpdex_encoder const* encoder, warpdex_column const* keys, uint64_t count,
                       warpdex_execution const* exec, warpdex_result* columns, warpdex_result* validity,
                       warpdex_error* error);

/// Returns the bounds of the tuples that begin with given values (`key_encoder::leading`).
/// @param columns of the first fields @param last_open 1: of the last column strings begin so
/// @param lower the least keys, or of bytes what the keys begin with @param upper the greatest, or of bytes nothing
int32_t warpdex_encode_leading(warpdex_encoder const* encoder, warpdex_column const* columns, uint64_t count,
                               int32_t last_open, warpdex_execution const* exec, warpdex_result* lower,
                               warpdex_result* upper, warpdex_error* error);

/// Returns probes of a narrow encoder: keys, and validity bits, which are 0 where no tuple can be equal.
/// @param columns one per field, also with values that the encoder has not seen
int32_t warpdex_encode_points(warpdex_encoder const* encoder, warpdex_column const* columns, uint64_t count,
                              warpdex_execution const* exec, warpdex_result* keys, warpdex_error* error);

/// Returns ranges of a narrow encoder, their lower and their upper bounds.
/// @param leading one per leading field @param last the ranges of the last field
int32_t warpdex_encode_ranges(warpdex_encoder const* encoder, warpdex_column const* leading, uint64_t count,
                              warpdex_probes const* last, warpdex_execution const* exec, warpdex_result* ranges,
                              warpdex_error* error);

/// Frees an encoder. Null does nothing.
void warpdex_encoder_free(warpdex_encoder* encoder);

/// Copies whole rows of a table: row number rows[i] to place i of `out`, and zeros where all bits are set (gather.hpp).
/// @param size number of rows of the table @param row_bytes bytes of a row @param out rows->size * row_bytes bytes
int32_t warpdex_gather_rows(void const* table, uint64_t size, uint64_t row_bytes, warpdex_column const* rows, void* out,
                            warpdex_execution const* exec, warpdex_error* error);

/// Marks the rows that match: of keys or ranges, of intervals, or networks that hold an address (mark.hpp). Other bits
/// stay as they are.
/// @param on WARPDEX_ON_KEYS or WARPDEX_ON_RANGES @param marks u32, a bit per row, the lowest first; 32 rows per
/// element
/// @param rows number of rows
int32_t warpdex_mark(warpdex_index const* index, warpdex_probes const* probes, int32_t on, warpdex_output const* marks,
                     uint64_t rows, warpdex_execution const* exec, warpdex_error* error);

/// Marks row ids, such as those of a result.
int32_t warpdex_mark_rows(warpdex_column const* row_ids, warpdex_output const* marks, uint64_t rows,
                          warpdex_execution const* exec, warpdex_error* error);

/// Changes marks. @param with other marks of as many rows; null if `how` needs none @param how such as
/// WARPDEX_MARKS_BOTH
int32_t warpdex_change_marks(warpdex_output const* marks, uint64_t rows, int32_t how, warpdex_output const* with,
                             warpdex_execution const* exec, warpdex_error* error);

/// Counts the rows that are marked, and lists them in ascending order. @param listed as many, or null
int32_t warpdex_marked(warpdex_output const* marks, uint64_t rows, warpdex_output const* listed,
                       warpdex_execution const* exec, uint64_t* count, warpdex_error* error);

/// Joins two tables. Both streams are taken over and released, also by a call that fails after it has read them.
/// @param joined becomes a stream of the result, which its consumer releases
int32_t warpdex_join_tables(struct ArrowArrayStream* left, struct ArrowArrayStream* right, warpdex_table_join const* by,
                            warpdex_execution const* exec, struct ArrowArrayStream* joined, warpdex_error* error);

/// Adds to each left row the right row whose key is nearest. Streams are those of `warpdex_join_tables`.
int32_t warpdex_join_asof_tables(struct ArrowArrayStream* left, struct ArrowArrayStream* right,
                                 warpdex_table_asof const* by, warpdex_execution const* exec,
                                 struct ArrowArrayStream* joined, warpdex_error* error);

/// Joins each left row with the right rows whose key is in its range. Streams are those of `warpdex_join_tables`.
int32_t warpdex_join_between_tables(struct ArrowArrayStream* left, struct ArrowArrayStream* right,
                                    warpdex_table_between const* by, warpdex_execution const* exec,
                                    struct ArrowArrayStream* joined, warpdex_error* error);

/// Adds to each left row what the right rows of its window have in common. Streams are those of `warpdex_join_tables`.
int32_t warpdex_window_tables(struct ArrowArrayStream* left, struct ArrowArrayStream* right,
                              warpdex_table_window const* by, warpdex_execution const* exec,
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

/// Changes an index, also a grouped or a sharded one, or a set. @param counts may be null
int32_t warpdex_apply(warpdex_index* index, warpdex_change const* change, warpdex_execution const* exec,
                      warpdex_counts* counts, warpdex_error* error);

/// Gives row ids 64 bits; nothing if they have them.
int32_t warpdex_widen_rows(warpdex_index* index, warpdex_execution const* exec, warpdex_error* error);

/// Makes a control.
int32_t warpdex_control_make(warpdex_control** made, warpdex_error* error);

/// Runs `calls` on this thread, once. Calls of the library within it that take long look whether the control was
/// stopped, and then return WARPDEX_CANCELLED (`stop_scope` in stop.hpp). @param context for `calls` alone
int32_t warpdex_under(warpdex_control* control, void (*calls)(void* context), void* context, warpdex_error* error);

/// Stops the calls that run under a control, and those to come. Null does nothing.
void warpdex_control_stop(warpdex_control* control);

/// @return the part of a build under the control that is done, from 0 to 1 (build_progress.hpp); 0 for null
double warpdex_control_done(warpdex_control const* control);

/// Frees a control, under which no call runs. Null does nothing.
void warpdex_control_free(warpdex_control* control);

/// Copies bytes between arrays on the host and on devices.
int32_t warpdex_copy(void* destination, void const* source, uint64_t bytes, warpdex_execution const* exec,
                     warpdex_error* error);

/// Frees the arrays of a result, and makes it empty. A result of zeros is empty; null does nothing.
void warpdex_release(warpdex_result* result);

#ifdef __cplusplus
}
#endif
#endif
