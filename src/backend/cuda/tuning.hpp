// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of the CUDA engine that was chosen by measurement (docs/performance.md).
namespace warpdex::cuda::tuning {

/// Threads per block of kernels that stream over arrays.
inline constexpr int stream_threads = 256;

/// Numbers that such a thread takes at a time if there are many; it reads for all of them first, where it can.
inline constexpr unsigned streamed_numbers = 4;
inline constexpr unsigned long long stream_several_from = 1 << 20;

/// Blocks that count, each warp of which adds what it found to one counter.
inline constexpr unsigned most_counting_blocks = 1 << 13;

/// Threads per block that merges a tile of pairs.
inline constexpr int merge_threads = 256;

/// Threads per block of searches.
inline constexpr int search_threads = 256;

/// A stretch of a range longer than this is scanned by the whole warp (paper 000, section 5.7); by default one that
/// gives each lane of its group so many entries, as groups scan shorter ones faster.
inline constexpr unsigned warp_scan_from = 32;

/// Ranges that single lanes searched are scanned by tiles of so many, up to so many slots each.
inline constexpr int scan_lanes = 16;
inline constexpr unsigned warp_scan_from_in_tiles = 128;

/// Up to so many probes a batch does not fill the device, and K-1 lanes a probe shorten its searches; above, one lane
/// that reads a node in wide loads issues far fewer instructions.
inline constexpr unsigned long long group_search_up_to = 1 << 13;

/// Up to so many ranges are searched by K-1 lanes each, which have more loads in flight; more by one lane each.
inline constexpr unsigned long long group_ranges_up_to = 1 << 16;

/// Steps pinning: one block an SM with all its threads, so that one copy serves them all.
inline constexpr int pin_threads = 1024;
inline constexpr unsigned pin_bytes = 128 << 10;

/// Fewer probes than this do not pay for the copies.
inline constexpr unsigned long long pin_from_probes = 1 << 20;

/// Pairs of at most this many bytes stay in the L2 cache, and then pinning pays for every structure; it
/// pays for a sorted array of any size, whose first steps are spread over as many cache lines.
inline constexpr unsigned long long pin_small_index = 16 << 20;

/// Part of an SM's shared memory that blocks which pin or sort may take, if one of them needs no more. The
/// rest is L1 cache.
inline constexpr int shared_percent = 50;

/// Probes a thread of blocks that sort theirs.
inline constexpr int block_probes = 8;

/// Windows (docs/performance-window.md). A batch is cut into windows of at most so many probes, which bounds
/// their scratch to 10 to 29 bytes a probe. With less memory they are halved down to the smallest.
inline constexpr unsigned long long window_probes = 1 << 27;
inline constexpr unsigned long long window_least_probes = 1 << 20;

/// From how many probes and bytes of pairs on windows pay: where buckets are searched in shared memory, where
/// they are searched by the structure itself, and for hash tables, which take fewer accesses a probe. Smaller
/// indexes lie in the caches.
inline constexpr unsigned long long window_from_probes_in_buckets = 1 << 20;
inline constexpr unsigned long long window_from_probes = 1 << 22;
inline constexpr unsigned long long window_from_bytes_in_buckets = 512 << 10;
inline constexpr unsigned long long window_from_bytes = 8 << 20;
inline constexpr unsigned long long window_from_bytes_unordered = 128 << 20;

/// The search stage reads all buckets, so a batch needs at least one probe for so many entries.
inline constexpr unsigned long long window_entries_a_probe = 128;

/// Probes are sorted a tile at a time in shared memory, by one block.
inline constexpr int tile_threads = 512;
inline constexpr int tile_items = 16;  ///< a thread
inline constexpr int tile_size = tile_threads * tile_items;

/// Blocks an SM should hold of the partition: wider keys need more registers.
template <class Key> inline constexpr int partition_blocks = sizeof(Key) == 4 ? 3 : 2;
inline constexpr int restore_blocks = 3;

/// The fan-out of a level is at most one bucket a thread. With 128 x 256 buckets both levels are bound by
/// memory; 256 x 128 and a single level are slower.
inline constexpr unsigned most_buckets_a_level = tile_threads;
inline constexpr unsigned parents = 128;
inline constexpr unsigned children_of_few_parents = 256;

/// Keys a bucket: so many that two levels are enough for 2^28 keys; fewer where that costs nothing, as
/// smaller buckets are searched faster. At least so many that loading a bucket is one long copy.
inline constexpr unsigned keys_a_bucket = 8192;
inline constexpr unsigned keys_a_bucket_up_to_2_26 = 4096;
inline constexpr unsigned least_keys_a_bucket = 1024;
inline constexpr unsigned buckets_of_few_keys = 256;  ///< up to 2^20 keys

/// Linear borders are taken if no bucket is larger than this: 8192 and 5.6 sigma for random keys.
inline constexpr unsigned bucket_capacity = 8704;

/// Counters of the histogram lie in shared memory; for more buckets it is taken in two passes.
inline constexpr unsigned most_buckets_counted = 32768;
inline constexpr int histogram_threads = 1024;

/// Scan of the bucket counts.
inline constexpr int scan_threads = 1024;

/// Keys that many probes have (window_heavy.cuh) are looked for in large windows, in a sample: those seen at least
/// so often, if together they are one in so many of it. Twice 2^12 samples are what the smallest shared memory holds.
inline constexpr unsigned long long heavy_from_probes = 1 << 26;
inline constexpr int heavy_threads = 1024;
inline constexpr int heavy_sample_bits = 12;
inline constexpr unsigned heavy_samples = 1u << heavy_sample_bits;
inline constexpr unsigned heavy_least_samples = 3;
inline constexpr unsigned heavy_least_share = 16;
inline constexpr int heavy_cell_bits = 9;

/// Probes for which a block loads a bucket: all that a bucket has unless the batch is skewed, within these bounds.
inline constexpr unsigned least_search_chunk = 8192;
inline constexpr unsigned most_search_chunk = 32768;

/// A block that searches buckets: threads, searches that each keeps in flight, and blocks an SM, limited by the
/// registers of wide keys.
struct bucket_search_shape {
  int threads;
  int flight;
  int blocks;
};
template <class Key>
inline constexpr bucket_search_shape dense_search = sizeof(Key) == 4 ? bucket_search_shape{512, 4, 3}
                                                                     : bucket_search_shape{512, 2, 2};

/// Of few probes a bucket, which read their rows from the index, as that moves fewer bytes than to load all: a sector
/// at random takes as long as some 110 bytes in order.
inline constexpr bucket_search_shape sparse_search{256, 2, 6};
inline constexpr unsigned long long row_bytes_a_sparse_probe = 110;

/// Searches in windows read all keys, so batches over arrays on the host (backend/stream_tuning.hpp) go through the
/// device in chunks of at least one probe for so many entries.
inline constexpr unsigned long long stream_entries_a_probe = 32;

}  // namespace warpdex::cuda::tuning
