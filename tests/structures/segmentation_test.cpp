// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/learned/segmentation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/cpu_engine.hpp"
#include "support/key_shapes.hpp"

/// @file
/// Lines through sorted keys: their errors for every target, and their number.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr u64 one_chunk = ~u64{0};

template <class Key> any_entries<Key, u32> pairs_of(std::vector<Key> const& keys) {
  return soa_pairs<Key, u32>{keys.data(), nullptr};
}

template <template <class, class> class Fit, class Key>
made_segments segments_of(std::vector<Key> const& keys, u64 eps, u64 chunk, int threads = 1) {
  return make_segments<cpu_engine, Fit, Key, u32>(pairs_of(keys), keys.size(), eps, chunk,
                                                  execution(host_memory(), {}, threads));
}

template <class Key> segments<Key, u32> model_of(made_segments const& segments, u64 size, u64 eps) {
  return {static_cast<Key const*>(segments.keys.data), static_cast<line<u32> const*>(segments.lines.data),
          static_cast<u32>(segments.count), static_cast<u32>(size), static_cast<u32>(eps)};
}

template <class T> std::span<std::byte const> bytes_of(made_segments const& segments, stored_array const& array) {
  return {static_cast<std::byte const*>(array.data), (segments.count + 1) * sizeof(T)};
}

/// Looks at all keys, at the numbers next to them, and in the middle of all gaps.
template <class Key> void expect_small_errors(std::vector<Key> const& keys, made_segments const& segments, u64 eps) {
  auto const model = model_of<Key>(segments, keys.size(), eps);
  std::vector<Key> targets{0, static_cast<Key>(-1)};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    targets.insert(targets.end(), {keys[i], static_cast<Key>(keys[i] + 1), static_cast<Key>(keys[i] - 1)});
    if (i > 0) targets.push_back(static_cast<Key>(keys[i - 1] + (keys[i] - keys[i - 1]) / 2));
  }
  for (Key const target : targets) {
    auto const rank = static_cast<u64>(std::lower_bound(keys.begin(), keys.end(), target) - keys.begin());
    auto const behind = std::upper_bound(model.keys, model.keys + model.count, target) - model.keys;
    auto const window = model.predict(behind == 0 ? 0 : static_cast<u32>(behind - 1), target);
    ASSERT_LE(window.first, rank) << "target " << target;
    ASSERT_GE(window.last, rank) << "target " << target;
    ASSERT_LE(window.last - window.first, 2 * eps + 1);
    bool const is_key = rank < keys.size() && keys[rank] == target;
    if (is_key && window.last < keys.size()) {
      ASSERT_LT(rank, window.last) << "error above eps at key " << target;
    }
  }
}

template <template <class, class> class Fit, class Key> void expect_small_errors() {
  for (auto const& shape : key_shapes<Key>(3000))
    for (u64 const eps : {1, 2, 8, 64, 1024})
      for (u64 const chunk : {u64{100}, one_chunk}) {
        SCOPED_TRACE(shape.name + ", eps " + std::to_string(eps) + ", chunks of " + std::to_string(chunk));
        expect_small_errors(shape.keys, segments_of<Fit>(shape.keys, eps, chunk), eps);
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST(slow_segmentation, errors_of_hulls) {
  expect_small_errors<hull_fit, u32>();
  expect_small_errors<hull_fit, u64>();
}

TEST(slow_segmentation, errors_of_corridors) {
  expect_small_errors<corridor_fit, u32>();
  expect_small_errors<corridor_fit, u64>();
}

TEST(slow_segmentation, few_keys) {
  for (u64 n = 1; n <= 20; ++n)
    for (auto const& shape : key_shapes<u64>(n, n)) {
      SCOPED_TRACE(shape.name + ", " + std::to_string(n));
      expect_small_errors(shape.keys, segments_of<hull_fit>(shape.keys, 1, one_chunk), 1);
      expect_small_errors(shape.keys, segments_of<corridor_fit>(shape.keys, 1, one_chunk), 1);
    }
}

/// Finds the fewest segments by looking at all pairs of points: a line meets all points of a segment if no floor is
/// steeper to reach from an earlier ceiling than a ceiling from an earlier floor.
u64 fewest_segments(std::vector<u32> const& keys, u64 eps) {
  struct point {
    double x, y;
  };
  std::vector<point> points;
  key_points<u32, u32>{pairs_of(keys), keys.size()}.for_part(0, keys.size(), [&](key_point<u32> const& p) {
    points.push_back({static_cast<double>(p.key), static_cast<double>(p.rank)});
  });
  double const slack = static_cast<double>(eps) - 0.5;
  u64 count = 0;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end, ++count) {
    double steepest = 1e300;
    double flattest = -1e300;
    for (end = begin + 1; end < points.size(); ++end) {
      for (std::size_t i = begin; i < end; ++i) {
        double const run = points[end].x - points[i].x;
        double const rise = points[end].y - points[i].y;
        steepest = std::min(steepest, (rise + 2 * slack) / run);
        flattest = std::max(flattest, (rise - 2 * slack) / run);
      }
      if (flattest > steepest) break;
    }
  }
  return count;
}

/// What the host makes for a device is what the CPU makes for itself.
TEST(segmentation, host_loops_make_the_same_levels) {
  execution const exec;
  for (auto const& shape : key_shapes<u64>(3000)) {
    std::vector<aos_pairs<u64, u32>::pair> pairs(shape.keys.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].key = shape.keys[i];
    buffer const keys =
        keys_on_host<cpu_engine>(any_entries<u64, u32>(aos_pairs<u64, u32>{pairs.data()}), pairs.size(), exec);
    auto const on_host = make_levels<host_loops, u64, u32>(soa_pairs<u64, u32>{keys.as<u64>(), nullptr}, pairs.size(),
                                                           2, 1, pairs.size(), exec);
    auto const on_cpu = make_levels<cpu_engine, u64, u32>(pairs_of(shape.keys), pairs.size(), 2, 1, pairs.size(), exec);
    ASSERT_EQ(on_host.size(), on_cpu.size()) << shape.name;
    for (std::size_t i = 0; i < on_host.size(); ++i) {
      EXPECT_TRUE(
          std::ranges::equal(bytes_of<u64>(on_host[i], on_host[i].keys), bytes_of<u64>(on_cpu[i], on_cpu[i].keys)));
      EXPECT_TRUE(std::ranges::equal(bytes_of<line<u32>>(on_host[i], on_host[i].lines),
                                     bytes_of<line<u32>>(on_cpu[i], on_cpu[i].lines)));
    }
  }
}

template <template <class, class> class Fit> void expect_equal_parts() {
  for (auto const& shape : key_shapes<u64>(3000)) {
    auto const whole = segments_of<Fit>(shape.keys, 2, 100);
    for (u64 const at_a_time : {1, 100, 250, 2999}) {
      auto const parts = make_segments<cpu_engine, Fit, u64, u32>(pairs_of(shape.keys), shape.keys.size(), 2, 100,
                                                                  execution(), at_a_time);
      ASSERT_EQ(parts.count, whole.count) << shape.name << ", " << at_a_time << " entries at a time";
      ASSERT_EQ(parts.keys.bytes, whole.keys.bytes);
      ASSERT_EQ(parts.lines.bytes, whole.lines.bytes);
      EXPECT_EQ(std::memcmp(parts.keys.data, whole.keys.data, whole.keys.bytes), 0) << shape.name;
      EXPECT_EQ(std::memcmp(parts.lines.data, whole.lines.data, whole.lines.bytes), 0) << shape.name;
    }
  }
}

TEST(slow_segmentation, parts_make_the_same_segments) {
  expect_equal_parts<hull_fit>();
  expect_equal_parts<corridor_fit>();
}

TEST(slow_segmentation, hulls_make_the_fewest_segments) {
  for (auto const& shape : key_shapes<u32>(700))
    for (u64 const eps : {1, 2, 5, 20})
      EXPECT_EQ(segments_of<hull_fit>(shape.keys, eps, one_chunk).count, fewest_segments(shape.keys, eps))
          << shape.name << ", eps " << eps;
}

TEST(slow_segmentation, chunks_add_at_most_one_segment_each) {
  for (auto const& shape : key_shapes<u64>(5000))
    for (u64 const eps : {1, 4, 32}) {
      u64 const fewest = segments_of<hull_fit>(shape.keys, eps, one_chunk).count;
      for (u64 const chunk : {7, 64, 1000}) {
        u64 const chunks = (shape.keys.size() + chunk - 1) / chunk;
        u64 const count = segments_of<hull_fit>(shape.keys, eps, chunk).count;
        EXPECT_LT(count, fewest + chunks) << shape.name;
        EXPECT_GE(count, fewest) << shape.name;
      }
    }
}

TEST(slow_segmentation, hulls_take_at_most_as_many_segments_as_corridors) {
  for (auto const& shape : key_shapes<u64>(5000)) {
    u64 const spline = segments_of<corridor_fit>(shape.keys, 15, one_chunk).count;
    EXPECT_LE(segments_of<hull_fit>(shape.keys, 16, one_chunk).count, spline) << shape.name;
  }
}

TEST(slow_segmentation, threads_make_equal_bytes) {
  for (auto const& shape : key_shapes<u64>(20000)) {
    auto const serial = segments_of<hull_fit>(shape.keys, 4, chunk_of_pairs, 1);
    auto const parallel = segments_of<hull_fit>(shape.keys, 4, chunk_of_pairs, 2);
    ASSERT_EQ(serial.count, parallel.count);
    EXPECT_TRUE(std::ranges::equal(bytes_of<u64>(serial, serial.keys), bytes_of<u64>(parallel, parallel.keys)))
        << shape.name;
    EXPECT_TRUE(
        std::ranges::equal(bytes_of<line<u32>>(serial, serial.lines), bytes_of<line<u32>>(parallel, parallel.lines)))
        << shape.name;
  }
}

/// Stairs one rank too high for the error: each step needs its own segment.
TEST(slow_segmentation, the_worst_keys_take_a_segment_for_each_two_eps_ranks) {
  for (u64 const eps : {1, 3, 16}) {
    std::vector<u64> keys;
    u64 key = 0;
    for (int stair = 0; stair < 300; ++stair) {
      keys.insert(keys.end(), 2 * eps, key);
      key += u64{1} << (stair % 2 == 0 ? 40 : 3);
    }
    u64 const count = segments_of<hull_fit>(keys, eps, one_chunk).count;
    EXPECT_LE(count, keys.size() / (2 * eps) + 1);
    EXPECT_GE(count, u64{100});
    expect_small_errors(keys, segments_of<hull_fit>(keys, eps, one_chunk), eps);
  }
}

/// A key may have more entries than a signed number of 32 bits can count.
TEST(slow_segmentation, a_line_before_a_very_long_run) {
  constexpr u32 below = 4000000000;
  std::vector<u32> const keys{10, 21, ~u32{0}};
  std::vector<line<u32>> const lines{{5, 1}, {3900000005, 0}, {below + 5, 0}};
  segments<u32, u32> const model{keys.data(), lines.data(), 2, below, 5};
  for (u32 target = 10; target <= 20; ++target) {
    EXPECT_EQ(model.predict(0, target).last, target - 10 + 6);
    EXPECT_EQ(model.predict(0, target).first, target - 10 > 5 ? target - 15 : 0);
  }
  EXPECT_EQ(model.predict(1, 1000).first, 3899999995u);
}

/// A segment ends at the longest span even where one line meets all keys, so that floats are exact enough.
TEST(slow_segmentation, long_lines_are_cut) {
  std::vector<u64> keys(3 * longest_segment);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * 1000003 + (i * 2654435761u & 1023);
  EXPECT_EQ(segments_of<hull_fit>(keys, 16, one_chunk).count, 3u);
  for (auto const& segments :
       {segments_of<hull_fit>(keys, 16, one_chunk), segments_of<corridor_fit>(keys, 16, one_chunk)})
    verify_segments<cpu_engine, bound::less>(model_of<u64>(segments, keys.size(), 16), pairs_of(keys),
                                             execution(host_memory(), {}, 1));
}

}  // namespace
}  // namespace warpdex::test
