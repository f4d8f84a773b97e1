// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_stages.hpp"

namespace warpdex::cuda {
namespace {

/// Takes arrays from a piece of memory one after the other, or only counts their bytes.
class carver {
 public:
  explicit carver(void* base) : base_(static_cast<unsigned char*>(base)) {}

  template <class T> void take(T*& array, std::uint64_t count) {
    void* bytes = nullptr;
    take(bytes, count, sizeof(T));
    array = static_cast<T*>(bytes);
  }
  void take(void*& array, std::uint64_t count, std::size_t width) {
    constexpr std::size_t line = 256;
    array = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (count * width + line - 1) / line * line;
  }
  std::size_t used() const { return used_; }

 private:
  unsigned char* base_;
  std::size_t used_ = 0;
};

}  // namespace

window_scratch place_window(bucket_geometry const& geometry, std::uint64_t size, std::size_t key_bytes,
                            answer_widths answers, void* base) {
  window_scratch scratch;
  scratch.size = size;
  scratch.levels = geometry.levels();
  bool const restores = answers.first != 0;
  carver from(base);
  std::uint64_t tiles = (size + tuning::tile_size - 1) / tuning::tile_size;
  for (int l = 0; l < scratch.levels; ++l) {
    bool const is_last = l == scratch.levels - 1;
    window_level& level = scratch.level[l];
    level.buckets = l == 0 ? geometry.parents : geometry.children();
    level.all_buckets = is_last ? geometry.buckets() : geometry.parents;
    level.tiles = static_cast<std::uint32_t>(tiles);
    level.chunk_size = is_last
                           ? static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                                 8 * size / level.all_buckets, tuning::least_search_chunk, tuning::most_search_chunk))
                           : tile_chunk;
    level.chunk_limit = static_cast<std::uint32_t>(level.all_buckets + size / level.chunk_size);
    from.take(level.keys, size, key_bytes);
    if (restores) {
      from.take(level.tile_indexes, tiles * tuning::tile_size);
      from.take(level.runs, tiles * level.buckets);
    }
    if (answers.positions || (!restores && !is_last)) from.take(level.positions, size);
    from.take(level.counts, level.all_buckets);
    from.take(level.begins, level.all_buckets + 1);
    from.take(level.cursors, level.all_buckets);
    from.take(level.chunk_begins, level.all_buckets + 1);
    // Room for the number of chunks of the smallest size: so a smaller window never needs more room than a larger one.
    from.take(level.chunks, level.all_buckets + size / std::min(level.chunk_size, tuning::least_search_chunk));
    tiles = level.chunk_limit;
  }
  // With two levels, answers reuse the room of keys. Nobody reads the keys of the first level when the search writes
  // the answers of the second, nor the keys of the second level when these answers are restored to the first.
  if (scratch.levels == 2 && answers.widest() <= key_bytes && restores) {
    scratch.level[1].answers = scratch.level[0].keys;
    scratch.level[0].answers = scratch.level[1].keys;
  } else if (restores) {
    for (int l = 0; l < scratch.levels; ++l) from.take(scratch.level[l].answers, size, answers.widest());
  }
  if (answers.more != 0) from.take(scratch.more, size, answers.more);
  if (restores && !answers.positions && size >= tuning::heavy_from_probes && key_bytes <= heavy_hitters::widest_key) {
    from.take(scratch.heavy.keys, heavy_hitters::cells, key_bytes);
    from.take(scratch.heavy.leaders, heavy_hitters::cells);
    from.take(scratch.heavy.places, heavy_hitters::cells);
    from.take(scratch.heavy.present, 1);
  }
  if (answers.in_tiles) from.take(scratch.in_tiles, 1);
  scratch.bytes = from.used();
  return scratch;
}

}  // namespace warpdex::cuda
