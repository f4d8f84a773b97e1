// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of batches over arrays on the host that was chosen by measurement (docs/performance/host.md).
namespace warpdex::stream_tuning {

/// Probes per chunk. Chunks are as small as possible, `least_chunk`, because the copies back lag one chunk and its
/// search after the copies to the device. If each search reads all keys, chunks are larger, up to `chunk`. A batch
/// should have at least `chunks` chunks.
inline constexpr unsigned long long least_chunk = 1 << 22;
inline constexpr unsigned long long chunk = 1 << 24;
inline constexpr unsigned long long chunks = 8;

/// Smaller batches are not streamed.
inline constexpr unsigned long long from_probes = 1 << 22;

/// A batch with as many bytes of strings is streamed, however few probes it has, and its chunks are cut by bytes.
inline constexpr unsigned long long chunk_bytes = 256 << 20;

/// Each chunk has room for a string of this length. A longer string waits until the chunks before it are done, and then
/// all chunks get room for it.
inline constexpr unsigned long long string_bytes = 16 << 20;

/// Chunks on the device at a time: one copied in, one searched, one copied back, and one more so that none of these has
/// to wait for another.
inline constexpr unsigned long long slots = 4;

/// Pageable arrays go through rings of pinned pieces, one ring per direction. Both should stay in the last-level cache
/// of the processor. Pieces to the device are filled at an even pace, pieces back are not, so their ring is longer.
inline constexpr unsigned long long piece_bytes = 8 << 20;
inline constexpr unsigned long long pieces_in = 3;
inline constexpr unsigned long long pieces_out = 5;

/// This number of threads copies as fast as the link. If there are fewer, the calling thread helps them.
inline constexpr int copying_threads = 12;

/// This number of threads empties pieces as fast as the device fills them. If more threads wrote at the same time, the
/// copies from the device would have to wait.
inline constexpr int writing_threads = 7;

}  // namespace warpdex::stream_tuning
