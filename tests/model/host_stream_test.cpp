// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/host_stream.hpp"
#include "model/fake_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

/// @file
/// Batches over host arrays with the real host code and a device that is not there (fake_device.hpp): random sizes of
/// batches, chunks and pieces, arrays in any place, bodies that fail. An answer is wrong, or a stream waits for ever,
/// if one chunk's memory is used before the other is done with it.
namespace warpdex::test {
namespace {

class streaming : public testing::Test {
 protected:
  static constexpr std::uint64_t most_probes = 600000;

  streaming() : pinned_(3 * most_probes) {
    fake_device::instance().set_pinned(pinned_.data(), pinned_.size() * sizeof(std::uint64_t));
  }
  ~streaming() override { fake_device::instance().set_pinned(nullptr, 0); }

  /// One batch of three arrays: one is read, one changed, one written.
  void run(std::uint64_t seed, std::uint64_t most_size, stream_sizes sizes, int failing_call) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    fake_device::instance().reset(seed);
    random_.seed(seed);
    std::uint64_t const size = 1 + random_() % most_size;
    sizes.chunk = 1 + random_() % sizes.chunk;
    sizes.least_chunk = 1 + random_() % sizes.chunk;
    sizes.piece_bytes = 1 + random_() % sizes.piece_bytes;
    sizes.copying_threads = 1 + static_cast<int>(random_() % 2);
    sizes.writing_threads = 1 + static_cast<int>(random_() % 2);

    std::vector<std::uint64_t> pageable(3 * size);
    std::span<std::uint64_t> const read = place(pageable, 0, size);
    std::span<std::uint64_t> const changed = place(pageable, 1, size);
    std::span<std::uint64_t> const written = place(pageable, 2, size);
    std::iota(read.begin(), read.end(), seed);
    std::iota(changed.begin(), changed.end(), seed / 2);
    std::fill(written.begin(), written.end(), 0);
    std::vector<batch_array> arrays = {
        {read.data(), 8, "read", true, false},
        {changed.data(), 8, "changed", true, true},
        {written.data(), 8, "written", false, true},
    };
    for (batch_array& a : arrays) a.on_host = random_() % 3 != 0;
    arrays[random_() % 3].on_host = true;
    int calls = 0;
    auto const body = [&](void* const* at, std::uint64_t count) {
      if (++calls == failing_call) throw std::invalid_argument("this call fails");
      auto const* const in = static_cast<std::uint64_t const*>(at[0]);
      auto* const sums = static_cast<std::uint64_t*>(at[1]);
      auto* const squares = static_cast<std::uint64_t*>(at[2]);
      fake_device::instance().enqueue(nullptr, [=] {
        for (std::uint64_t i = 0; i < count; ++i) {
          sums[i] += in[i];
          squares[i] = in[i] * in[i];
        }
      });
    };
    try {
      ASSERT_TRUE(stream_batch(size, arrays, body, exec_, sizes));
      for (std::uint64_t i = 0; i < size; ++i) {
        ASSERT_EQ(changed[i], seed + i + seed / 2 + i) << i << " of " << size;
        ASSERT_EQ(written[i], (seed + i) * (seed + i)) << i << " of " << size;
      }
    } catch (std::invalid_argument const&) {
      EXPECT_EQ(calls, failing_call);
    }
    EXPECT_TRUE(fake_device::instance().idle());
  }

 private:
  std::span<std::uint64_t> place(std::vector<std::uint64_t>& pageable, std::uint64_t which, std::uint64_t size) {
    auto& memory = random_() % 2 == 0 ? pageable : pinned_;
    return std::span(memory).subspan(which * size, size);
  }

  std::vector<std::uint64_t> pinned_;
  std::mt19937_64 random_;
  execution const exec_;
};

TEST_F(streaming, many_chunks_of_many_pieces) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    ASSERT_NO_FATAL_FAILURE(run(seed, 6000, {1, 600, 1, 2000}, seed % 10 == 9 ? 1 + static_cast<int>(seed % 4) : 0));
}

TEST_F(streaming, pieces_that_threads_share) {
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    ASSERT_NO_FATAL_FAILURE(run(seed, most_probes, {1, most_probes / 4, 1, 4 << 20}, seed % 10 == 9 ? 2 : 0));
}

}  // namespace
}  // namespace warpdex::test
