// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/host_stream.hpp"

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/limited_memory.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

/// @file
/// Batches over arrays on the host in many small chunks and pieces, against the same calls without streaming.
namespace warpdex::test {
namespace {

/// The memory of an array of the test.
enum class where : std::uint8_t { device, pageable, pinned };

/// Bytes in any memory; on the host at an address that is misaligned for all elements.
class anywhere {
 public:
  anywhere(where at, std::size_t bytes, execution const& exec) : exec_(exec) {
    if (at == where::device) {
      device_ = buffer(bytes, exec);
      data_ = device_.as<std::byte>();
    } else if (at == where::pageable) {
      pageable_.resize(bytes + 1);
      data_ = pageable_.data() + 1;
    } else {
      pinned_.emplace(bytes + 1);
      data_ = static_cast<std::byte*>(pinned_->data()) + 1;
    }
  }

  void* data() { return data_; }
  template <class T> void write(std::vector<T> const& values) {
    copy(data_, values.data(), values.size() * sizeof(T), exec_);
  }
  template <class T> std::vector<T> read(std::size_t size) {
    std::vector<T> values(size);
    copy(values.data(), data_, size * sizeof(T), exec_);
    return values;
  }

 private:
  execution exec_;
  buffer device_;
  std::vector<std::byte> pageable_;
  std::optional<pinned_memory> pinned_;
  std::byte* data_ = nullptr;
};

class host_stream : public testing::Test {
 protected:
  void SetUp() override {
    if (present_backends().back() != backend_kind::cuda) GTEST_SKIP() << "no device";
    stream_.emplace(backend_kind::cuda);
    memory_.emplace(device_memory());
    exec_ = execution(*memory_, *stream_);
    std::vector<std::uint32_t> keys(20000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u % 100003u + 50);
    index_.emplace(index::build("AO+PB+KS(9)", std::span(keys), exec_));
  }

  std::vector<std::uint32_t> probes(std::size_t size) const {
    std::vector<std::uint32_t> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(i * 40503u % 110017u);
    return values;
  }

  /// Asks for floors, streamed and at once. One of their outputs keeps its content where nothing is found.
  /// @return whether it was streamed
  bool compare_floors(std::size_t size, where probes_at, where keys_at, where rows_at, stream_sizes const& sizes) {
    auto const query = probes(size);
    std::vector<std::uint32_t> const kept(size, 77);
    anywhere in(probes_at, size * 4, exec_), keys(keys_at, size * 4, exec_), rows(rows_at, size * 4, exec_);
    in.write(query);
    keys.write(kept);
    rows.write(kept);
    auto expected_keys = kept;
    std::vector<std::uint32_t> expected_rows(size);
    execution const ample(device_memory(), *stream_);
    index_->floor(std::span(query), key_output(std::span(expected_keys)), std::span(expected_rows), ample);

    std::vector<batch_array> const arrays = {
        {in.data(), 4, "probes", true, false, probes_at != where::device},
        {keys.data(), 4, "keys", true, true, keys_at != where::device},
        {rows.data(), 4, "rows", false, true, rows_at != where::device},
    };
    calls_ = 0;
    bool const streamed =
        stream_batch(
            size, arrays,
            [&](void* const* at, std::uint64_t count) {
              ++calls_;
              index_->floor(column(at[0], count, key_type::u32), key_output(at[1], count, key_type::u32),
                            row_output(at[2], count, row_type::u32), exec_);
            },
            exec_, sizes) == size;
    EXPECT_EQ(keys.read<std::uint32_t>(size), streamed ? expected_keys : kept);
    EXPECT_EQ(rows.read<std::uint32_t>(size), streamed ? expected_rows : kept);
    return streamed;
  }

  std::optional<test_stream> stream_;
  std::optional<limited_memory> memory_;
  execution exec_;
  std::optional<index> index_;
  int calls_ = 0;  ///< calls of the body, in the last comparison
};

constexpr stream_sizes many_chunks{1, 512, 64, 300};

TEST_F(host_stream, arrays_in_all_places) {
  constexpr where places[] = {where::device, where::pageable, where::pinned};
  for (where const probes_at : places)
    for (where const keys_at : places)
      for (where const rows_at : places) {
        if (probes_at == where::device && keys_at == where::device && rows_at == where::device) continue;
        EXPECT_TRUE(compare_floors(10007, probes_at, keys_at, rows_at, many_chunks))
            << static_cast<int>(probes_at) << static_cast<int>(keys_at) << static_cast<int>(rows_at);
        EXPECT_EQ(calls_, 23);
      }
}

TEST_F(host_stream, sizes_around_chunks_and_pieces) {
  for (std::size_t const size : {1u, 63u, 64u, 65u, 127u, 128u, 129u, 511u, 512u, 1024u, 1025u, 5000u})
    for (stream_sizes const& sizes :
         {many_chunks, stream_sizes{1, 64, 64, 4}, stream_sizes{1, 100, 7, 1}, stream_sizes{1, 8192, 4096, 1 << 20}})
      EXPECT_TRUE(compare_floors(size, where::pageable, where::pageable, where::pageable, sizes))
          << size << " in chunks of " << sizes.chunk;
}

TEST_F(host_stream, not_for_small_batches) {
  EXPECT_FALSE(compare_floors(999, where::pageable, where::pageable, where::pageable, {1000, 512, 64, 300}));
  EXPECT_TRUE(compare_floors(1000, where::pageable, where::pageable, where::pageable, {1000, 512, 64, 300}));
}

TEST_F(host_stream, smaller_chunks_where_memory_is_short) {
  ASSERT_TRUE(compare_floors(10007, where::pageable, where::pageable, where::pageable, many_chunks));
  EXPECT_EQ(calls_, 23);
  memory_->limit = 20000;
  EXPECT_TRUE(compare_floors(10007, where::pageable, where::pageable, where::pageable, many_chunks));
  EXPECT_EQ(calls_, 42);
  memory_->limit = 1000;
  EXPECT_FALSE(compare_floors(10007, where::pageable, where::pageable, where::pageable, many_chunks));
  EXPECT_EQ(calls_, 0);
}

TEST_F(host_stream, failures_leave_nothing_on_its_way) {
  auto const query = probes(10007);
  for (int const failing : {1, 2, 9}) {
    std::vector<std::uint32_t> rows(query.size(), 77);
    std::vector<batch_array> const arrays = {
        {const_cast<std::uint32_t*>(query.data()), 4, "probes", true, false, true},
        {rows.data(), 4, "rows", false, true, true},
    };
    int calls = 0;
    auto const body = [&](void* const* at, std::uint64_t count) {
      if (++calls == failing) throw unsupported("call " + std::to_string(failing));
      index_->find(column(at[0], count, key_type::u32), row_output(at[1], count, row_type::u32), exec_);
    };
    EXPECT_TRUE(throws<unsupported>([&] { stream_batch(query.size(), arrays, body, exec_, many_chunks); },
                                    "call " + std::to_string(failing)));
    // The pinned memory is free again.
    EXPECT_TRUE(compare_floors(10007, where::pageable, where::pageable, where::pageable, many_chunks));
  }
}

/// A call within a call finds the pinned memory in use and does without; arrays that need none are streamed.
TEST_F(host_stream, one_call_at_a_time_has_the_pinned_memory) {
  auto query = probes(1000);
  std::vector<batch_array> const arrays = {{query.data(), 4, "probes", true, true, true}};
  int calls = 0;
  stream_batch(
      query.size(), arrays,
      [&](void* const*, std::uint64_t) {
        if (++calls != 3) return;
        EXPECT_FALSE(compare_floors(1000, where::pageable, where::pinned, where::pinned, many_chunks));
        EXPECT_TRUE(compare_floors(1000, where::pinned, where::pinned, where::pinned, many_chunks));
      },
      exec_, many_chunks);
  EXPECT_GT(calls, 3);
  EXPECT_EQ(query, probes(1000));
}

/// Through the public interface, from several threads at once.
TEST_F(host_stream, slow_large_batches_of_several_threads) {
  constexpr int thread_count = 3;
  std::size_t const size = stream_tuning::from_probes + 12345;
  auto const query = probes(size);
  column const all(std::span{query});
  anywhere resident(where::device, size * 4, exec_), found(where::device, size * 4, exec_),
      bounds(where::device, size * 8, exec_);
  resident.write(query);
  column const in_place(resident.data(), size, key_type::u32);
  index_->find(in_place, row_output(found.data(), size, row_type::u32), exec_);
  index_->lower_bound(in_place, {static_cast<std::uint64_t*>(bounds.data()), size}, exec_);
  auto const expected_rows = found.read<std::uint32_t>(size);
  auto const expected_ranks = bounds.read<std::uint64_t>(size);
  std::vector<std::vector<std::uint32_t>> rows(thread_count, std::vector<std::uint32_t>(size));
  std::vector<std::vector<std::uint64_t>> ranks(thread_count, std::vector<std::uint64_t>(size));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      test_stream const own(backend_kind::cuda);
      execution const mine(device_memory(), own);
      index_->find(all, std::span(rows[t]), mine);
      index_->lower_bound(all, std::span(ranks[t]), mine);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < thread_count; ++t) {
    EXPECT_TRUE(rows[t] == expected_rows) << t;
    EXPECT_TRUE(ranks[t] == expected_ranks) << t;
  }
}

}  // namespace
}  // namespace warpdex::test
