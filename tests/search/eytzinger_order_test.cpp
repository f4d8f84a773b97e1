// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/divisor.hpp>
#include <warpdex/search/eytzinger_order.hpp>

#include "support/eytzinger.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace warpdex::test {
namespace {

template <int K, class Position> void test_slots() {
  for (std::size_t const size : {1, 2, 7, 8, 9, 31, 32, 33, 80, 81, 82, 1000, 4096, 40000}) {
    eytzinger_order<Position> const order(K, size);
    std::vector<Position> ranks(size);
    std::iota(ranks.begin(), ranks.end(), Position{0});
    auto const rank_of_slot = in_eytzinger_order(ranks, K);
    for (std::size_t slot = 0; slot < size; ++slot) {
      ASSERT_EQ(order.slot_of(rank_of_slot[slot], Position{K}), slot) << size << " entries";
      ASSERT_EQ(order.slot_of(rank_of_slot[slot], divisor<Position>(K)), slot) << size << " entries";
      ASSERT_EQ(order.rank_of(static_cast<Position>(slot), Position{K}), rank_of_slot[slot]) << size << " entries";
      ASSERT_EQ(order.rank_of(static_cast<Position>(slot), divisor<Position>(K)), rank_of_slot[slot]);
    }
  }
}

template <class Position> void test_fanouts() {
  test_slots<2, Position>();
  test_slots<3, Position>();
  test_slots<5, Position>();
  test_slots<9, Position>();
  test_slots<17, Position>();
  test_slots<33, Position>();
}

TEST(eytzinger_order, slots_are_those_of_a_walk_in_32_bits) { test_fanouts<std::uint32_t>(); }
TEST(eytzinger_order, slots_are_those_of_a_walk_in_64_bits) { test_fanouts<std::uint64_t>(); }

TEST(eytzinger_order, a_tree_of_one_node_is_in_the_order_of_ranks) {
  constexpr auto largest = static_cast<std::uint32_t>(-1);
  eytzinger_order<std::uint32_t> const order(largest, largest - 1);
  for (std::uint32_t const rank : {0u, 1u, 1000000u, largest - 2})
    EXPECT_EQ(order.slot_of(rank, divisor<std::uint32_t>(largest)), rank);
}

}  // namespace
}  // namespace warpdex::test
