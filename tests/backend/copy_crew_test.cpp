// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/copy_crew.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace warpdex::test {
namespace {

std::vector<std::byte> numbered(std::size_t size, std::size_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 31 + seed) >> (i % 3));
  return bytes;
}

/// Number of threads, and how many of them may write past the caches at a time.
class copying : public testing::TestWithParam<std::pair<int, int>> {};

/// More copies than the crew takes at a time, of sizes around its slices, at any address.
TEST_P(copying, arrives_whole) {
  constexpr std::size_t sizes[] = {1, 0, 63, 64, 1000, 262143, 262144, 262145, 3 * 262144 + 5};
  std::vector<std::vector<std::byte>> from;
  std::vector<std::vector<std::byte>> to;
  for (std::size_t i = 0; i < (under_thread_sanitizer ? 45 : 200); ++i) {
    from.push_back(numbered(sizes[i % std::size(sizes)] + i % 17, i));
    to.emplace_back(from.back().size() + 1);
  }
  auto const [threads, writers] = GetParam();
  copy_crew crew(threads, writers);
  std::vector<std::uint32_t> started;
  for (std::size_t i = 0; i < from.size(); ++i)
    started.push_back(crew.start({to[i].data() + i % 2, from[i].data(), from[i].size(), i % 3 == 0}));
  for (std::uint32_t const copy : started)
    while (!crew.done(copy))
      if (!crew.help()) spin_pause();
  EXPECT_FALSE(crew.help());
  for (std::size_t i = 0; i < from.size(); ++i)
    ASSERT_TRUE(std::equal(from[i].begin(), from[i].end(), to[i].begin() + i % 2)) << i;
}

TEST_P(copying, ends_with_copies_not_done) {
  auto const from = numbered((under_thread_sanitizer ? 2 : 8) << 20, 1);
  std::vector<std::byte> to(from.size());
  auto const [threads, writers] = GetParam();
  for (int i = 0; i < 10; ++i) {
    copy_crew crew(threads, writers);
    crew.start({to.data(), from.data(), from.size(), i % 2 == 0});
  }
}

INSTANTIATE_TEST_SUITE_P(threads, copying,
                         testing::Values(std::pair(0, 7), std::pair(0, 1), std::pair(1, 1), std::pair(2, 2)));

}  // namespace
}  // namespace warpdex::test
