// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/mix.hpp>

#include "backend/backend.hpp"
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_buckets.hpp"
#include "batch/batch.hpp"

/// @file
/// The stages of a window: partition, bucket search, restore. They see encoded keys, sorted entries and answers of a
/// fixed width, never a structure.
namespace warpdex::cuda {

/// Turns a probe into the number by which it is partitioned: its encoded key, or the hash of that.
struct probe_encoding {
  key_codec codec = key_codec::identity;
  bool hashed = false;
  std::uint64_t seed = 0;

  WDX_HD bool changes() const { return codec != key_codec::identity || hashed; }
  template <class Key> WDX_HD Key operator()(Key probe) const {
    Key const key = encode(codec, probe);
    return hashed ? mix(key, seed) : key;
  }
};

/// Tiles of the second level are read and written in vectors of up to 4 elements, so they begin at multiples of 4 in
/// scratch. If a tile's own elements begin elsewhere, it has up to 3 dead elements in front.
inline constexpr unsigned tile_align = 4;

/// Most elements of a chunk that becomes a tile of the second level. It leaves room for the dead elements.
inline constexpr unsigned tile_chunk = tuning::tile_size - tile_align;

/// A piece of a bucket: the elements [first, first + size) of the level's output.
struct bucket_chunk {
  std::uint32_t bucket;
  std::uint32_t first;
  std::uint32_t size;
};

/// The probes of one tile that went to one bucket: elements [first, first + size) of the level's output.
struct tile_run {
  std::uint32_t first;
  std::uint32_t size;
};

/// One level of the partition. `buckets` is its fan-out; `all_buckets` is the number of buckets of its output, that is,
/// the product of the fan-outs of all levels up to it.
struct window_level {
  std::uint32_t buckets = 0;
  std::uint32_t all_buckets = 0;
  std::uint32_t tiles = 0;  ///< tiles of its input, at most

  void* keys = nullptr;     ///< its output: encoded probes, bucket by bucket
  void* answers = nullptr;  ///< answers to the probes of its output

  std::uint16_t* tile_indexes = nullptr;  ///< per probe of the input: its index in the sorted tile
  tile_run* runs = nullptr;               ///< `buckets` runs per tile

  /// Per probe of the output: its position in the batch. Only for batches whose answers are not restored, which have no
  /// tile indexes and no runs, and for windows by reference.
  std::uint32_t* positions = nullptr;

  std::uint32_t* counts = nullptr;        ///< per bucket: its probes
  std::uint32_t* begins = nullptr;        ///< per bucket: its first element of the output; at the end the size of all
  std::uint32_t* cursors = nullptr;       ///< per bucket: the next free element of the output
  std::uint32_t* chunk_begins = nullptr;  ///< per bucket: the number of its first chunk; at the end of all chunks
  bucket_chunk* chunks = nullptr;         ///< the buckets cut into tiles of the next level, or into work for the search
  std::uint32_t chunk_size = 0;           ///< probes per chunk, at most
  std::uint32_t chunk_limit = 0;          ///< number of chunks, at most
};

/// Keys that many probes of a window share, found in a sample (window_heavy.cuh tells the algorithm). One probe of each
/// key, its leader, is partitioned and searched like all probes. The others, the led probes, are not: their tile
/// indexes name the cell of their key, through which the restore gives them the leader's answer.
///
///     cell   | key | number of its leader | where the leader went in the first level's output |
///
/// The cell of a key is a hash of the key. An empty cell holds a key that hashes elsewhere, so no probe matches it.
struct heavy_hitters {
  static constexpr std::uint32_t cells = 1 << tuning::heavy_cell_bits;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t widest_key = 8;  ///< the sample is counted by atomic operations on keys

  void* keys = nullptr;  ///< null if the window does not look for heavy keys
  std::uint32_t* leaders = nullptr;
  std::uint32_t* places = nullptr;
  std::uint32_t* present = nullptr;  ///< 0 if too few probes have heavy keys to be worth it

  WDX_HD bool looked_for() const { return keys != nullptr; }
#if defined(__CUDACC__)
  __device__ bool any() const { return looked_for() && *present != 0; }
#endif
};

#if defined(__CUDACC__)
/// @param in_tiles as in `window_scratch`
/// @return whether tiles have answered the window
__device__ inline bool answered_in_tiles(std::uint32_t const* in_tiles) {
  return in_tiles != nullptr && *in_tiles != 0;
}
#endif

/// Scratch of one window.
struct window_scratch {
  std::uint64_t size = 0;  ///< probes
  int levels = 1;
  std::size_t bytes = 0;
  window_level level[2];
  void* more = nullptr;  ///< second answers to the probes of the last level's output, if there are two per probe
  heavy_hitters heavy;
  std::uint32_t first_position = 0;  ///< position in the batch of the window's first probe

  /// Not 0 if the probes come in order, so that tiles have answered them and all stages are to do nothing. Null if
  /// nobody looks for that.
  std::uint32_t* in_tiles = nullptr;

  nearest_rule rule;  ///< of `nearest`

  window_level const& last() const { return level[levels - 1]; }
};

/// Bytes per answer of a window.
struct answer_widths {
  std::size_t first = 0;   ///< 0 if answers stay in the order of the partition
  std::size_t more = 0;    ///< 0 without second answers
  bool positions = false;  ///< whether positions move with the keys although answers are restored
  bool in_tiles = false;   ///< whether to look for an order of the probes that suits tiles

  std::size_t widest() const { return first < more ? more : first; }
};

/// Lays out the arrays of a window of `size` probes from `base` on. With a null `base` it only counts bytes. A smaller
/// window never needs more bytes, so the last window of a batch fits where the first did.
/// @param base a multiple of 256, or null
/// @param answers if these stay in the order of the partition, scratch has room for positions instead of the arrays of
/// the restore, and the caller sets positions and answers of the last level
window_scratch place_window(bucket_geometry const& geometry, std::uint64_t size, std::size_t key_bytes,
                            answer_widths answers, void* base);

/// @return whether tiles of such keys fit into the shared memory of the current device
bool can_partition(std::size_t key_bytes);

/// Writes `scratch.size` probes bucket by bucket to `scratch.last().keys`, and their positions to
/// `scratch.last().positions` if the levels have such arrays.
template <class Key>
void partition_window(window_buckets<Key> const& buckets, window_scratch const& scratch, probe_encoding encoding,
                      void const* probes, execution const& exec);

/// Writes a key to the elements at the end of `scratch.last().keys` that led probes leave free, for a search that
/// reads all elements. All get the same key, whose path stays in the caches, so these searches cost little.
template <class Key> void fill_free_places(window_scratch const& scratch, execution const& exec);

/// How numbers are subtracted from answers.
enum class difference : std::uint8_t {
  of_ranks,  ///< as `ranks_between` does
  of_sums    ///< modulo 2^64
};

/// Brings answers to the probes of the last level's output into the order of the probes. Overwrites the answers of the
/// first level.
/// @param answers `scratch.last().answers` or `scratch.more`
/// @param less null, or numbers in the order of the probes that are subtracted from the answers; may be `out`; only for
/// an `Out` of 8 bytes
template <class Answer, class Out>
void restore_window(window_scratch const& scratch, void const* answers, Out const* less, Out* out,
                    execution const& exec, difference subtracts = difference::of_ranks);

/// Where the answers of probes that are searched in tiles go: each to the place of its probe, as in a batch.
struct placed_answers {
  void* answers = nullptr;              ///< of `point_batch::out`, or counts; may be null for counts
  void* more = nullptr;                 ///< keys of floors and ceils, decoded; ranks of counts; may be null
  std::uint64_t const* less = nullptr;  ///< null, or ranks to subtract from ranks; may be `answers`
  std::uint32_t* positions = nullptr;   ///< null, or as `point_batch::positions`
  std::uint32_t first_position = 0;
  nearest_rule rule = {};
};

/// Looks whether a batch comes in an order that suits `search_tiles`. Does not synchronise. Cost: 8 us.
/// @param index two arrays, in any order of slots
/// @param narrow receives 1 if so, else 0
template <class Key, class Row>
void sample_tiles(sorted_view const& index, key_codec codec, void const* probes, std::uint64_t size,
                  std::uint32_t* narrow, execution const& exec);

/// Answers probes in the order in which they come, tile by tile. Answers are right whatever their order is, but only
/// tiles whose probes are close to each other are fast.
/// @param op no sum
/// @param narrow of `sample_tiles`: does nothing if it is 0; null to search anyway
template <class Key, class Row>
void search_tiles(window_buckets<Key> const& buckets, sorted_view const& index, search_op op, key_codec codec,
                  void const* probes, std::uint64_t size, placed_answers const& answers, std::uint32_t const* narrow,
                  execution const& exec);

// What a window asks of a bucket is a `search_op`. Ranks and counts have the width of a row id. Second answers are the
// key of a floor or a ceil, and the rank of a count.

/// An entry, or none.
template <class Key, class Row> struct some_entry {
  bool exists = false;
  Key key = {};
  Row row = {};
};

/// What is outside of a shard (shared_windows.hpp). An index that is whole has nothing there.
template <class Key, class Row> struct shard_surroundings {
  std::uint64_t before = 0;            ///< entries of the shards before it
  some_entry<Key, Row> below;          ///< the nearest one of these, with the first row of its key
  some_entry<Key, Row> above;          ///< the nearest one of the shards after it
  Key lowest = 0;                      ///< it answers the probes from here
  Key highest = static_cast<Key>(-1);  ///< to here; those between two shards are answered by both, in the same way

#if defined(__CUDACC__)
  __device__ bool answers(Key probe) const { return lowest <= probe && probe <= highest; }
#endif
};

/// The buckets of a shard among those of all shards, whose windows they share (shared_windows.hpp).
template <class Key, class Row> struct shard_buckets {
  sorted_view entries;
  shard_surroundings<Key, Row> around = {};
  std::uint32_t first = 0;    ///< number of the first bucket with probes for it
  std::uint32_t count = 0;    ///< of these buckets
  std::uint64_t largest = 0;  ///< keys of the shard in one bucket, at most
  buffer borders;             ///< its ranks at the buckets of all shards, as `window_buckets::borders`
};

/// @return whether buckets of the index fit into shared memory, and can answer `op` there: sums need buckets of which
/// each holds all entries of its keys
template <class Key, class Row> bool can_search_buckets(window_buckets<Key> const& buckets, search_op op);

/// Sums the row ids of all entries before each bucket.
/// @param index two arrays, in any order of slots
/// @param sums one number per bucket
template <class Row>
void sum_rows_before_buckets(buffer const& borders, sorted_view const& index, std::uint64_t* sums,
                             execution const& exec);

/// Answers each partitioned probe, in `scratch.last().answers`. Writes second answers to `scratch.more` unless that is
/// null.
/// @param sums of `sum_rows_before_buckets`, for sums
template <class Key, class Row>
void search_buckets(window_buckets<Key> const& buckets, sorted_view const& index, search_op op,
                    std::uint64_t const* sums, window_scratch const& scratch, execution const& exec);

/// The same for the probes of a shard, on its device, for an `op` that sums nothing. Probes and answers are where the
/// window is; the kernel reads and writes them over the link.
template <class Key, class Row>
void search_buckets(shard_buckets<Key, Row> const& shard, search_op op, window_scratch const& scratch,
                    execution const& exec);

}  // namespace warpdex::cuda
