// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/parallel.hpp"

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/stop.hpp>

#include "support/child.hpp"
#include "support/poor_machine.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace warpdex::test {
namespace {

/// Whether each of [0, n) is in one chunk, and no chunk is larger than `grain`.
bool covers(int threads, std::uint64_t n, std::uint64_t grain) {
  std::vector<std::atomic<int>> visits(n);
  std::atomic<bool> right{true};
  parallel_chunks(threads, n, grain, [&](std::uint64_t begin, std::uint64_t end) {
    if (begin >= end || end - begin > grain) right = false;
    for (std::uint64_t i = begin; i < end; ++i) ++visits[i];
  });
  for (auto const& v : visits) right = right && v == 1;
  return right;
}

/// Ends only when two threads are in it.
void meet() {
  std::atomic<int> arrived{0};
  parallel_chunks(2, 2, 1, [&](std::uint64_t, std::uint64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
}

TEST(parallel, chunks_cover_everything_once) {
  for (int const threads : {-1, 0, 1, 2, 3, 4, 1000000, INT_MAX})
    for (std::uint64_t const n : {0, 1, 7, 8, 9, 1000, 1001})
      for (std::uint64_t const grain : {1, 8, 1000}) EXPECT_TRUE(covers(threads, n, grain)) << threads << " " << n;
}

TEST(parallel, several_threads_take_part) { meet(); }

TEST(parallel, no_more_threads_than_asked_for) {
  for (int const threads : {1, 2, 3}) {
    std::mutex mutex;
    std::set<std::thread::id> ids;
    parallel_chunks(threads, 2000, 1, [&](std::uint64_t, std::uint64_t) {
      std::lock_guard const lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
    EXPECT_LE(ids.size(), static_cast<std::size_t>(threads));
  }
}

TEST(parallel, work_may_have_parallel_work) {
  std::atomic<std::uint64_t> sum{0};
  parallel_chunks(0, 16, 1, [&](std::uint64_t outer, std::uint64_t) {
    parallel_chunks(0, 16, 1, [&](std::uint64_t middle, std::uint64_t) {
      parallel_chunks(0, 4, 1, [&](std::uint64_t inner, std::uint64_t) { sum += outer * middle + inner; });
    });
  });
  EXPECT_EQ(sum, 4u * 120 * 120 + 256 * 6);
}

TEST(parallel, many_callers_at_once) {
  std::atomic<bool> right{true};
  std::vector<std::thread> callers;
  for (int c = 0; c < 8; ++c)
    callers.emplace_back([&, c] {
      for (int i = 0; i < 200; ++i)
        if (!covers(c % 5, 300 + static_cast<std::uint64_t>(i), 7)) right = false;
    });
  for (auto& caller : callers) caller.join();
  EXPECT_TRUE(right);
}

/// The exception comes out on the calling thread, and only when no other thread is in the work any more.
TEST(parallel, exceptions_reach_the_caller) {
  for (std::uint64_t failing = 0; failing < 100; ++failing) {
    std::atomic<int> inside{0};
    try {
      parallel_chunks(0, 100, 1, [&](std::uint64_t i, std::uint64_t) {
        ++inside;
        std::this_thread::yield();
        --inside;
        if (i >= failing) throw std::runtime_error("chunk " + std::to_string(i));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (std::runtime_error const& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, 6), "chunk ");
    }
    EXPECT_EQ(inside, 0);
  }
}

TEST(parallel, works_with_the_threads_that_start) {
  if (under_thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer allows no threads in a child of several threads";
  for (int const threads : {0, 1, 2}) {
    EXPECT_EQ(in_child([&] {
                machine.threads = threads;
                bool right = true;
                for (int i = 0; i < 100; ++i) right = right && covers(0, 1000, 3);
                return right;
              }),
              0)
        << threads << " threads";
  }
}

/// The child has none of the pool's threads, and such threads may hold locks.
TEST(parallel, a_child_of_fork_has_threads_of_its_own) {
  if (under_thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer allows no threads in a child of several threads";
  // AddressSanitizer's allocator leaves its locks locked in the child if a thread held them.
  constexpr int busy = under_address_sanitizer ? 0 : 3;
  meet();
  std::atomic<bool> stops{false};
  std::vector<std::thread> callers;
  for (int c = 0; c < busy; ++c)
    callers.emplace_back([&] {
      while (!stops) parallel_chunks(0, 64, 1, [](std::uint64_t, std::uint64_t) {});
    });
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(in_child([] {
                std::atomic<std::uint64_t> sum{0};
                parallel_chunks(0, 1000, 1, [&](std::uint64_t n, std::uint64_t) { sum += n; });
                meet();
                return sum == 999 * 500;
              }),
              0);
  stops = true;
  for (auto& caller : callers) caller.join();
}

TEST(parallel, a_stop_request_ends_the_work) {
  auto const owner = std::make_unique<std::stop_source>();  // GCC 12 warns of one on the stack
  std::stop_source& stop = *owner;
  stop_scope const scope(stop.get_token());
  std::atomic<int> chunks{0};
  auto const work = [&](std::uint64_t begin, std::uint64_t) {
    ++chunks;
    parallel_chunks(2, 64, 1, [&](std::uint64_t, std::uint64_t) {
      if (begin != 0) stop.request_stop();
    });
  };
  EXPECT_THROW(parallel_chunks(3, 1 << 20, 1, work), cancelled);
  EXPECT_LT(chunks, 1 << 20);
  EXPECT_THROW(parallel_chunks(1, 5, 1, work), cancelled);
  {
    stop_scope const whole{std::stop_token()};
    EXPECT_TRUE(covers(3, 1000, 10));
  }
  std::vector<std::uint32_t> const keys = {2, 1};
  EXPECT_THROW(index::build("AO+BS", keys, {}), cancelled);
}

TEST(parallel, one_thread_looks_for_a_stop_before_each_chunk) {
  std::stop_source stop;
  stop_scope const scope(stop.get_token());
  int chunks = 0;
  auto const work = [&](std::uint64_t, std::uint64_t) {
    if (++chunks == 3) stop.request_stop();
  };
  EXPECT_THROW(parallel_chunks(1, 1 << 20, 1 << 10, work), cancelled);
  EXPECT_EQ(chunks, 3);
}

TEST(parallel, a_stop_of_any_scope_counts_unless_one_hides_it) {
  std::stop_source outer, inner;
  stop_scope const scope(outer.get_token());
  stop_scope const within(inner.get_token());
  outer.request_stop();
  EXPECT_THROW(stop_scope::look(), cancelled);
  EXPECT_THROW(parallel_chunks(2, 100, 1, [](std::uint64_t, std::uint64_t) {}), cancelled);
  stop_scope const whole{std::stop_token()};
  EXPECT_NO_THROW(stop_scope::look());
  EXPECT_TRUE(covers(3, 1000, 10));
}

/// Only the caller can see the request, while its helper is in a chunk that is longer than all others.
TEST(parallel, the_thread_of_a_scope_looks_itself_also_while_it_waits) {
  std::stop_source stop;
  auto const caller = std::this_thread::get_id();
  std::atomic<bool> helper_came{false};
  int looks = 0;
  stop_scope const scope(stop.get_token(), [&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    if (helper_came && ++looks == 3) stop.request_stop();
  });
  auto const work = [&](std::uint64_t, std::uint64_t) {
    if (std::this_thread::get_id() == caller) {
      while (!helper_came) std::this_thread::yield();
      return;
    }
    helper_came = true;
    while (!stop.stop_requested()) std::this_thread::yield();
    parallel_chunks(2, 5, 1, [](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "the helper does not look"; });
  };
  EXPECT_THROW(parallel_chunks(2, 2, 1, work), cancelled);
  EXPECT_GE(looks, 3);
}

/// Lists of these lengths are shared out.
TEST(parallel, chunks_of_lists_are_as_large_as_what_they_make) {
  constexpr std::uint64_t grain = cpu::tuning::copy_grain;
  std::vector<std::vector<std::uint64_t>> const cases = {{},
                                                         {0},
                                                         {5},
                                                         {grain * 10},
                                                         std::vector<std::uint64_t>(1000, grain / 3),
                                                         std::vector<std::uint64_t>(3 * grain, 0),
                                                         {0, grain * 5, 0, 1, grain - 1, grain * 2, 0, 0, 7}};
  for (auto const& lengths : cases)
    for (int const threads : {1, 3}) {
      std::vector<std::uint32_t> offsets(lengths.size() + 1, 4);  // where the first begins does not matter
      std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
      for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += 4;
      std::vector<std::atomic<int>> visits(lengths.size());
      parallel_lists(threads, lengths.size(), offsets.data(), [&](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t work = 0;
        for (std::uint64_t i = begin; i < end; ++i) {
          ++visits[i];
          if (i + 1 < end) work += 1 + lengths[i];  // the last one may be of any length
        }
        EXPECT_LE(work, grain);
      });
      EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](auto const& count) { return count == 1; }));
    }
}

}  // namespace
}  // namespace warpdex::test
