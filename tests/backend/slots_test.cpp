// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/update/slots.hpp"
#include "support/eytzinger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace warpdex::test {
namespace {

/// @return the slot of each rank, by a walk through the tree
std::vector<std::uint64_t> slots_of_ranks(std::size_t size, int fanout) {
  std::vector<std::uint64_t> ranks(size);
  std::iota(ranks.begin(), ranks.end(), std::uint64_t{0});
  if (fanout == 0) return ranks;
  auto const in_slots = in_eytzinger_order(ranks, fanout);
  std::vector<std::uint64_t> slots(size);
  for (std::size_t slot = 0; slot < size; ++slot) slots[in_slots[slot]] = slot;
  return slots;
}

/// Expects of some slots that each rank, and each part of the ranks, is where it is expected.
template <class Slots> void expect_places(Slots const& slots, std::vector<std::uint64_t> const& expected) {
  std::size_t const size = expected.size();
  for (std::size_t rank = 0; rank < size; ++rank) ASSERT_EQ(slots(rank), expected[rank]) << rank;
  std::mt19937_64 random(20261121);
  for (int i = 0; i < 50; ++i) {
    std::uint64_t const begin = random() % (size + 1);
    std::uint64_t const end = begin + random() % (size - begin + 1);
    auto const part = slots.part_of(begin, end);
    std::vector<bool> seen(end - begin);
    for (unsigned j = 0; j < end - begin; ++j) {
      entry_place const at = part(j);
      ASSERT_LT(at.offset, seen.size());
      EXPECT_FALSE(seen[at.offset]) << at.offset << " of [" << begin << ", " << end << ")";
      seen[at.offset] = true;
      ASSERT_EQ(at.slot, expected[begin + at.offset]) << at.offset << " of [" << begin << ", " << end << ")";
    }
  }
}

template <class Slots> void expect_slots(std::size_t size, int fanout) {
  SCOPED_TRACE(testing::Message() << size << " entries, K = " << fanout);
  Slots const slots({fanout}, size);
  auto const expected = slots_of_ranks(size, fanout);
  expect_places(slots, expected);
  std::vector<std::uint64_t> ranks(size);
  for (std::size_t rank = 0; rank < size; ++rank) ranks[expected[rank]] = rank;
  std::mt19937_64 random(20261121);
  for (int i = 0; i < 50; ++i) {
    std::uint64_t const wanted = random() % (size + 1);
    EXPECT_EQ(slots.end_of_prefix(size, [&](std::uint64_t slot) { return ranks[slot] < wanted; }), wanted);
  }
}

/// Leaves of 2^slot_bits slots, each but the last with the same number of entries.
void expect_slots_in_even_leaves(std::size_t size, int slot_bits, std::size_t per_leaf) {
  SCOPED_TRACE(testing::Message() << size << " entries, " << per_leaf << " of 2^" << slot_bits << " slots");
  std::vector<std::uint64_t> expected(size);
  for (std::size_t rank = 0; rank < size; ++rank) expected[rank] = (rank / per_leaf << slot_bits) + rank % per_leaf;
  leaf_order const leaves{(size + per_leaf - 1) / per_leaf, per_leaf, slot_bits};
  expect_places(slots_in_leaves({0, leaves}, size), expected);
}

/// Leaves with random numbers of entries, anywhere in a pool, as an update leaves them.
void expect_slots_in_any_leaves(std::size_t size, int slot_bits) {
  SCOPED_TRACE(testing::Message() << size << " entries, leaves of 2^" << slot_bits << " slots");
  using position = slots_in_leaves::position;
  std::mt19937_64 random(size);
  std::size_t const slots = std::size_t{1} << slot_bits;
  std::vector<position> bases{0};
  while (bases.back() < size)
    bases.push_back(static_cast<position>(std::min(size, bases.back() + 1 + random() % slots)));
  std::vector<position> leaf_at(bases.size() - 1);
  std::iota(leaf_at.begin(), leaf_at.end(), position{0});
  std::shuffle(leaf_at.begin(), leaf_at.end(), random);
  std::vector<std::uint64_t> expected(size);
  std::vector<position> leaf_of;
  for (std::size_t leaf = 0; leaf < leaf_at.size(); ++leaf)
    for (std::size_t rank = bases[leaf]; rank < bases[leaf + 1]; ++rank) {
      expected[rank] = leaf_at[leaf] * slots + (rank - bases[leaf]);
      if (rank % slots == 0) leaf_of.push_back(static_cast<position>(leaf));
    }
  leaf_order const leaves{leaf_at.size(), 0, slot_bits, leaf_at.data(), bases.data(), leaf_of.data()};
  expect_places(slots_in_leaves({0, leaves}, size), expected);
}

template <class Row> void test_slots() {
  for (std::size_t const size : {0, 1, 2, 8, 9, 31, 80, 81, 82, 1000, 4097, 30000}) {
    expect_slots<slots_by_rank<Row>>(size, 0);
    for (int const fanout : {0, 2, 3, 5, 9, 17, 33}) expect_slots<slots_by_level<Row>>(size, fanout);
  }
}

TEST(slow_slots, of_leaves_are_those_of_a_walk) {
  for (std::size_t const size : {0, 1, 2, 8, 9, 31, 80, 81, 82, 1000, 4097, 30000}) {
    for (std::size_t const per_leaf : {1, 8, 15, 16}) expect_slots_in_even_leaves(size, 4, per_leaf);
    for (int const slot_bits : {4, 9}) expect_slots_in_any_leaves(size, slot_bits);
  }
}

TEST(slow_slots, are_those_of_a_walk_with_rows_of_32_bits) { test_slots<std::uint32_t>(); }
TEST(slow_slots, are_those_of_a_walk_with_rows_of_64_bits) { test_slots<std::uint64_t>(); }

}  // namespace
}  // namespace warpdex::test
