// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of the CPU engine that was chosen by measurement (docs/performance/cpu.md).
namespace warpdex::cpu::tuning {

/// Elements that a thread takes at a time: probes, ranges, numbers of a loop, numbers of a copy or elements of lists,
/// words of bits, pairs of a merge, and bytes. They are enough that taking them costs nothing in comparison, and so few
/// that a stop request is seen soon.
inline constexpr unsigned long long probe_grain = 1 << 13;
inline constexpr unsigned long long range_grain = 1 << 10;
inline constexpr unsigned long long loop_grain = 1 << 14;
inline constexpr unsigned long long copy_grain = 1 << 16;
inline constexpr unsigned long long word_grain = 1 << 8;
inline constexpr unsigned long long merge_grain = 1 << 16;
inline constexpr unsigned long long bytes_grain = 1 << 22;

/// Work that keeps a result per piece is cut into at most `most_pieces`.
inline constexpr unsigned long long most_pieces = 512;

/// Places of parts in runs of numbers that are dealt to them, at most.
inline constexpr unsigned long long most_places = 1 << 20;

/// Searches in flight: enough that the work of the others covers a cache miss, and few enough for the L1 cache. Views
/// without ranks have more, because their searches are one or two misses and little work.
inline constexpr int flight = 32;
inline constexpr int flight_unordered = 64;

/// Windows pay for indexes of at least this number of bytes: beyond the L1 cache if entries are in key order, beyond
/// the private caches if not. The batch must have at least `window_from_probes` probes, and one per
/// `window_entries_per_probe` entries.
inline constexpr unsigned long long window_from_bytes = 256 << 10;
inline constexpr unsigned long long window_from_bytes_in_flights = 16 << 20;
inline constexpr unsigned long long window_from_probes = 1 << 16;
inline constexpr unsigned long long window_entries_per_probe = 64;

/// Probes per window, at most. More probes share more cache lines, and take more scratch.
inline constexpr unsigned long long most_window_probes = 1 << 24;

/// Entries per window bucket, about. Two buckets fit into the L1 cache: one to search and one to fetch.
inline constexpr unsigned long long bucket_entries = 1 << 10;

/// The same in buckets that are searched in flights. The last levels of a bucket fit into the L2 cache.
inline constexpr unsigned long long bucket_entries_in_flights = 1 << 12;

/// log2 of the number of window buckets, at most. All of them are written to at the same time.
inline constexpr int most_bucket_bits = 16;

/// Larger buckets, which are rare, leave the cache before they are searched. Buckets with more entries per probe take
/// longer to fetch than their searches take in flights.
inline constexpr unsigned long long most_bucket_entries = 1 << 14;
inline constexpr unsigned long long bucket_entries_per_probe = 96;

/// Probes of a bucket that a thread searches alone, at most. More are shared by all threads.
inline constexpr unsigned long long most_bucket_probes = 1 << 16;

/// Searches of a bucket that run together. Their state stays in registers.
inline constexpr unsigned bucket_searches = 4;

/// The memory of an answer is fetched this number of probes before it is written.
inline constexpr unsigned answers_ahead = 16;

/// In windows by reference, bytes of strings are fetched this number of probes before they are searched, and references
/// twice as many.
inline constexpr unsigned probes_ahead = 32;

/// Buckets that a thread takes at a time. It searches their borders together.
inline constexpr int buckets_at_a_time = 64;

/// Elements per piece of a partition or a sort, at least.
inline constexpr unsigned long long least_piece = 1 << 13;

/// Sorts by digits. A cache line per digit, to write to, fits into the L1 cache. Fewer pairs are sorted by comparing;
/// longer stretches are sorted by all threads together; the end of a stretch of more than `short_stretch` pairs is
/// found by binary search.
inline constexpr int digit_bits = 8;
inline constexpr unsigned long long digits_from_pairs = 1 << 13;
inline constexpr unsigned long long stretch_alone = 1 << 17;
inline constexpr unsigned long long short_stretch = 32;

/// At most this number of strings is sorted by comparing. Bytes that all strings share are looked for in the next
/// `first_window` bytes, then in twice as many.
inline constexpr unsigned long long few_strings = 12;
inline constexpr unsigned long long first_window = 64;

/// Searches in a sorted column that take turns, so that their memory is read at the same time; and its keys per thread
/// and per comparison without a branch when its order is checked.
inline constexpr unsigned long long sorted_flight = 16;
inline constexpr unsigned long long sorted_grain = 1 << 18;
inline constexpr unsigned long long sorted_block = 1 << 10;

/// A walk along sorted keys compares this number of them without branches before its steps grow.
inline constexpr unsigned near_keys = 8;

/// Batches of ascending probes walk along the keys if there are `walk_from_probes` of them, and one per
/// `walk_keys_per_probe` keys. `order_samples` pieces of `walked_run` probes tell whether they ascend. Where such a
/// piece does not, its probes are searched.
inline constexpr unsigned long long walk_from_probes = 1 << 12;
inline constexpr unsigned long long walk_keys_per_probe = 64;
inline constexpr unsigned long long order_samples = 64;
inline constexpr unsigned long long walked_run = 16;

/// As-of joins in groups join this number of probes of a part at a time, at least, so that scratch is used again and
/// stays in the caches.
inline constexpr unsigned long long asof_probes = 1 << 20;

/// Bytes that a thread copies at a time, and how often it looks for work before it sleeps. The latter takes about a
/// tenth of a millisecond.
inline constexpr unsigned long long slice_bytes = 256 << 10;
inline constexpr int looks_before_sleep = 2000;

}  // namespace warpdex::cpu::tuning
