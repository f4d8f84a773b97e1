// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/batcher.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/poor_machine.hpp"

/// @file
/// No test waits for a time, or says how long anything takes: a limit is either reached by what a test does, or so far
/// away that it is not.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using namespace std::chrono_literals;

constexpr u64 nowhere = no_row<u64>;
constexpr batch_limits until_stopped{1'000'000, 10000h};

void run_threads(int count, std::function<void(int)> const& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

std::vector<u32> even_keys(u32 count) {
  std::vector<u32> keys(count);
  for (u32 i = 0; i < count; ++i) keys[i] = 2 * (i * 7919u % count);  // all below 2 * count, if it is no multiple
  return keys;
}

/// Answers each probe, a u32, with twice its value, and keeps the sizes of the batches. The batcher's thread alone
/// writes them, so they may be read once it has stopped.
struct doubler {
  std::vector<std::size_t> sizes;

  batcher::answer_batch function() {
    return [this](lookup const&, nullable_column const& probes, std::span<u64> answers) {
      sizes.push_back(answers.size());
      auto const* const numbers = static_cast<u32 const*>(probes.data);
      std::transform(numbers, numbers + probes.size, answers.begin(), [](u32 number) { return u64{2} * number; });
    };
  }
};

class batcher_of_index : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  test_stream const stream_{std::get<1>(GetParam())};
  execution const exec_{memory_of(std::get<1>(GetParam())), stream_};

  template <class Key> index build(std::vector<Key> const& keys) const {
    return index::build(std::get<0>(GetParam()), keys, exec_);
  }
};

TEST_P(batcher_of_index, answers_many_threads_as_the_index_does) {
  constexpr u32 probes = 120;
  std::vector<u32> const keys = even_keys(5000);
  index const over = build(keys);
  std::vector<lookup const*> all = {&lookups::find, &lookups::contains, &lookups::count};
  if (over.ordered()) all.insert(all.end(), {&lookups::lower_bound, &lookups::floor, &lookups::ceil});
  auto const right = [&](lookup const& what, u32 probe) -> u64 {
    std::vector<u32> const single = {probe};
    if (&what == &lookups::contains) return over.contains(single, exec_)[0];
    if (&what == &lookups::count) return over.count(single, exec_)[0];
    if (&what == &lookups::lower_bound) return over.lower_bound(single, exec_)[0];
    u32 const row = (&what == &lookups::find    ? over.find(single, exec_)
                     : &what == &lookups::floor ? over.floor(single, exec_)
                                                : over.ceil(single, exec_))[0];
    return row == no_row<u32> ? nowhere : row;
  };
  for (batch_limits const limits : {batch_limits{}, batch_limits{1, 0ns}, batch_limits{16, 100us}}) {
    batcher batch(over, exec_, limits);
    std::atomic<int> wrong = 0;
    run_threads(8, [&](int t) {
      for (u32 i = 0; i < probes; ++i) {
        lookup const& what = *all[(i + static_cast<u32>(t)) % all.size()];
        u32 const probe = (i * 131 + static_cast<u32>(t) * 7) % 11000;
        if (batch.ask(what, probe).get() != right(what, probe)) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0) << limits.most_probes;
  }
}

TEST_P(batcher_of_index, widens_rows_and_takes_probes_of_several_types) {
  index const over = index::build(std::get<0>(GetParam()) + "/rows=u64", std::vector<u32>{30, 10, 20}, exec_);
  batcher batch(over, exec_, until_stopped);
  auto at_ten = batch.ask(lookups::find, u32{10}), at_twenty = batch.ask(lookups::find, u64{20});
  auto between = batch.ask(lookups::find, 19.5), negative = batch.ask(lookups::contains, -1);
  auto missing = batch.ask(lookups::find, u32{11});
  batch.stop();
  EXPECT_EQ(at_ten.get(), 1u);
  EXPECT_EQ(at_twenty.get(), 2u);
  EXPECT_EQ(between.get(), nowhere);
  EXPECT_EQ(negative.get(), 0u);
  EXPECT_EQ(missing.get(), nowhere);
}

INSTANTIATE_TEST_SUITE_P(all, batcher_of_index,
                         testing::Combine(testing::Values("AO+BS", "HT(open)"), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

TEST(batcher, answers_strings_and_their_prefixes) {
  byte_strings const names(std::vector<std::string>{"tea", "ten", "to", ""});
  index const over = index::build("AO+BS", names, execution());
  batcher batch(over);
  EXPECT_EQ(batch.ask(lookups::find, "ten").get(), 1u);
  EXPECT_EQ(batch.ask(lookups::find, std::string()).get(), 3u);
  EXPECT_EQ(batch.ask(lookups::find, "tent").get(), nowhere);
  EXPECT_EQ(batch.ask(lookups::prefix_count, "te").get(), 2u);
}

TEST(batcher, answers_once_there_are_most_probes) {
  doubler answers;
  batcher batch(answers.function(), {4, 10000h});
  std::vector<std::future<u64>> found;
  for (u32 i = 0; i < 8; ++i) found.push_back(batch.ask(lookups::find, i));
  for (u32 i = 0; i < 8; ++i) EXPECT_EQ(found[i].get(), 2 * i);
  auto left = batch.ask(lookups::find, u32{50});
  EXPECT_EQ(left.wait_for(0s), std::future_status::timeout);
  batch.stop();
  EXPECT_EQ(left.get(), 100u);
  EXPECT_EQ(answers.sizes, (std::vector<std::size_t>{4, 4, 1}));
}

TEST(batcher, answers_once_the_first_probe_has_waited) {
  doubler answers;
  batcher batch(answers.function(), {1'000'000, 1ms});
  for (u32 i = 0; i < 3; ++i) EXPECT_EQ(batch.ask(lookups::find, i).get(), 2 * i);
  batch.stop();
  EXPECT_EQ(answers.sizes, (std::vector<std::size_t>{1, 1, 1}));
}

TEST(batcher, gathers_while_it_answers) {
  doubler answers;
  std::binary_semaphore begun(0), go_on(0);
  batcher batch([&, inner = answers.function()](auto const& what, auto const& probes, auto to) {
    if (answers.sizes.empty()) {
      begun.release();
      go_on.acquire();
    }
    inner(what, probes, to);
  });
  std::vector<std::future<u64>> found;
  found.push_back(batch.ask(lookups::find, u32{0}));
  begun.acquire();
  for (u32 i = 1; i < 6; ++i) found.push_back(batch.ask(lookups::find, i));
  go_on.release();
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(found[i].get(), 2 * i);
  batch.stop();
  EXPECT_EQ(answers.sizes, (std::vector<std::size_t>{1, 5}));
}

TEST(batcher, tells_the_failure_of_a_batch_to_all_who_wait_and_goes_on) {
  bool fails = true;
  doubler answers;
  batcher batch(
      [&, inner = answers.function()](auto const& what, auto const& probes, auto to) {
        if (std::exchange(fails, false)) throw std::domain_error("no luck");
        inner(what, probes, to);
      },
      {3, 10000h});
  std::atomic<int> failed = 0;
  run_threads(3, [&](int t) {
    try {
      (void)batch.ask(lookups::find, static_cast<u32>(t)).get();
    } catch (std::domain_error const&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, 3);
  auto after = batch.ask(lookups::find, u32{4});
  batch.stop();
  EXPECT_EQ(after.get(), 8u);
}

TEST(batcher, a_lookup_that_fails_spares_the_others_of_its_batch) {
  index const table = index::build("HT(open)", std::vector<u32>{30, 10}, execution());
  batcher batch(table, {}, until_stopped);
  auto row = batch.ask(lookups::find, u32{10}), rank = batch.ask(lookups::lower_bound, u32{10});
  auto text = batch.ask(lookups::find, "10");
  batch.stop();
  EXPECT_EQ(row.get(), 1u);
  EXPECT_TRUE(throws<unsupported>([&] { rank.get(); }, "lower_bound: HT(open", "has no order"));
  EXPECT_TRUE(throws<invalid_argument>([&] { text.get(); }, "find: the probe column is of type bytes"));
}

TEST(batcher, refuses_what_it_cannot_answer) {
  doubler answers;
  batcher batch(answers.function());
  for (lookup const* what : {&lookups::retrieve, &lookups::ancestors, &lookups::find_unordered, &lookups::range_count,
                             &lookups::equal_range, &lookups::longest_prefix})
    EXPECT_TRUE(throws<invalid_argument>([&] { (void)batch.ask(*what, u32{1}); }, what->name, "more than one answer"));
  EXPECT_TRUE(throws<invalid_argument>([&] { batch.ask(lookups::find, u32{1}, nullptr); }, "receives the answer"));
  batch.stop();
  batch.stop();
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)batch.ask(lookups::find, u32{1}); }, "was stopped"));
  EXPECT_TRUE(answers.sizes.empty());
  EXPECT_TRUE(throws<invalid_argument>([&] { batcher(answers.function(), {0, 0ns}); }, "most_probes is 0"));
  EXPECT_TRUE(throws<invalid_argument>([&] { batcher(answers.function(), {1, -1ns}); }, "longest_wait is -1 ns"));
  EXPECT_TRUE(throws<invalid_argument>([&] { batcher(batcher::answer_batch{}); }, "no function that answers"));
}

TEST(batcher, tells_if_the_system_starts_no_thread) {
  doubler answers;
  machine.threads = 0;
  EXPECT_TRUE(throws<out_of_memory>([&] { batcher(answers.function()); }, "starts no thread"));
  machine.threads = poor_machine::unlimited;
  EXPECT_EQ(batcher(answers.function()).ask(lookups::find, u32{3}).get(), 6u);
}

TEST(batcher, answers_all_that_it_took_before_it_ends) {
  doubler answers;
  std::atomic<int> received = 0;
  {
    batcher batch(answers.function(), {64, 10000h});
    run_threads(8, [&](int t) {
      for (int i = 0; i < 100; ++i)
        batch.ask(lookups::find, static_cast<u32>(t), [&received, t](u64 answer, std::exception_ptr const& failure) {
          if (failure == nullptr && answer == 2 * static_cast<u64>(t)) ++received;
        });
    });
  }
  EXPECT_EQ(received, 800);
}

TEST(batcher, loses_no_probe_when_it_is_stopped_among_them) {
  for (int round = 0; round < 20; ++round) {
    doubler answers;
    batcher batch(answers.function());
    std::atomic<int> taken = 0, received = 0;
    run_threads(6, [&](int t) {
      try {
        for (int i = 0; i < 200; ++i) {
          if (t < 2 && i == 50) batch.stop();  // which two threads do
          batch.ask(lookups::find, u32{1}, [&](u64, std::exception_ptr const&) { ++received; });
          ++taken;
        }
      } catch (invalid_argument const&) {
      }
    });
    EXPECT_EQ(received, taken);  // `stop` has returned in both threads
  }
}

TEST(batcher, a_receiver_may_ask_and_stop) {
  doubler answers;
  std::promise<u64> last;
  batcher batch(answers.function());
  batch.ask(lookups::find, u32{1}, [&](u64 first, std::exception_ptr const&) {
    batch.ask(lookups::find, static_cast<u32>(first), [&](u64 second, std::exception_ptr const&) {
      batch.stop();
      last.set_value(second);
    });
  });
  EXPECT_EQ(last.get_future().get(), 4u);
  batch.stop();
}

TEST(batcher, takes_turns_with_updates_by_a_lock_in_its_function) {
  index over = index::build("HT(open)", std::vector<u32>{5}, execution());
  std::shared_mutex mutex;
  batcher batch([&, inner = batcher::answers_of(over)](auto const& what, auto const& probes, auto answers) {
    std::shared_lock const lock(mutex);
    inner(what, probes, answers);
  });
  std::atomic<int> wrong = 0;
  run_threads(4, [&](int t) {
    for (u32 i = 1; i < 30; ++i) {
      u32 const key = 100 * static_cast<u32>(t) + 1000 + i;
      {
        std::lock_guard const lock(mutex);
        over.insert(std::vector<u32>{key}, std::vector<u32>{i}, execution());
      }
      if (batch.ask(lookups::find, key).get() != i) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace warpdex::test
