// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of the CUDA engine that was chosen by measurement (docs/performance/index.md).
namespace warpdex::cuda::tuning {

/// Threads per block of kernels that stream over arrays.
inline constexpr int stream_threads = 256;

/// In arrays of at least `stream_several_from` elements, each thread takes `streamed_numbers` elements at a time. Where
/// the functor allows it (backend/two_part.hpp), the thread issues the loads of all of them before the first store.
inline constexpr unsigned streamed_numbers = 4;
inline constexpr unsigned long long stream_several_from = 1 << 20;

/// Numbers that a warp deals to parts, at least; and the runs of numbers, and the places of parts in them, at most.
inline constexpr unsigned long least_run = 64;
inline constexpr unsigned long most_runs = 1 << 13;
inline constexpr unsigned long most_places = 1 << 22;

/// Blocks of a counting kernel, at most. Each of their warps adds its count to the same global counter.
inline constexpr unsigned most_counting_blocks = 1 << 13;

/// Before a sort, this number of pairs is looked at: pairs in no order show it there, so that the look costs little.
inline constexpr unsigned long long order_sample = 1 << 16;

/// Sorts of strings. Rounds after which the strings that still tie are sorted by comparing; strings from which the bits
/// per round are estimated; and bits more than the logarithm of their number that tell random strings apart.
inline constexpr int byte_sort_rounds = 16;
inline constexpr int byte_sort_mark_rounds = 48;
inline constexpr unsigned long long byte_sort_sample = 1 << 14;
inline constexpr int byte_sort_spare_bits = 12;

/// Threads per block of a merge; each block merges one tile of pairs.
inline constexpr int merge_threads = 256;

/// Threads per block of searches.
inline constexpr int search_threads = 256;

/// The whole warp scans a stretch of more than `warp_scan_from` slots (paper 000, section 5.7) under the policy
/// `scan=warp`. By default it takes over only above `warp_scan_from` slots per lane of the group, because groups scan
/// shorter stretches faster.
inline constexpr unsigned warp_scan_from = 32;

/// If single lanes searched the bounds of ranges, tiles of `scan_lanes` threads scan stretches of up to
/// `warp_scan_from_in_tiles` slots, and whole warps scan longer ones.
inline constexpr int scan_lanes = 16;
inline constexpr unsigned warp_scan_from_in_tiles = 128;

/// A warp scans the long ranges of its lanes one after the other. In batches of at most `spread_ranges_up_to` ranges
/// every 2^`range_spread_bits`-th lane has one, so that they keep more warps busy (docs/performance/index.md, "Loads in
/// flight while long ranges are scanned").
inline constexpr unsigned long long spread_ranges_up_to = 1 << 18;
inline constexpr unsigned range_spread_bits = 2;

/// Lists of at most this number of rows are written by the thread that owns the range.
inline constexpr unsigned short_range = 4;

/// Batches of at most this number of probes do not fill the device, so K-1 lanes per probe shorten each search. In
/// larger batches one lane per probe reads a node in wide loads and issues far fewer instructions.
inline constexpr unsigned long long group_search_up_to = 1 << 13;

/// Batches of at most this number of ranges use K-1 lanes per range, to have more loads in flight. Larger batches use
/// one lane per range.
inline constexpr unsigned long long group_ranges_up_to = 1 << 16;

/// Threads per block that pins or sorts: the most that a block can have, so that one pinned copy serves many searches.
/// Unless the spec asks for pinning, the copy takes at most `pin_bytes`.
inline constexpr int pin_threads = 1024;
inline constexpr unsigned pin_bytes = 128 << 10;

/// Smaller batches do not pay for the time that pinning takes.
inline constexpr unsigned long long pin_from_probes = 1 << 20;

/// Pairs of at most this number of bytes stay in the L2 cache, and then pinning pays for every structure. For a sorted
/// array it pays at any size, because each of the first steps of a binary search touches a cache line of its own.
inline constexpr unsigned long long pin_small_index = 16 << 20;

/// Percent of an SM's shared memory given to blocks that pin or sort; more only if a single block needs more. The rest
/// serves as L1 cache.
inline constexpr int shared_percent = 50;

/// Probes per thread in blocks that sort their probes.
inline constexpr int block_probes = 8;

/// Row ids of ranges are written in tiles where a range fills whole tiles; warps write the rest. So a range of any
/// length keeps all multiprocessors busy.
inline constexpr unsigned fill_tile = 4096;
inline constexpr int fill_threads = 256;
inline constexpr int fill_blocks = 8;  ///< per multiprocessor

/// Windows (docs/performance/window.md). A batch is cut into windows of at most `window_probes` probes. This bounds
/// the scratch, which takes 10 to 37 bytes per probe of a window. If memory is short, windows are halved, but not below
/// `window_least_probes`.
inline constexpr unsigned long long window_probes = 1 << 27;
inline constexpr unsigned long long window_least_probes = 1 << 20;

/// Windows whose buckets are searched in shared memory pay if they are estimated to take less time than the search
/// without windows. Both estimates were fitted to an H200, u32 and u64 keys, 2^16 to 2^28, and 2^16 to 2^24 probes
/// (docs/performance/window.md, "Small batches").
///
///     windows   call + probes * probe (per 4 bytes of key) + bytes of the columns that are read / bandwidth
///     without   call + probes * (probe (per 4 bytes of key) + doubling * log2(bytes / near_bytes), more steeply
///               beyond the L2 cache)
struct window_costs {
  double call_us;        ///< of a window with one level of buckets
  double second_us;      ///< more with two levels
  double probe_ns;       ///< with one level
  double second_ns;      ///< more with two levels
  double sparse_row_ns;  ///< of a row that a probe reads by itself
  double bytes_per_ns;
  double gathered_ns;  ///< per key of a bucket that is gathered from an Eytzinger order
};
inline constexpr window_costs in_buckets{34, 41, .0125, .0043, .01, 4000, .0007};

struct search_costs {
  double call_us;
  double probe_ns;         ///< in an index of `near_bytes`
  double near_ns, far_ns;  ///< more per doubling of the index up to `far_bytes`, and beyond
};
inline constexpr search_costs wide_search{8, .024, .003, .0095};  ///< by wide nodes
inline constexpr search_costs binary_search{8, .04, .006, .036};  ///< by halves
inline constexpr double near_bytes = 512 << 10;
inline constexpr double far_bytes = 32 << 20;  ///< about the part of the L2 cache that a search can use

/// Other windows pay from these numbers of probes and bytes of pairs on: those whose buckets the structure searches
/// itself, and those of hash tables (`unordered`), which make fewer memory accesses per probe. Smaller indexes are in
/// the caches.
inline constexpr unsigned long long window_from_probes = 1 << 22;
inline constexpr unsigned long long window_from_bytes_in_buckets = 512 << 10;
inline constexpr unsigned long long window_from_bytes = 8 << 20;
inline constexpr unsigned long long window_from_bytes_unordered = 128 << 20;

/// Bytes that a search in an index over host memory fetches over the link, about: a line. Windows load whole buckets of
/// such an index only if all their probes together would fetch as much.
inline constexpr unsigned long long link_bytes_a_search = 128;

/// The keys of such buckets are copied to the device ahead of the search, in stretches of about this many bytes. Two
/// stretches are on the device at a time. Small columns have `least_stretches` shorter ones, because nothing overlaps
/// with the first copy.
inline constexpr unsigned long long stretch_bytes = 64 << 20;
inline constexpr unsigned long long least_stretches = 8;

/// A stretch is copied if one of this number of its buckets has probes.
inline constexpr unsigned copied_from_share = 2;

/// Such a batch needs at least one probe per this number of entries, or its probes would not meet.
inline constexpr unsigned long long window_entries_per_probe = 128;

/// The partition sorts probes in shared memory, one tile per block.
inline constexpr int tile_threads = 512;
inline constexpr int tile_items = 16;  ///< probes per thread
inline constexpr int tile_size = tile_threads * tile_items;

/// Resident blocks per SM that the partition and restore kernels are compiled for. Wider keys need more registers, and
/// so do routers whose buckets are kept.
template <class Key, bool CheapRouter>
inline constexpr int partition_blocks = sizeof(Key) == 16                 ? 1
                                        : sizeof(Key) == 4 && CheapRouter ? 3
                                                                          : 2;
inline constexpr int restore_blocks = 3;

/// Partition, search and restore have so many blocks per resident one, at most, which take the other tiles after their
/// first. A block costs .7 ns also where it finds nothing to do; fewer of them make batches in no order slower.
inline constexpr unsigned tile_rounds = 16;

/// A level of the partition has at most one bucket per thread of a block. With 128 parents of 256 children each, both
/// levels are bound by memory bandwidth; 256 x 128 buckets and a single level are slower.
inline constexpr unsigned most_buckets_a_level = tile_threads;
inline constexpr unsigned parents = 128;
inline constexpr unsigned children_of_few_parents = 256;

/// Keys per window bucket. With `keys_per_bucket`, two levels are enough for 2^28 keys. Indexes of up to 2^26 keys of 4
/// bytes take smaller buckets, which are searched faster and cost nothing more there. `least_keys_per_bucket` keeps the
/// load of a bucket one long copy; it applies to indexes of up to 2^20 keys, which have at most `buckets_of_few_keys`
/// buckets.
inline constexpr unsigned keys_per_bucket = 8192;
inline constexpr unsigned keys_a_bucket_up_to_2_26 = 4096;
inline constexpr unsigned least_keys_per_bucket = 1024;
inline constexpr unsigned buckets_of_few_keys = 256;

/// Buckets have linear borders if none holds more keys than this: 8192 plus 5.6 sigma of random keys. Otherwise
/// splitters cut the keys into buckets of equal size.
inline constexpr unsigned bucket_capacity = 8704;

/// Linear borders may leave this number of keys out at both ends.
inline constexpr unsigned outliers = 32;

/// The counters of the histogram are in shared memory. More buckets than this are counted in two passes.
inline constexpr unsigned most_buckets_counted = 32768;
inline constexpr int histogram_threads = 1024;

/// Loads in flight per thread of a histogram: vectors of probes, and bytes of the keys of a bucket.
inline constexpr int histogram_vectors = 4;
inline constexpr unsigned histogram_bytes = 32;

/// Threads per block of the scan over bucket counts.
inline constexpr int scan_threads = 1024;

/// Heavy hitters, the keys that many probes share (window_heavy.cuh). Only windows of at least `heavy_from_probes`
/// probes look for them, in a sample of 2^`heavy_sample_bits` probes. A key is heavy if the sample holds it at least
/// `heavy_least_samples` times. Heavy keys get special treatment only if together they make up at least
/// 1 / `heavy_least_share` of the sample. The hash table that counts the sample has 2 slots per sample, and 2^13 slots
/// are the most that the smallest supported shared memory holds. 2^`heavy_cell_bits` cells keep the heavy keys.
inline constexpr unsigned long long heavy_from_probes = 1 << 26;
inline constexpr int heavy_threads = 1024;
inline constexpr int heavy_sample_bits = 12;
inline constexpr unsigned heavy_samples = 1u << heavy_sample_bits;
inline constexpr unsigned heavy_least_samples = 3;
inline constexpr unsigned heavy_least_share = 16;
inline constexpr int heavy_cell_bits = 9;

/// Bounds of the number of probes for which a block loads a bucket once. Within them, one block serves all probes of a
/// bucket unless the batch is skewed.
inline constexpr unsigned least_search_chunk = 8192;
inline constexpr unsigned most_search_chunk = 32768;

/// Shape of a block that searches buckets. The registers that wide keys need limit `flight` and `blocks`.
struct bucket_search_shape {
  int threads;
  int flight;  ///< searches in flight per thread
  int blocks;  ///< resident blocks per SM
};
template <class Key>
inline constexpr bucket_search_shape dense_search = sizeof(Key) == 4 ? bucket_search_shape{512, 4, 3}
                                                                     : bucket_search_shape{512, 2, 2};

/// The shape for ranks, which need no rows.
template <class Key> inline constexpr bucket_search_shape rank_search = dense_search<Key>;

/// The shape where buckets have few probes. Each probe then reads its row from the index instead of the block loading
/// all rows of the bucket. This pays while there are more than `row_bytes_a_sparse_probe` bytes of rows per probe: one
/// random sector takes as long as about 110 sequential bytes.
inline constexpr bucket_search_shape sparse_search{256, 2, 6};
inline constexpr unsigned long long row_bytes_a_sparse_probe = 110;

/// Tiles of probes that come in order (tile_search.cuh): threads of a block and probes per thread.
inline constexpr int tile_search_threads = 256;
inline constexpr int tile_search_items = 8;

/// Resident blocks per SM, and the bytes of keys that a block loads, at most (docs/performance/order.md).
struct tile_search_shape {
  int blocks;
  unsigned slice_bytes;
};
template <class Key>
inline constexpr tile_search_shape tile_find = sizeof(Key) == 4 ? tile_search_shape{7, 28 << 10}
                                                                : tile_search_shape{6, 36 << 10};
inline constexpr tile_search_shape tile_lower = {6, 36 << 10};  ///< no runs of equal keys matter
template <class Key>
inline constexpr tile_search_shape tile_others = sizeof(Key) == 4 ? tile_search_shape{6, 36 << 10}
                                                                  : tile_search_shape{5, 36 << 10};

/// Batches of at least `tiles_from_probes` probes that would run in windows are sampled first: they run in tiles if
/// `narrow_samples` of `sampled_tiles` tiles need no more bytes of keys than this. The sample takes 8 us.
inline constexpr unsigned long long tiles_from_probes = 1 << 22;
inline constexpr unsigned narrow_slice_bytes = 36 << 10;
inline constexpr int sampled_tiles = 32;
inline constexpr int narrow_samples = 31;

/// Page-locked memory from this number of bytes on is made of the host's huge pages, of which each thread touches this
/// number of bytes at a time (docs/performance/joins.md, "Pages of host memory").
inline constexpr unsigned long long locked_pages_from = 1 << 21;
inline constexpr unsigned long long pages_a_thread = 1 << 24;

/// Searches in windows read all keys. So the chunks of a batch over arrays on the host (backend/stream_tuning.hpp) have
/// at least one probe per this number of entries.
inline constexpr unsigned long long stream_entries_per_probe = 32;

}  // namespace warpdex::cuda::tuning
