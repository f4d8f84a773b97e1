// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <tuple>

/// @file
/// Each allocation of each call is made to fail in turn. The call throws, nothing leaks, and the index
/// answers as before.
namespace warpdex::test {
namespace {

/// Keeps count of what is out, and refuses the allocation it is told to.
class scarce_memory final : public memory_resource {
 public:
  explicit scarce_memory(memory_resource& upstream) : upstream_(upstream) {}

  /// The `nth` allocation from now on fails, counted from 0.
  void fail_at(int nth) { remaining_ = nth; }
  void relax() { remaining_ = -1; }

  std::size_t live() const { return live_.size(); }
  bool consistent() const { return consistent_; }

  void* allocate(std::size_t bytes, stream_ref stream) override {
    std::lock_guard const lock(mutex_);
    if (remaining_ == 0) throw out_of_memory("scarce memory: cannot allocate " + std::to_string(bytes) + " bytes");
    if (remaining_ > 0) --remaining_;
    void* const pointer = upstream_.allocate(bytes, stream);
    live_.emplace(pointer, bytes);
    return pointer;
  }

  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    std::lock_guard const lock(mutex_);
    auto const found = live_.find(pointer);
    if (found == live_.end() || found->second != bytes) consistent_ = false;
    else live_.erase(found);
    upstream_.deallocate(pointer, bytes, stream);
  }

  backend_kind backend() const noexcept override { return upstream_.backend(); }

 private:
  memory_resource& upstream_;
  std::mutex mutex_;
  std::map<void*, std::size_t> live_;
  int remaining_ = -1;
  bool consistent_ = true;
};

class out_of_memory_at : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {};

/// Runs `call` with more and more memory until it succeeds. @return the number of failures before that
template <class Call> int fail_in_turn(scarce_memory& memory, std::size_t live_before, Call const& call) {
  for (int nth = 0; nth < 1000; ++nth) {
    memory.fail_at(nth);
    try {
      call();
      memory.relax();
      return nth;
    } catch (out_of_memory const& e) {
      EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
    }
    EXPECT_EQ(memory.live(), live_before) << "after failure " << nth;
  }
  memory.relax();
  ADD_FAILURE() << "a call with 1000 allocations";
  return 1000;
}

TEST_P(out_of_memory_at, every_allocation) {
  auto const& [sample, backend] = GetParam();
  test_stream const stream(backend);
  scarce_memory memory(memory_of(backend));
  execution const exec(memory, stream, 1);

  std::vector<std::uint64_t> keys(2000);
  std::vector<std::uint32_t> rows(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = i * 7919 % 1009;
    rows[i] = static_cast<std::uint32_t>(keys.size() - i);
  }
  {
    std::unique_ptr<index> built;
    auto const build = [&] {
      built =
          std::make_unique<index>(index::build(sample, std::span(keys), std::span<std::uint32_t const>(rows), exec));
    };
    EXPECT_GT(fail_in_turn(memory, 0, build), 0);

    std::vector<std::uint64_t> probes;
    for (std::uint64_t p = 0; p < 500; ++p) probes.push_back(p * 5);
    auto const questions = all_questions(probes, built->ordered());
    auto const answers = ask_all(questions, *built, exec);
    std::size_t const live = memory.live();
    for (std::size_t q = 0; q < questions.size(); ++q) {
      SCOPED_TRACE(questions[q].name);
      std::vector<std::uint64_t> answer;
      fail_in_turn(memory, live, [&] { answer = questions[q].ask(*built, exec); });
      EXPECT_EQ(answer, answers[q].second);
      EXPECT_EQ(memory.live(), live);
    }
    fail_in_turn(memory, live, [&] { built->verify(exec); });
    EXPECT_EQ(ask_all(questions, *built, exec), answers);
  }
  EXPECT_EQ(memory.live(), 0u);
  EXPECT_TRUE(memory.consistent()) << "something was freed that was not allocated, or with another size";
}

INSTANTIATE_TEST_SUITE_P(all, out_of_memory_at,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
