// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of the CPU engine that was chosen by measurement (docs/performance-cpu.md).
namespace warpdex::cpu::tuning {

/// Searches in flight: enough that the work of the others covers a cache miss, and few enough for the L1 cache. Views
/// without ranks have more, because their searches are one or two misses and little work.
inline constexpr int flight = 32;
inline constexpr int flight_unordered = 64;

/// Windows pay for indexes of at least this number of bytes: beyond the L1 cache if entries lie in key order, beyond
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

/// Searches of a bucket that run together. Their state stays in registers.
inline constexpr unsigned bucket_searches = 4;

/// The memory of an answer is fetched this number of probes before it is written.
inline constexpr unsigned answers_ahead = 16;

/// In windows by reference, bytes of strings are fetched this number of probes before they are searched, and references
/// twice as many.
inline constexpr unsigned probes_ahead = 32;

/// Buckets that a thread takes at a time. It searches their borders together.
inline constexpr int buckets_at_a_time = 64;

}  // namespace warpdex::cpu::tuning
