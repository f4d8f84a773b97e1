// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/slots.hpp"
#include "support/eytzinger.hpp"

#include <gtest/gtest.h>

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

template <class Slots> void expect_slots(std::size_t size, int fanout) {
  SCOPED_TRACE(testing::Message() << size << " entries, K = " << fanout);
  Slots const slots({fanout}, size);
  auto const expected = slots_of_ranks(size, fanout);
  std::vector<std::uint64_t> ranks(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    ASSERT_EQ(slots(rank), expected[rank]) << rank;
    ranks[expected[rank]] = rank;
  }

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
    std::uint64_t const wanted = random() % (size + 1);
    EXPECT_EQ(slots.end_of_prefix(size, [&](std::uint64_t slot) { return ranks[slot] < wanted; }), wanted);
  }
}

template <class Row> void test_slots() {
  for (std::size_t const size : {0, 1, 2, 8, 9, 31, 80, 81, 82, 1000, 4097, 30000}) {
    expect_slots<slots_by_rank<Row>>(size, 0);
    for (int const fanout : {0, 2, 3, 5, 9, 17, 33}) expect_slots<slots_by_level<Row>>(size, fanout);
  }
}

TEST(slots, are_those_of_a_walk_with_rows_of_32_bits) { test_slots<std::uint32_t>(); }
TEST(slots, are_those_of_a_walk_with_rows_of_64_bits) { test_slots<std::uint64_t>(); }

}  // namespace
}  // namespace warpdex::test
