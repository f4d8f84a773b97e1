// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of batches over arrays on the host that was chosen by measurement (docs/performance-host.md).
namespace warpdex::stream_tuning {

/// Such batches go through the device in chunks of probes: the least, for what comes back lags one chunk and its search
/// behind what goes there; but larger ones, up to the most, if each search reads all keys. There should be at least
/// this number of chunks.
inline constexpr unsigned long long least_chunk = 1 << 22;
inline constexpr unsigned long long chunk = 1 << 24;
inline constexpr unsigned long long chunks = 8;

/// Smaller batches are not streamed.
inline constexpr unsigned long long from_probes = 1 << 22;

/// Chunks on the device at a time: one copied in, one searched, one copied back, and one so that none of
/// these has to wait for another.
inline constexpr unsigned long long slots = 4;

/// Pageable arrays go through rings of pinned pieces, one for each direction, which should stay in the last cache of
/// the processor. What goes to the device is written at an even pace, what comes back not.
inline constexpr unsigned long long piece_bytes = 8 << 20;
inline constexpr unsigned long long pieces_in = 3;
inline constexpr unsigned long long pieces_out = 5;

/// This number of threads copies as fast as the link; fewer get help from the calling one.
inline constexpr int copying_threads = 12;

/// This number of threads empties pieces as fast as the device fills them. When more do, all at once, what it sends has
/// to wait.
inline constexpr int writing_threads = 7;

}  // namespace warpdex::stream_tuning
