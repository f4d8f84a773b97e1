// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <tuple>

namespace warpdex::test {
namespace {

class concurrency : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {};

/// Threads, each with its own stream, make all calls on one index, in different orders.
TEST_P(concurrency, slow_many_threads_ask_one_index) {
  auto const& [sample, backend] = GetParam();
  constexpr int thread_count = 6;
  constexpr int rounds = under_sanitizer ? 1 : 2;

  std::vector<std::uint32_t> keys(under_sanitizer ? 10000 : 30000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u % 20011u);
  std::vector<std::uint32_t> probes(under_sanitizer ? 500 : 3000);
  for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = static_cast<std::uint32_t>(i * 40503u % 25000u);

  test_stream const stream(backend);
  execution const exec(memory_of(backend), stream, 2);
  index const shared = index::build(sample, std::span(keys), exec);
  auto questions = all_questions(probes, shared.ordered());
  // Ranges between random probes would return millions of rows; points and short answers are enough here.
  std::erase_if(questions, [](question const& q) { return q.name == "range_retrieve"; });
  auto const expected = ask_all(questions, shared, exec);

  std::atomic<int> wrong = 0;
  std::vector<std::string> errors(thread_count);
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      try {
        test_stream const own(std::get<1>(GetParam()));
        execution const mine(memory_of(std::get<1>(GetParam())), own, 1 + t % 2);
        for (std::size_t k = 0; k < rounds * questions.size(); ++k) {
          std::size_t const q = (k + static_cast<std::size_t>(t)) % questions.size();
          if (questions[q].ask(shared, mine) != expected[q].second) ++wrong;
        }
      } catch (std::exception const& e) {
        errors[static_cast<std::size_t>(t)] = e.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (std::string const& error : errors) EXPECT_EQ(error, "");
}

INSTANTIATE_TEST_SUITE_P(all, concurrency,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
