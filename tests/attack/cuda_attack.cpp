// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "attack/device_questions.hpp"
#include "backend/cuda/device_pool.hpp"
#include "conformance/fixture.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/scarce_memory.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

/// @file
/// Attacks that need a device: streams that are destroyed before the indexes that were made on them, memory that is
/// freed while work is pending, an empty pool, and many threads, each with its own stream.
///
/// warpdex promises nothing about pointers to device memory that was freed before a call. Like host pointers they
/// cannot be recognised: a pool keeps its memory mapped and gives it to the next allocation.
namespace warpdex::test {
namespace {

/// Bytes of the library's pool that are still allocated once the device is idle.
std::uint64_t bytes_in_use() {
  std::uint64_t bytes = 0;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(cuda::pool_of_current_device(), cudaMemPoolAttrUsedMemCurrent, &bytes),
            cudaSuccess);
  return bytes;
}

std::vector<std::uint32_t> spread_keys(std::size_t size) {
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u % 20011u);
  return keys;
}

std::vector<std::uint32_t> spread_probes(std::size_t size) {
  std::vector<std::uint32_t> probes(size);
  for (std::size_t i = 0; i < size; ++i) probes[i] = static_cast<std::uint32_t>(i * 40503u % 25000u);
  return probes;
}

/// The questions, except those with millions of rows as answers.
std::vector<question> short_questions(std::vector<question> questions) {
  std::erase_if(questions, [](question const& q) { return q.name == "range_retrieve" || q.name == "join_between"; });
  return questions;
}

class cuda_streams : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
  }
};

/// Destroyed streams, whose handles others may have by now.
TEST_P(cuda_streams, go_before_the_index) {
  auto const keys = spread_keys(20000);
  auto const probes = spread_probes(500);
  std::vector<std::uint32_t> const few = {40000, 40001, 40002}, few_rows = {70000, 70001, 70002};
  std::vector<std::uint32_t> const many_rows(keys.size(), 80000);
  execution const on_default(device_memory());
  index reference = index::build(GetParam(), std::span(keys), on_default);
  auto const questions = short_questions(all_questions(probes, reference.ordered()));
  auto const original = ask_all(questions, reference, on_default);
  folder const files;
  auto const path = files / "index.wdx";

  std::uint64_t const before = bytes_in_use();
  {
    std::optional<index> i;
    auto const on_new_stream = [&](auto const& call) {
      test_stream const stream(backend_kind::cuda);
      call(execution(device_memory(), stream));
    };
    auto const expect_answers = [&](std::vector<answer> const& expected) {
      on_new_stream([&](execution const& exec) {
        i->verify(exec);
        EXPECT_TRUE(ask_all(questions, *i, exec) == expected);
      });
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    };
    on_new_stream([&](execution const& exec) { i.emplace(index::build(GetParam(), std::span(keys), exec)); });
    expect_answers(original);
    // In place if the structure can, and rebuilt.
    for (auto const& [added, rows] : {std::pair(few, few_rows), std::pair(keys, many_rows)}) {
      column const insert{std::span(added)};
      row_column const insert_rows{std::span(rows)};
      on_new_stream([&](execution const& exec) { i->insert(insert, insert_rows, exec); });
      reference.insert(insert, insert_rows, on_default);
      expect_answers(ask_all(questions, reference, on_default));
    }
    i->save(path);
    on_new_stream([&](execution const& exec) { i.emplace(index::load(path, exec)); });
    expect_answers(ask_all(questions, reference, on_default));
    on_new_stream([&](execution const& exec) { i->erase(column(std::span(few)), exec); });
    i.reset();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    reference = index::build(GetParam(), std::span(keys), on_default);
  }
  EXPECT_EQ(bytes_in_use(), before) << "memory was not freed";
}

INSTANTIATE_TEST_SUITE_P(all, cuda_streams, testing::ValuesIn(all_samples()),
                         [](auto const& sample) { return test_name(sample.param); });

class cuda_attack : public testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
  }
};

/// The application decides whether the default pool exists and how much it keeps.
TEST_F(cuda_attack, leaves_the_default_pool_alone) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  auto const ask = [&](cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  };
  std::uint64_t const usual = ask(cudaMemPoolAttrReleaseThreshold);
  std::uint64_t const reserved = ask(cudaMemPoolAttrReservedMemCurrent);
  std::uint64_t own = 12345;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &own), cudaSuccess);
  auto const keys = spread_keys(1 << 16);
  index const i = index::build("AO+BS", std::span(keys), execution(device_memory()));
  EXPECT_NE(bytes_in_use(), 0u);
  EXPECT_EQ(ask(cudaMemPoolAttrReleaseThreshold), own);
  EXPECT_EQ(ask(cudaMemPoolAttrReservedMemCurrent), reserved);
  own = usual;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &own), cudaSuccess);
}

/// Arrays are freed on the stream of a call right after it. Then they belong to others, who write into them.
TEST_F(cuda_attack, arrays_freed_behind_the_call) {
  constexpr std::size_t size = 1 << 18;
  constexpr std::size_t bytes = size * sizeof(std::uint32_t);
  test_stream const stream(backend_kind::cuda);
  execution const exec(device_memory(), stream);
  auto const keys = spread_keys(1 << 16);
  auto const probes = spread_probes(size);
  input_array<std::uint32_t> const source(probes, place::device, 0, exec);
  for (char const* const spec : {"AO+BS", "EO+KS(9)/reorder=window", "HT(open)", "AO+BS/reorder=block+restore"}) {
    SCOPED_TRACE(spec);
    index const i = index::build(spec, std::span(keys), exec);
    std::vector<std::uint32_t> expected(size);
    i.find(std::span(probes), std::span(expected), exec);
    std::vector<buffer> found;
    for (int call = 0; call < 200; ++call) {
      buffer& rows = found.emplace_back(bytes, exec);
      {
        buffer const array(bytes, exec);
        ASSERT_EQ(
            cudaMemcpyAsync(array.data(), source.data(), bytes, cudaMemcpyDeviceToDevice, stream_ref(stream).get()),
            cudaSuccess);
        i.find(column(array.data(), size, key_type::u32), row_output(rows.data(), size, row_type::u32), exec);
      }
      buffer const next(bytes, exec);
      ASSERT_EQ(cudaMemsetAsync(next.data(), 0x5a, bytes, stream_ref(stream).get()), cudaSuccess);
    }
    for (buffer const& rows : found) ASSERT_TRUE(read_buffer<std::uint32_t>(rows, size, exec) == expected);
  }
}

/// All memory of the device, in pieces that can be given back one by one.
class hoard {
 public:
  explicit hoard(execution const& exec) : exec_(exec) {
    bytes_in_use();
    cudaMemPoolTrimTo(cuda::pool_of_current_device(), 0);
    std::size_t free = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&free, &total);
    for (std::size_t rest = all_pieces; block_ == nullptr && rest < free; rest += all_pieces)
      if (cudaMalloc(&block_, free - rest) != cudaSuccess) {
        cudaGetLastError();
        block_ = nullptr;
      }
    refill();
  }
  ~hoard() {
    pieces_.clear();
    cudaFree(block_);
    bytes_in_use();
    cudaMemPoolTrimTo(cuda::pool_of_current_device(), 0);
  }
  hoard(hoard const&) = delete;
  hoard& operator=(hoard const&) = delete;

  bool holds_all() const { return block_ != nullptr && !pieces_.empty(); }

  /// Takes all free memory.
  void refill() {
    try {
      for (;;) pieces_.emplace_back(piece, exec_);
    } catch (out_of_memory const&) {
    }
  }

  /// Gives back one more piece. @return false if there is none
  bool give() {
    if (pieces_.empty()) return false;
    pieces_.pop_back();
    return true;
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 20;
  static constexpr std::size_t all_pieces = std::size_t{256} << 20;

  execution const exec_;
  void* block_ = nullptr;
  std::vector<buffer> pieces_;
};

/// Each call fails until enough memory has been given back; in between, the index answers.
TEST_F(cuda_attack, pool_is_empty) {
  constexpr std::size_t size = 1 << 19;
  constexpr std::size_t m = 1 << 18;
  test_stream const stream(backend_kind::cuda);
  execution const exec(device_memory(), stream);
  std::vector<std::uint64_t> keys(size), added(size / 2), few(50), probes(m);
  for (std::size_t i = 0; i < size; ++i) keys[i] = i * 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < added.size(); ++i) added[i] = i * 0x2545f4914f6cdd1du | 1;
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = i * 0x2545f4914f6cdd1du | 1;
  for (std::size_t i = 0; i < m; ++i) probes[i] = keys[i * 7 % size] + i % 2;
  std::vector<std::uint32_t> const rows(added.size(), 5);
  column const all(std::span{keys}), query(std::span{probes}), more(std::span{added}), some(std::span{few});
  row_column const more_rows(std::span{rows}), some_rows(std::span{rows}.first(few.size()));
  folder const files;
  auto const path = files / "index.wdx";
  input_array<std::uint64_t> const near(probes, place::device, 0, exec);
  output_array<std::uint32_t> near_rows(m, 7, place::device, exec);
  column const near_probes(near.data(), m, key_type::u64);

  for (std::string const& spec : one_sample_each()) {
    SCOPED_TRACE(spec);
    index i = index::build(spec, all, exec);
    i.save(path);
    auto const rows_in_place = [&] {
      i.find(near_probes, row_output(near_rows.data(), m, row_type::u32), exec);
      return near_rows.read();
    };
    auto const expected = rows_in_place();
    std::vector<std::uint32_t> found(m);
    struct {
      char const* name;
      std::function<void()> run;
      bool changes = false;
    } const calls[] = {
        {"build", [&] { index::build(spec, all, exec); }},
        {"load", [&] { index::load(path, exec); }},
        {"find", [&] { i.find(query, std::span(found), exec); }},
        {"retrieve", [&] { i.retrieve(query, exec); }},
        {"verify", [&] { i.verify(exec); }},
        {"insert of few", [&] { i.insert(some, some_rows, exec); }, true},
        {"insert", [&] { i.insert(more, more_rows, exec); }, true},
    };
    for (auto const& call : calls) {  // kernels are loaded when they are first used, which takes memory
      call.run();
      if (call.changes) i = index::load(path, exec);
    }
    hoard all_memory(exec);
    ASSERT_TRUE(all_memory.holds_all());
    for (auto const& call : calls) {
      SCOPED_TRACE(call.name);
      int failures = 0;
      for (bool done = false; !done;) {
        try {
          call.run();
          done = true;
        } catch (out_of_memory const& e) {
          ++failures;
          ASSERT_EQ(cudaGetLastError(), cudaSuccess);
          ASSERT_TRUE(rows_in_place() == expected) << e.what();
          ASSERT_TRUE(all_memory.give()) << "all memory is not enough";
        }
      }
      std::printf("             %s, %s: %d times out of memory\n", spec.c_str(), call.name, failures);
      if (call.changes) {
        EXPECT_GT(i.size(), size);
        while (all_memory.give()) {
        }
        i = index::load(path, exec);
      }
      all_memory.refill();
    }
    EXPECT_TRUE(rows_in_place() == expected);
  }
}

/// Lookups on shared indexes between updates of each thread's own index.
TEST_F(cuda_attack, threads_with_streams_of_their_own) {
  constexpr int thread_count = 16;
  constexpr std::uint32_t rounds = 100;
  auto const keys = spread_keys(30000);
  auto const probes = spread_probes(3000);
  execution const on_default(device_memory());
  std::vector<std::string> specs = one_sample_each();
  for (std::string const& sample : one_sample_each())
    if (accepts(sample + "/reorder=window", backend_kind::cuda)) specs.push_back(sample + "/reorder=window");

  struct shared_index {
    index of;
    std::vector<question> questions;
    std::vector<answer> answers;
  };
  std::vector<shared_index> shared;
  for (std::string const& spec : specs) {
    index i = index::build(spec, std::span(keys), on_default);
    auto questions = short_questions(all_questions(probes, i.ordered()));
    for (question& q : short_questions(all_questions_on_device(probes, i.ordered(), on_default)))
      questions.push_back(std::move(q));
    auto answers = ask_all(questions, i, on_default);
    shared.push_back({std::move(i), std::move(questions), std::move(answers)});
  }

  std::atomic<std::uint64_t> lookups = 0;
  std::atomic<std::uint64_t> updates = 0;
  std::mutex mutex;
  std::vector<std::string> wrong;
  auto const run = [&](std::uint32_t thread) {
    test_stream const stream(backend_kind::cuda);
    execution const exec(device_memory(), stream, 1);
    std::mt19937_64 random(test_seed() + thread);
    std::string const& spec = specs[thread % specs.size()];
    index own = index::build(spec, std::span(keys), exec);
    // Keys that only this thread inserts and erases.
    std::vector<std::uint32_t> mine(200), rows(mine.size()), found(mine.size());
    auto const expect_mine = [&](bool present) {
      own.find(std::span(mine), std::span(found), exec);
      bool const right =
          present ? found == rows : std::all_of(found.begin(), found.end(), [](auto row) { return row == ~0u; });
      if (!right) throw std::runtime_error(spec + (present ? ": inserted keys are missed" : ": erased keys are found"));
    };
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::uint32_t k = 0; k < mine.size(); ++k) {
        mine[k] = 100000 + (round * 200 + k) * thread_count + thread;
        rows[k] = static_cast<std::uint32_t>(random() % 1000000);
      }
      std::size_t const changed = 1 + random() % mine.size();
      mine.resize(changed);
      rows.resize(changed);
      found.resize(changed);
      own.insert(column(std::span(mine)), row_column(std::span(rows)), exec);
      expect_mine(true);
      for (int lookup = 0; lookup < 4; ++lookup, ++lookups) {
        shared_index const& s = shared[random() % shared.size()];
        std::size_t const q = random() % s.questions.size();
        if (s.questions[q].ask(s.of, exec) != s.answers[q].second)
          throw std::runtime_error(s.of.spec_text() + ": wrong answer to " + s.questions[q].name);
      }
      own.erase(column(std::span(mine)), exec);
      expect_mine(false);
      updates += 2;
      mine.resize(200);
      rows.resize(200);
    }
    own.verify(exec);
    if (own.size() != keys.size()) throw std::runtime_error(spec + " has " + std::to_string(own.size()) + " entries");
  };
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      try {
        run(t);
      } catch (std::exception const& e) {
        std::lock_guard const lock(mutex);
        wrong.push_back("thread " + std::to_string(t) + ": " + e.what());
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::string const& text : wrong) ADD_FAILURE() << text << ", WARPDEX_TEST_SEED=" << test_seed();
  std::printf("             %llu lookups, %llu updates\n", static_cast<unsigned long long>(lookups),
              static_cast<unsigned long long>(updates));
}

}  // namespace
}  // namespace warpdex::test
