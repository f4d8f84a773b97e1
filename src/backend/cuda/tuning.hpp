// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of the CUDA engine that was chosen by measurement (docs/performance.md).
namespace warpdex::cuda::tuning {

/// Threads per block of kernels that stream over arrays.
inline constexpr int stream_threads = 256;

/// Threads per block of searches.
inline constexpr int search_threads = 256;

/// A stretch of a range longer than this is scanned by the whole warp (paper 000, section 5.7).
inline constexpr unsigned warp_scan_from = 32;

/// Below this many threads a batch does not fill the device, and K-1 lanes a probe shorten its searches;
/// above, one lane that reads a node in wide loads issues far fewer instructions.
inline constexpr unsigned long long group_search_up_to = 1 << 18;

/// Steps pinning: one block an SM with all its threads, so that one copy serves them all.
inline constexpr int pin_threads = 1024;
inline constexpr unsigned pin_bytes = 128 << 10;

/// Fewer probes than this do not pay for the copies.
inline constexpr unsigned long long pin_from_probes = 1 << 20;

/// Pairs of at most this many bytes stay in the L2 cache, and then pinning pays for every structure; it
/// pays for a sorted array of any size, whose first steps are spread over as many cache lines.
inline constexpr unsigned long long pin_small_index = 16 << 20;

}  // namespace warpdex::cuda::tuning
