// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/range_listener.hpp"

#include <gtest/gtest.h>
#include <warpdex/index.hpp>
#include <warpdex/join.hpp>

#include <cstdlib>

/// @file
/// Profilers see the calls of a user and their stages by name.
namespace warpdex::test {
namespace {

using names = std::vector<std::string>;

// NVTX looks for its profiler at the first range of the process.
[[maybe_unused]] bool const listens = ::setenv("NVTX_INJECTION64_PATH", WARPDEX_TEST_LISTENER, 1) == 0;

/// Keys that repeat, so that joins count pairs.
class ranges_of : public testing::Test {
 protected:
  std::vector<std::uint32_t> const keys{3, 1, 4, 1, 5};
  std::vector<std::uint32_t> rows = std::vector<std::uint32_t>(keys.size());
  execution const exec{host_memory(), {}};
  index const found_in = index::build("AO+BS", keys, exec);

  void SetUp() override { take_ranges(); }
};

TEST_F(ranges_of, calls) {
  found_in.find(keys, rows, exec);
  EXPECT_EQ(take_ranges(), names{"warpdex/find"});
  std::vector<std::uint32_t> few(1);
  EXPECT_THROW(found_in.find(keys, few, exec), invalid_argument);
  found_in.verify(exec);
  EXPECT_EQ(take_ranges(), (names{"warpdex/find", "warpdex/verify"}));  // a failed call leaves its range, too
}

TEST_F(ranges_of, stages_of_joins) {
  join(
      found_in, keys, join_kind::inner, [](join_batch const&) {}, exec);
  std::string const part = "warpdex/join/join a part";
  EXPECT_EQ(take_ranges(), (names{"warpdex/join", part, part + "/write pairs", part + "/write pairs/hand over"}));
}

}  // namespace
}  // namespace warpdex::test
