// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Numbers of sets that were chosen by measurement.
namespace warpdex::tuning {

/// Sets of that many keys are compressed unless their caller wants another code. Smaller ones are in the caches.
inline constexpr unsigned long long compressed_set_from = 1 << 16;

/// Searches of a thread that take turns.
inline constexpr int set_flight = 32;

/// On a host: keys per bucket of a window, about; blocks of a bucket that are unpacked, at most, and how many of its
/// keys per probe. Windows have a probe per `set_window_keys_per_probe` keys, at least.
inline constexpr unsigned long long set_bucket = 1 << 12;
inline constexpr unsigned long long set_bucket_blocks = 32;
inline constexpr unsigned long long set_unpacked_per_probe = 32;
inline constexpr unsigned long long set_window_keys_per_probe = 256;

/// Searches in unpacked keys that run together. Their state stays in registers.
inline constexpr unsigned set_bisections = 8;

/// On a device: threads per block that searches a bucket of a window; room for the words of its blocks, of their
/// average number; from how many keys of a set and probes windows pay, and for how many keys per probe.
inline constexpr int set_bucket_threads = 512;
inline constexpr unsigned long long set_room_percent = 125;
inline constexpr unsigned long long set_order_from_keys = 1 << 22;
inline constexpr unsigned long long set_order_from_probes = 1 << 21;
inline constexpr unsigned long long set_order_keys_per_probe = 64;

/// No bucket has more than so many equal shares of the set.
inline constexpr unsigned long long set_most_shares = 4;

/// Blocks per multiprocessor that look for probes in order.
inline constexpr unsigned set_blocks_in_order = 16;

/// Numbers of a step that write the words of a block: on a device, a warp.
inline constexpr unsigned set_block_shares = 32;

/// Keys of two sets that a thread compares at a time.
inline constexpr unsigned long long set_tile = 512;

/// Keys per run in a piece of a merge, on average, at least. Of a block of a run about half is read in vain.
inline constexpr unsigned long long run_keys_per_piece = 1024;

/// Runs have at least as many keys as 16 of them need for a merge.
inline constexpr unsigned long long least_run = 16 * run_keys_per_piece;

}  // namespace warpdex::tuning
