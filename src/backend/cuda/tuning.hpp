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

}  // namespace warpdex::cuda::tuning
