// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/row_lists.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace warpdex::test {
namespace {

/// Lists of 2 to 4 rows for slots with a density of marks, from none to all.
template <class Row> void expect_lists_of_their_slots() {
  constexpr std::uint64_t slots = 5 * mark_block<Row>::slots;
  std::mt19937_64 random(3);
  for (std::uint64_t const density : {0, 1, 3, 10}) {
    std::vector<mark_block<Row>> blocks(5, {0, 0});
    std::vector<Row> starts = {0};
    std::vector<stretch<std::uint64_t>> expected(slots, {0, 0});
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      auto& block = blocks[slot / mark_block<Row>::slots];
      if (slot % mark_block<Row>::slots == 0) block.before = static_cast<Row>(starts.size() - 1);
      if (random() % 10 >= density) continue;
      block.marks = static_cast<Row>(block.marks | Row{1} << slot % mark_block<Row>::slots);
      expected[slot].begin = starts.back();
      starts.push_back(static_cast<Row>(starts.back() + 2 + random() % 3));
      expected[slot].end = starts.back();
    }
    row_lists<Row> const lists{blocks.data(), starts.data(), nullptr};
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      EXPECT_EQ(lists.list_of(slot).begin, expected[slot].begin) << slot;
      EXPECT_EQ(lists.list_of(slot).end, expected[slot].end) << slot;
    }
  }
}

TEST(row_lists, of_slots_with_marks) {
  expect_lists_of_their_slots<std::uint32_t>();
  expect_lists_of_their_slots<std::uint64_t>();
}

TEST(row_lists, without_marks_no_slot_has_a_list) {
  row_lists<std::uint32_t> const none{};
  EXPECT_EQ(none.list_of(7).begin, none.list_of(7).end);
}

}  // namespace
}  // namespace warpdex::test
