// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number above the engines that was chosen by measurement: of joins, aggregates, filters, sorts of host columns,
/// and advice (docs/performance/joins.md, docs/performance/host.md).
namespace warpdex::tuning {

/// A join whose part has no more probes fails if memory is short. Larger parts are halved.
inline constexpr unsigned long long least_join_part = 1 << 14;

/// A pass over this number of entries, to see whether their keys repeat, takes about as long as one probe that looks
/// for a second entry.
inline constexpr unsigned long long entries_per_probe = 16;

/// Values whose validity is read at a time: it takes a byte per value.
inline constexpr unsigned long long validity_part = 1 << 30;

/// First matches: rows of which an index is built before it is known which of the others have new values. It stays in
/// the caches of a CPU.
inline constexpr unsigned long long rows_that_hold_most_values = 1 << 16;

/// Aggregates: row ids of an index are listed in ranges of this number of ranks, and this number of elements of host
/// arrays goes to a device at a time.
inline constexpr unsigned long long aggregate_ranks = 1 << 10;
inline constexpr unsigned long long aggregate_part = 1 << 20;

/// Columns of a table that one pass gathers.
inline constexpr unsigned gather_columns = 8;

/// Filters: smaller batches are searched at once, a batch asks its filter in parts of at most `filter_probes` probes,
/// and a part of which more than `filter_most_passed` passes is searched as a whole.
inline constexpr unsigned long long filter_from_probes = 32;
inline constexpr unsigned long long filter_from_probes_on_gpu = 1 << 14;
inline constexpr unsigned long long filter_probes = 1 << 26;
inline constexpr double filter_most_passed = 0.875;

/// Passes over the keys of a structure read them in parts.
inline constexpr unsigned long long keys_of_part = 1 << 20;

/// Host columns are sorted in at most this number of runs. A device that holds less of them at a time is left alone.
inline constexpr unsigned long long most_sorted_runs = 64;

/// Gathers of strings cut their output into tiles of this number of bytes.
inline constexpr unsigned long long gather_tile = 512;

/// Random reads among this number of bytes stay in the L2 cache of a GPU. It is about half the L2 cache of large GPUs.
inline constexpr unsigned long long gpu_cache_bytes = 32 << 20;

/// A model with less than this part of the pairs' bytes counts as next to nothing.
inline constexpr double small_model = 0.01;

/// The model of cgRX's buckets (docs/guide/advise.md, "Buckets of cgRX"), in picoseconds per lookup of large batches
/// without windows. A search whose tracer is in the cache, and what keys of 8 bytes add; a doubling of the tracer
/// beyond the cache; a doubling of the bucket beyond `bucket_read_at_once` bytes; and rays that leave a row without a
/// bucket.
inline constexpr double ray_search_ps = 88;
inline constexpr double wide_ray_search_ps = 21;
inline constexpr double ray_cache_step_ps = 12;
inline constexpr double bucket_step_ps = 14;
inline constexpr double bucket_read_at_once = 16;
inline constexpr double ray_behind_row_ps = 30;

/// A range costs that many searches, as both of its ends are near each other, and this per entry.
inline constexpr double searches_per_range = 1.4;
inline constexpr double range_entry_ps = 0.6;

/// Buckets up to this size follow the model, and costs that differ by less than this ratio are the same by it.
inline constexpr unsigned long long largest_modelled_bucket = 256;
inline constexpr double same_by_bucket_model = 1.02;

/// Values of a column's profile that a thread reads at a time.
inline constexpr unsigned long long profile_grain = 1 << 20;

/// Launches and chains of loads decide the rate of batches from `small_batch` to `large_batch` probes, throughput that
/// of larger ones. Nothing is known of smaller ones.
inline constexpr unsigned long long small_batch = 1 << 14;
inline constexpr unsigned long long large_batch = 1 << 18;

/// As-of merges within groups keep a row per group: of at most as many groups as there are rows, or as this.
inline constexpr unsigned long long groups_of_few_rows = 1 << 16;

/// They run in parts if there are that many right rows per group.
inline constexpr unsigned long long rows_per_group_of_parts = 256;

}  // namespace warpdex::tuning
