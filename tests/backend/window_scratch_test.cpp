// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/tuning.hpp"
#include "backend/cuda/windows/window_stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <random>
#include <string>
#include <vector>

/// @file
/// The places of a window's arrays in its scratch. No byte of it is touched, so no device is needed.
namespace warpdex::cuda {
namespace {

constexpr std::uintptr_t base_address = std::uintptr_t{1} << 40;

struct window_shape {
  bucket_geometry geometry;
  std::uint64_t size;
  std::size_t key_bytes;
  answer_widths answers;

  window_scratch placed(std::uintptr_t base = base_address) const {
    return place_window(geometry, size, key_bytes, answers, reinterpret_cast<void*>(base));
  }
};

std::ostream& operator<<(std::ostream& out, window_shape const& s) {
  return out << s.geometry.parents << " x " << s.geometry.children() << " buckets, " << s.size << " probes of "
             << s.key_bytes << " bytes, answers of " << s.answers.first << " and " << s.answers.more;
}

std::vector<std::uint64_t> window_sizes() {
  std::vector<std::uint64_t> sizes = {0,
                                      1,
                                      31,
                                      1000,
                                      100003,
                                      tuning::heavy_from_probes - 1,
                                      tuning::heavy_from_probes,
                                      tuning::window_least_probes,
                                      tuning::window_probes - 1,
                                      tuning::window_probes};
  for (int tiles : {1, 2, 3, 100})
    for (int more : {-1, 0, 1}) sizes.push_back(static_cast<std::uint64_t>(tiles * tuning::tile_size + more));
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// Calls `test` with each shape of a window.
template <class Test> void for_each_shape(Test const& test) {
  for (std::uint64_t const index_size : {1ull, 1ull << 18, 1ull << 22, 1ull << 26, 1ull << 28, 1ull << 34})
    for (std::size_t const key_bytes : {4, 8})
      for (answer_widths const answers :
           std::initializer_list<answer_widths>{{}, {1}, {4}, {8}, {4, 4}, {4, 8}, {8, 4}})
        for (std::uint64_t const size : window_sizes())
          test(window_shape{bucket_geometry_of(index_size, key_bytes), size, key_bytes, answers});
}

struct placed_array {
  std::string name;
  std::uintptr_t begin;
  std::uint64_t bytes;
};

/// The arrays that the kernels use, in their full size.
std::vector<placed_array> arrays_of(window_shape const& shape, window_scratch const& scratch) {
  std::vector<placed_array> arrays;
  auto const add = [&](char const* name, void const* begin, std::uint64_t bytes) {
    arrays.push_back({name, reinterpret_cast<std::uintptr_t>(begin), bytes});
  };
  bool const restores = shape.answers.first != 0;
  bool const shares = scratch.levels == 2 && restores && shape.answers.widest() <= shape.key_bytes;
  for (int l = 0; l < scratch.levels; ++l) {
    window_level const& level = scratch.level[l];
    add("keys", level.keys, shape.size * shape.key_bytes);
    add("counts", level.counts, level.all_buckets * sizeof(std::uint32_t));
    add("begins", level.begins, (level.all_buckets + 1) * sizeof(std::uint32_t));
    add("cursors", level.cursors, level.all_buckets * sizeof(std::uint32_t));
    add("chunk_begins", level.chunk_begins, (level.all_buckets + 1) * sizeof(std::uint32_t));
    add("chunks", level.chunks, level.chunk_limit * sizeof(bucket_chunk));
    if (restores) {
      add("slots", level.tile_indexes, std::uint64_t{level.tiles} * tuning::tile_size * sizeof(std::uint16_t));
      add("runs", level.runs, std::uint64_t{level.tiles} * level.buckets * sizeof(tile_run));
      if (!shares) add("answers", level.answers, shape.size * shape.answers.widest());
    } else if (l + 1 < scratch.levels) {
      add("positions", level.positions, shape.size * sizeof(std::uint32_t));
    }
  }
  if (shape.answers.more != 0) add("second answers", scratch.more, shape.size * shape.answers.more);
  if (scratch.heavy.looked_for()) {
    add("heavy keys", scratch.heavy.keys, heavy_hitters::cells * shape.key_bytes);
    add("leaders", scratch.heavy.leaders, heavy_hitters::cells * sizeof(std::uint32_t));
    add("places", scratch.heavy.places, heavy_hitters::cells * sizeof(std::uint32_t));
    add("present", scratch.heavy.present, sizeof(std::uint32_t));
  }
  return arrays;
}

TEST(window_scratch, arrays_are_aligned_and_apart) {
  for_each_shape([](window_shape const& shape) {
    SCOPED_TRACE(testing::Message() << shape);
    window_scratch const scratch = shape.placed();
    auto arrays = arrays_of(shape, scratch);
    std::sort(arrays.begin(), arrays.end(), [](auto const& a, auto const& b) {
      return a.begin < b.begin || (a.begin == b.begin && a.bytes < b.bytes);
    });
    std::uintptr_t end = base_address;
    for (placed_array const& array : arrays) {
      EXPECT_EQ(array.begin % 256, 0u) << array.name;
      EXPECT_GE(array.begin, end) << array.name << " begins in the array before it";
      end = array.begin + array.bytes;
    }
    EXPECT_LE(end, base_address + scratch.bytes);
  });
}

/// Answers reuse the memory of keys only if these are no longer needed, are keys of the other level, and are no
/// narrower.
TEST(window_scratch, answers_take_the_place_of_keys_of_the_other_level) {
  for_each_shape([](window_shape const& shape) {
    SCOPED_TRACE(testing::Message() << shape);
    if (shape.answers.first == 0 || shape.answers.widest() > shape.key_bytes) return;
    window_scratch const scratch = shape.placed();
    if (scratch.levels != 2) return;
    EXPECT_EQ(scratch.level[1].answers, scratch.level[0].keys);
    EXPECT_EQ(scratch.level[0].answers, scratch.level[1].keys);
  });
}

TEST(window_scratch, tiles_and_chunks_hold_all_probes) {
  for_each_shape([](window_shape const& shape) {
    SCOPED_TRACE(testing::Message() << shape);
    window_scratch const scratch = shape.placed();
    EXPECT_GE(std::uint64_t{scratch.level[0].tiles} * tuning::tile_size, shape.size);
    if (scratch.levels == 2) {
      EXPECT_GE(scratch.level[1].tiles, scratch.level[0].chunk_limit);
    }
    for (int l = 0; l < scratch.levels; ++l) {
      window_level const& level = scratch.level[l];
      // Each bucket begins a new chunk, whatever its size.
      EXPECT_GE(level.chunk_limit, level.all_buckets + shape.size / level.chunk_size);
    }
    EXPECT_EQ(scratch.last().all_buckets, shape.geometry.buckets());
  });
}

TEST(window_scratch, counting_places_nothing) {
  for_each_shape([](window_shape const& shape) {
    SCOPED_TRACE(testing::Message() << shape);
    window_scratch const counted = shape.placed(0);
    EXPECT_EQ(counted.bytes, shape.placed().bytes);
    for (placed_array const& array : arrays_of(shape, counted)) EXPECT_EQ(array.begin, 0u) << array.name;
  });
}

/// A batch allocates scratch for its first window and uses it for the last one too.
TEST(window_scratch, a_smaller_window_needs_no_more_room) {
  std::mt19937_64 random(3);
  for_each_shape([&](window_shape const& shape) {
    SCOPED_TRACE(testing::Message() << shape);
    std::size_t const room = shape.placed().bytes;
    for (int i = 0; i < 20; ++i) {
      window_shape smaller = shape;
      smaller.size = i == 0 ? shape.size - std::min<std::uint64_t>(shape.size, 1) : random() % (shape.size + 1);
      EXPECT_LE(smaller.placed().bytes, room) << smaller.size << " probes";
    }
  });
}

/// The same where the size of a search's chunks steps up, so their number steps down.
TEST(window_scratch, larger_chunks_need_no_less_room) {
  for (std::uint64_t const index_size : {1ull << 18, 1ull << 22, 1ull << 28, 1ull << 34})
    for (answer_widths const answers : std::initializer_list<answer_widths>{{}, {8}, {8, 8}}) {
      window_shape shape{bucket_geometry_of(index_size, 8), 0, 8, answers};
      std::uint64_t const step = std::max<std::uint64_t>(shape.geometry.buckets() / 8, 1);
      std::size_t room = 0;
      for (std::uint64_t chunk = tuning::least_search_chunk; chunk <= tuning::most_search_chunk; ++chunk)
        for (std::uint64_t const size : {chunk * step - 1, chunk * step}) {
          shape.size = size;
          std::size_t const bytes = shape.placed(0).bytes;
          ASSERT_GE(bytes, room) << shape;
          room = bytes;
        }
    }
}

/// Scratch is bounded as tuning.hpp says: 10 to 37 bytes per probe of large windows.
TEST(window_scratch, bytes_of_a_probe) {
  for_each_shape([](window_shape const& shape) {
    if (shape.size != tuning::window_probes) return;
    SCOPED_TRACE(testing::Message() << shape);
    EXPECT_LE(shape.placed().bytes, 38 * shape.size);
  });
}

}  // namespace
}  // namespace warpdex::cuda
