// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/build_progress.hpp>

#include <gtest/gtest.h>
#include <warpdex/index.hpp>

#include <algorithm>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace warpdex {
namespace {

/// Memory that notes how far a build is whenever the build takes some.
class noting_memory final : public memory_resource {
 public:
  explicit noting_memory(build_progress const& of) : of_(of) {}
  std::vector<double> noted;

  void* allocate(std::size_t bytes, stream_ref stream) override {
    noted.push_back(of_.done());
    return host_memory().allocate(bytes, stream);
  }
  void deallocate(void* memory, std::size_t bytes, stream_ref stream) noexcept override {
    host_memory().deallocate(memory, bytes, stream);
  }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }

 private:
  build_progress const& of_;
};

std::vector<std::uint64_t> random_keys(std::size_t size) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys(size);
  std::generate(keys.begin(), keys.end(), std::ref(random));
  return keys;
}

TEST(build_progress, ascends_to_one) {
  auto const keys = random_keys(1 << 16);
  build_progress progress;
  noting_memory memory(progress);
  progress_scope const scope(progress);
  index::build("AO+BS", keys, execution(memory, {}, 1));
  EXPECT_EQ(progress.done(), 1);
  EXPECT_TRUE(std::is_sorted(memory.noted.begin(), memory.noted.end()));
  EXPECT_EQ(memory.noted.front(), 0);
  EXPECT_TRUE(std::any_of(memory.noted.begin(), memory.noted.end(), [](double done) { return 0 < done && done < .5; }));
  EXPECT_GT(memory.noted.back(), .5);
}

TEST(build_progress, is_that_of_the_innermost_scope_and_thread) {
  auto const keys = random_keys(100);
  build_progress outer, inner, other;
  progress_scope const scope(outer);
  {
    progress_scope const nested(inner);
    index::build("AO+BS", keys, execution());
    EXPECT_EQ(inner.done(), 1);
    EXPECT_EQ(outer.done(), 0);
    std::thread([&] {
      progress_scope const elsewhere(other);
      index::build("HT(open)", keys, execution());
    }).join();
    EXPECT_EQ(other.done(), 1);
  }
  index::build("AO+BS", keys, execution());
  EXPECT_EQ(outer.done(), 1);
}

TEST(build_progress, of_a_build_that_fails_ends_before_one) {
  std::vector<std::uint64_t> const keys(100);
  std::vector<std::uint32_t> const rows(100, no_row<std::uint32_t>);
  build_progress progress;
  progress_scope const scope(progress);
  EXPECT_THROW(index::build("AO+BS", keys, std::span(rows), execution()), invalid_argument);
  EXPECT_LT(progress.done(), 1);
}

}  // namespace
}  // namespace warpdex
