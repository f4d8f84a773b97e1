// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/windows/window_buckets.hpp"

#include "backend/cuda/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

/// @file
/// The host's part of windows: the number of window buckets, and where they begin. None of it needs a device.
namespace warpdex::cuda {
namespace {

/// Sizes around all powers of two up to 2^40.
std::vector<std::uint64_t> index_sizes() {
  std::vector<std::uint64_t> sizes;
  for (int bits = 0; bits <= 40; ++bits)
    for (std::uint64_t const size : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits,
                                     (std::uint64_t{1} << bits) + 1, std::uint64_t{3} << bits >> 1})
      if (size != 0) sizes.push_back(size);
  return sizes;
}

TEST(window_geometry, levels_are_powers_of_two_that_a_block_can_count) {
  for (std::uint64_t const size : index_sizes())
    for (std::size_t const key_bytes : {4, 8}) {
      bucket_geometry const g = bucket_geometry_of(size, key_bytes);
      SCOPED_TRACE(testing::Message() << size << " keys of " << key_bytes << ": " << g.parents << " x "
                                      << g.children());
      EXPECT_TRUE(std::has_single_bit(g.parents));
      EXPECT_LE(g.parents, tuning::most_buckets_a_level);
      EXPECT_LE(g.children(), tuning::most_buckets_a_level);
      EXPECT_EQ(g.buckets(), g.parents * g.children());
      EXPECT_EQ(g.levels(), g.children() == 1 ? 1 : 2);
    }
}

/// Window buckets of evenly spread keys fit into shared memory up to 2^28 keys. Larger indexes have no fewer of them.
TEST(window_geometry, buckets_hold_what_shared_memory_does) {
  for (std::uint64_t const size : index_sizes())
    for (std::size_t const key_bytes : {4, 8}) {
      if (size > std::uint64_t{1} << 28) continue;
      EXPECT_LE((size - 1) / bucket_geometry_of(size, key_bytes).buckets() + 1, tuning::bucket_capacity) << size;
    }
  for (std::size_t const key_bytes : {4, 8}) {
    EXPECT_EQ(bucket_geometry_of(1, key_bytes).buckets(), 1u);
    EXPECT_EQ(bucket_geometry_of(std::uint64_t{1} << 28, key_bytes).parents, 128u);
    EXPECT_EQ(bucket_geometry_of(std::uint64_t{1} << 28, key_bytes).children(), 256u);
  }
}

/// Keys at the ends of [lowest, highest], around them, and anywhere between.
template <class Key> std::vector<Key> keys_about(Key lowest, Key highest) {
  std::mt19937_64 random(42);
  std::set<Key> keys = {0, std::numeric_limits<Key>::max(), lowest, highest};
  for (Key const near : {lowest, highest})
    for (Key i = 1; i < 5; ++i) {
      keys.insert(static_cast<Key>(near - std::min(near, i)));
      keys.insert(static_cast<Key>(near + std::min(static_cast<Key>(~near), i)));
    }
  u128 const span = u128{static_cast<Key>(highest - lowest)} + 1;
  for (int i = 0; i < 2000; ++i) keys.insert(static_cast<Key>(lowest + static_cast<Key>(u128{random()} % span)));
  return {keys.begin(), keys.end()};
}

template <class Key> void expect_linear(Key lowest, Key highest, std::uint32_t buckets) {
  SCOPED_TRACE(testing::Message() << sizeof(Key) << " bytes, " << lowest << " to " << highest << ", " << buckets);
  linear_map<Key> const map = make_linear_map(lowest, highest, buckets);
  EXPECT_NE(map.scale, 0u) << "says that there are no buckets";
  std::uint32_t before = 0;
  for (Key const key : keys_about(lowest, highest)) {
    std::uint32_t const bucket = bucket_of(map, key);
    ASSERT_LT(bucket, buckets) << key;
    ASSERT_GE(bucket, before) << key << ": falls where keys rise";
    before = bucket;
  }
  EXPECT_EQ(bucket_of(map, lowest), 0u);
  EXPECT_EQ(bucket_of(map, Key{0}), 0u);
  EXPECT_EQ(bucket_of(map, std::numeric_limits<Key>::max()), bucket_of(map, highest));
  // The scale is rounded down, by less than one bucket over all keys.
  if (static_cast<Key>(highest - lowest) >= buckets) {
    EXPECT_GE(bucket_of(map, highest) + 2, buckets);
  }
}

template <class Key> void expect_linear_maps() {
  constexpr Key largest = std::numeric_limits<Key>::max();
  for (std::uint32_t const buckets : {1u, 2u, 256u, 32768u, 262144u})
    for (auto const& [lowest, highest] : std::vector<std::pair<Key, Key>>{{0, largest},
                                                                          {0, 0},
                                                                          {largest, largest},
                                                                          {largest - 1, largest},
                                                                          {17, 18},
                                                                          {1000, 101000},
                                                                          {largest / 3, largest - 7},
                                                                          {largest / 2, largest / 2 + 1000000}})
      expect_linear<Key>(lowest, highest, buckets);
}

TEST(window_linear_map, keys_of_4_bytes) { expect_linear_maps<std::uint32_t>(); }
TEST(window_linear_map, keys_of_8_bytes) { expect_linear_maps<std::uint64_t>(); }

/// All hashes, cut evenly: the bucket is their upper bits.
TEST(window_linear_map, hashes) {
  for (int bits = 0; bits <= 15; ++bits) {
    auto const narrow = make_linear_map(0u, ~0u, 1u << bits);
    auto const wide = make_linear_map(std::uint64_t{0}, ~std::uint64_t{0}, 1u << bits);
    std::mt19937_64 random(7);
    for (int i = 0; i < 1000; ++i) {
      std::uint64_t const hash = random();
      EXPECT_EQ(bucket_of(wide, hash), bits == 0 ? 0 : hash >> (64 - bits));
      EXPECT_EQ(bucket_of(narrow, static_cast<std::uint32_t>(hash >> 32)), bits == 0 ? 0 : hash >> (64 - bits));
    }
  }
}

/// The search in one tree of splitters (window_routers.cuh).
template <class Key> std::uint32_t child_of(Key const* tree, std::uint32_t children, Key key) {
  std::uint32_t node = 1;
  while (node < children) node = 2 * node + (tree[node] < key ? 1 : 0);
  return node - children;
}

template <class Key> void expect_trees(bucket_geometry const& geometry, std::uint64_t different) {
  std::uint32_t const count = geometry.buckets();
  SCOPED_TRACE(testing::Message() << geometry.parents << " x " << geometry.children() << ", " << different << " keys");
  std::mt19937_64 random(count);
  std::vector<Key> samples(count + 1);
  for (Key& sample : samples) sample = static_cast<Key>(random() % different * 3);
  std::sort(samples.begin(), samples.end());
  auto const trees = make_splitter_trees(samples, geometry);
  ASSERT_EQ(trees.size(), geometry.parents + (geometry.levels() == 2 ? count : 0));
  for (int i = 0; i < 2000; ++i) {
    Key const key = i == 0   ? 0
                    : i == 1 ? std::numeric_limits<Key>::max()
                             : static_cast<Key>(random() % (3 * different + 2));
    std::uint32_t bucket = child_of(trees.data(), geometry.parents, key);
    if (geometry.levels() == 2) {
      Key const* const tree = trees.data() + geometry.parents + std::size_t{bucket} * geometry.children();
      bucket = bucket * geometry.children() + child_of(tree, geometry.children(), key);
    }
    auto const less = std::lower_bound(samples.begin() + 1, samples.begin() + count, key) - (samples.begin() + 1);
    ASSERT_EQ(bucket, static_cast<std::uint32_t>(less)) << key;
  }
}

TEST(window_splitters, a_bucket_is_the_number_of_smaller_splitters) {
  for (bucket_geometry const& geometry : {bucket_geometry{1, 0}, bucket_geometry{2, 0}, bucket_geometry{256, 0},
                                          bucket_geometry{2, 1}, bucket_geometry{128, 3}, bucket_geometry{64, 8}})
    for (std::uint64_t const different : {1, 3, 1000, 1 << 30}) {
      expect_trees<std::uint32_t>(geometry, different);
      expect_trees<std::uint64_t>(geometry, different);
    }
}

}  // namespace
}  // namespace warpdex::cuda
