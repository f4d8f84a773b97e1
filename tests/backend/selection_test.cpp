// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/update/selection.hpp"

#include <gtest/gtest.h>

#include <random>

#include "backend/cpu/cpu_loops.hpp"

namespace warpdex::test {
namespace {

struct has_flag {
  std::vector<char> const* flags;
  bool operator()(std::uint64_t i) const { return (*flags)[i] != 0; }
};

std::vector<char> random_flags(std::uint64_t range, unsigned percent, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<char> flags(range);
  for (char& flag : flags) flag = random() % 100 < percent;
  return flags;
}

void expect_selects(selection const& selected, std::vector<char> const& flags, execution const& exec) {
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < flags.size(); ++i)
    if (flags[i] != 0) expected.push_back(i);
  ASSERT_EQ(selected.size, expected.size());
  std::vector<std::uint64_t> listed(selected.size);
  list<cpu_loops>(exec, selected, listed.data());
  EXPECT_EQ(listed, expected);
  if (flags.empty()) return;
  std::uint64_t below = 0;
  for (std::uint64_t i = 0; i < flags.size(); ++i) {
    ASSERT_EQ(selected.view().before(i), below) << i;
    ASSERT_EQ(selected.view().holds(i), flags[i] != 0) << i;
    below += flags[i] != 0 ? 1 : 0;
  }
  EXPECT_EQ(selected.view().before(flags.size()), below);
}

TEST(selection, numbers_and_some_of_them) {
  execution const exec(host_memory(), {}, 2);
  for (std::uint64_t const range : {0u, 1u, 63u, 64u, 65u, 128u, 5000u})
    for (unsigned const percent : {0u, 1u, 50u, 100u}) {
      SCOPED_TRACE(testing::Message() << percent << " % of " << range);
      auto flags = random_flags(range, percent, range + percent);
      selection const some = select_if<cpu_loops>(exec, range, has_flag{&flags});
      expect_selects(some, flags, exec);
      auto const others = random_flags(range, 30, 7);
      selection const few = select_among<cpu_loops>(exec, some, has_flag{&others});
      for (std::uint64_t i = 0; i < range; ++i) flags[i] = flags[i] != 0 && others[i] != 0;
      expect_selects(few, flags, exec);
    }
}

}  // namespace
}  // namespace warpdex::test
