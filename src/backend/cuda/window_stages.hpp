// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/mix.hpp>

#include "backend/cuda/tuning.hpp"
#include "backend/cuda/window_buckets.hpp"

/// @file
/// The stages of a window. They see encoded keys and answers of a fixed width, never a structure.
namespace warpdex::cuda {

/// What probes become before they are partitioned: keys in order, or hashes.
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

/// Elements of scratch that a vector of keys, rows or tile indexes may hold: tiles of the second level start at
/// multiples of it, so a tile that starts elsewhere has up to 3 dead elements in front.
inline constexpr unsigned tile_align = 4;

/// Chunks that are tiles of the second level leave room for those.
inline constexpr unsigned tile_chunk = tuning::tile_size - tile_align;

/// A piece of a bucket: places [first, first + size).
struct bucket_chunk {
  std::uint32_t bucket;
  std::uint32_t first;
  std::uint32_t size;
};

/// The probes that a tile has in one bucket: the place of the first, and how many.
struct tile_run {
  std::uint32_t first;
  std::uint32_t size;
};

/// One level of the partition. `buckets` is its fan-out, `all_buckets` that of all levels up to it.
struct window_level {
  std::uint32_t buckets = 0;
  std::uint32_t all_buckets = 0;
  std::uint32_t tiles = 0;  ///< of its input, at most

  void* keys = nullptr;     ///< its output: encoded probes, bucket by bucket
  void* answers = nullptr;  ///< to the probes of its output

  std::uint16_t* tile_indexes = nullptr;  ///< where in its sorted tile each probe of the input went
  tile_run* runs = nullptr;               ///< `buckets` a tile

  /// Of the probes of its output in the batch, if answers are not restored; then it has no tile indexes and runs.
  std::uint32_t* positions = nullptr;

  std::uint32_t* counts = nullptr;        ///< probes of each bucket
  std::uint32_t* begins = nullptr;        ///< place of each bucket, and the number of probes
  std::uint32_t* cursors = nullptr;       ///< next free place of each bucket
  std::uint32_t* chunk_begins = nullptr;  ///< number of each bucket's first chunk, and of all chunks
  bucket_chunk* chunks = nullptr;         ///< the buckets cut into tiles of the next level, or for the search
  std::uint32_t chunk_size = 0;           ///< at most
  std::uint32_t chunk_limit = 0;          ///< chunks, at most
};

/// Keys that many probes of a window have, found in a sample. One probe of each, its leader, goes the way of all
/// probes. The others take no part: their tile indexes say whose answer they get when answers are restored.
///
///     cell   | key | its leader | place of the leader in the first level's output |
///
/// A key's cell follows from a hash of it. A cell without a heavy key has one of another cell, which no probe matches.
struct heavy_hitters {
  static constexpr std::uint32_t cells = 1 << tuning::heavy_cell_bits;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void* keys = nullptr;  ///< null if they are not looked for
  std::uint32_t* leaders = nullptr;
  std::uint32_t* places = nullptr;
  std::uint32_t* present = nullptr;  ///< 0 if too few probes have such keys to be worth it

  WDX_HD bool looked_for() const { return keys != nullptr; }
#if defined(__CUDACC__)
  __device__ bool any() const { return looked_for() && *present != 0; }
#endif
};

/// Scratch of one window.
struct window_scratch {
  std::uint64_t size = 0;  ///< probes
  int levels = 1;
  std::size_t bytes = 0;
  window_level level[2];
  heavy_hitters heavy;
  std::uint32_t first_position = 0;  ///< in the batch, of the window's first probe

  window_level const& last() const { return level[levels - 1]; }
};

/// Places the arrays of a window of `size` probes from `base` on; with a null `base` it only counts bytes. A smaller
/// window never needs more of them, so that the last window of a batch has room where the first had.
/// @param base a multiple of 256
/// @param answer_bytes of a probe; 0 if answers stay in the order of the partition: then there is no room for
/// restoring, but for positions, and those of the last level, and its answers, are the caller's to set
window_scratch place_window(bucket_geometry const& geometry, std::uint64_t size, std::size_t key_bytes,
                            std::size_t answer_bytes, void* base);

/// Brings `scratch.size` probes into an order by buckets: `scratch.last().keys`, and their positions where
/// the levels have room for them.
template <class Key>
void partition_window(window_buckets<Key> const& buckets, window_scratch const& scratch, probe_encoding encoding,
                      void const* probes, execution const& exec);

/// Gives a key to the places at the end of `scratch.last().keys` that led probes left free, for a search that takes
/// all. They get the same one, which costs a search little.
template <class Key> void fill_free_places(window_scratch const& scratch, execution const& exec);

/// Brings the answers in `scratch.last().answers` back into the order of the probes.
template <class Answer> void restore_window(window_scratch const& scratch, void* out, execution const& exec);

/// Arrays in key order, whose buckets can be searched in shared memory.
template <class Key, class Row> struct sorted_columns {
  Key const* keys;
  Row const* rows;
  std::uint64_t size;
};

/// @return whether buckets of the index fit into shared memory
template <class Key, class Row> bool can_search_buckets(window_buckets<Key> const& buckets);

/// Finds the first row of each partitioned probe: `scratch.last().answers`.
template <class Key, class Row>
void search_buckets(window_buckets<Key> const& buckets, sorted_columns<Key, Row> const& index,
                    window_scratch const& scratch, execution const& exec);

}  // namespace warpdex::cuda
