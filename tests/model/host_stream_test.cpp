// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/host_stream.hpp"
#include "model/fake_device.hpp"
#include "support/limited_memory.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

/// @file
/// Batches over host arrays with the real host code and a fake device (fake_device.hpp): random sizes of batches,
/// chunks and pieces, arrays anywhere, bodies that fail, calls of the runtime that fail. If one chunk's memory is used
/// before another chunk is done with it, an answer is wrong or a stream waits forever. If a batch ends before its
/// copies, work is left on a stream.
namespace warpdex::test {
namespace {

/// The seeds of a test, `usual` of them by default.
constexpr std::uint64_t seeds(std::uint64_t usual) { return under_thread_sanitizer ? usual / 12 : usual; }

class streaming : public testing::Test {
 protected:
  static constexpr std::uint64_t most_probes = 600000;

  streaming() : pinned_(3 * most_probes) {
    fake_device::instance().set_pinned(pinned_.data(), pinned_.size() * sizeof(std::uint64_t));
  }
  ~streaming() override { fake_device::instance().set_pinned(nullptr, 0); }

  /// One batch of three arrays: one is read, one changed, one written.
  /// @param failing_body the call of the body that fails, 0 for none; `failing_call` is that of the runtime
  /// @return whether that call of the runtime was made, and so failed
  bool run(std::uint64_t seed, std::uint64_t most_size, stream_sizes sizes, int failing_body,
           std::uint64_t failing_call = 0) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", failing call " << failing_call);
    fake_device& device = fake_device::instance();
    device.reset(seed);
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
    bool const body_waits = random_() % 2 == 0;
    int calls = 0;
    auto const body = [&](void* const* at, std::uint64_t count) {
      if (++calls == failing_body) throw std::invalid_argument("this call fails");
      auto const* const in = static_cast<std::uint64_t const*>(at[0]);
      auto* const sums = static_cast<std::uint64_t*>(at[1]);
      auto* const squares = static_cast<std::uint64_t*>(at[2]);
      {
        std::lock_guard const turn(device.guard());
        device.enqueue(nullptr, [=] {
          for (std::uint64_t i = 0; i < count; ++i) {
            sums[i] += in[i];
            squares[i] = in[i] * in[i];
          }
        });
      }
      if (body_waits && cudaStreamSynchronize(nullptr) != cudaSuccess) {
        cudaGetLastError();
        throw std::runtime_error("cudaStreamSynchronize");
      }
    };
    bool streamed = false;
    bool failed = false;
    device.fail_at(failing_call);
    try {
      streamed = stream_batch(size, arrays, body, exec_, sizes, body_waits) == size;
      failed = device.relax();
      EXPECT_TRUE(streamed || failed);
    } catch (std::invalid_argument const&) {
      device.relax();
      EXPECT_EQ(calls, failing_body);
    } catch (std::runtime_error const& e) {
      failed = device.relax();
      EXPECT_TRUE(failed) << e.what();
    }
    if (streamed) {
      std::uint64_t wrong = 0;
      for (std::uint64_t i = 0; i < size; ++i)
        wrong += changed[i] != seed + i + seed / 2 + i || written[i] != (seed + i) * (seed + i) ? 1 : 0;
      EXPECT_EQ(wrong, 0u) << "of " << size;
    }
    EXPECT_TRUE(device.idle());
    EXPECT_EQ(device.take_last_error(), cudaSuccess) << "the next launch would seem to have failed";
    return failed;
  }

  /// One batch of strings, whose bytes are summed up. @param damaged whether the offsets of a string are wrong
  /// @return whether there was memory for all of it
  bool run_strings(std::uint64_t seed, bool damaged, bool memory_is_short = false) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    fake_device& device = fake_device::instance();
    device.reset(seed);
    random_.seed(seed);
    std::uint64_t const size = 2 + random_() % 3000;
    std::uint64_t const most_length = 1 + random_() % 40;
    auto const stride = static_cast<std::uint32_t>(!damaged && random_() % 3 == 0 ? most_length : 0);
    std::vector<std::uint64_t> offsets = {stride == 0 ? random_() % 50 : 0};
    for (std::uint64_t i = 0; i < size; ++i) {
      std::uint64_t const length = stride != 0 ? stride : random_() % (random_() % 100 == 0 ? 2000 : most_length);
      offsets.push_back(offsets.back() + length);
    }
    std::uint64_t const total = offsets.back();
    if (damaged) offsets[1 + random_() % (size - 1)] = random_() % 2 == 0 ? total + 1 + random_() % 1000 : 0;
    std::uint64_t bad = 0;  // the first string whose offsets are wrong
    while (bad < size && offsets[bad] <= offsets[bad + 1] && offsets[bad + 1] <= total) ++bad;
    bool const wide = random_() % 2 == 0;
    std::uint64_t const most_words = 25000;  // for the bytes, and for the offsets
    std::vector<std::uint64_t> pageable(2 * most_words);
    std::span<std::uint64_t> const bytes_at = place(pageable, 0, most_words);
    std::span<std::uint64_t> const offsets_at = place(pageable, 1, most_words);
    auto* const bytes = reinterpret_cast<unsigned char*>(bytes_at.data());
    for (std::uint64_t i = 0; i < total; ++i) bytes[i] = static_cast<unsigned char>(random_());
    for (std::uint64_t i = 0; i <= size; ++i) {
      if (wide) offsets_at[i] = offsets[i];
      else reinterpret_cast<std::uint32_t*>(offsets_at.data())[i] = static_cast<std::uint32_t>(offsets[i]);
    }
    byte_layout const layout =
        stride != 0 ? byte_layout{nullptr, 0, stride, total} : byte_layout{offsets_at.data(), wide ? 8u : 4u, 0, total};
    string_source const from{bytes, layout};
    std::vector<std::uint64_t> sums(size);
    bool const on_host = damaged || random_() % 4 != 0;
    std::uint64_t checked = 0;
    auto const check = [&](std::uint64_t first, std::uint64_t count) {
      EXPECT_LE(first, checked);  // more if the stream has gone on with more room
      for (checked = first; checked < first + count; ++checked)
        if (is_bad_string{from}(checked)) throw std::invalid_argument(std::to_string(checked));
    };
    std::vector<batch_array> const arrays = {
        {nullptr, sizeof(byte_key), "strings", true, false, on_host, batch_strings{from, check}},
        {sums.data(), 8, "sums", false, true, true},
    };
    bool const body_waits = random_() % 4 == 0;
    std::uint64_t begun = 0;  // strings of all bodies
    auto const body = [&](void* const* at, std::uint64_t count) {
      begun += count;
      {
        std::lock_guard const turn(device.guard());
        device.enqueue(nullptr, [from = *static_cast<string_source const*>(at[0]),
                                 to = static_cast<std::uint64_t*>(at[1]), count] {
          for (std::uint64_t i = 0; i < count; ++i) {
            byte_key const key = from.at(i);
            to[i] = std::accumulate(key.data, key.data + key.size, std::uint64_t{key.size} << 32);
          }
        });
      }
      EXPECT_TRUE(!body_waits || cudaStreamSynchronize(nullptr) == cudaSuccess);
    };
    stream_sizes sizes{1, 1 + random_() % 600, 1, 1 + random_() % 2000};
    sizes.least_chunk = 1 + random_() % sizes.chunk;
    sizes.chunk_bytes = 1 + random_() % 3000;
    sizes.string_bytes = 1 + random_() % 1000;
    limited_memory memory(*exec_.memory);
    if (memory_is_short) memory.limit = 5000;
    std::uint64_t done = 0;
    try {
      done = stream_batch(size, arrays, body, exec_.with_memory(memory), sizes, body_waits);
      EXPECT_FALSE(damaged);
      EXPECT_TRUE(done == size || memory.refused > 0);
      EXPECT_EQ(begun, done);
      EXPECT_EQ(checked, on_host ? std::max(checked, done) : 0);
    } catch (std::invalid_argument const& e) {
      EXPECT_TRUE(damaged);
      EXPECT_EQ(e.what(), std::to_string(bad));
      EXPECT_LE(begun, bad);
    }
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < done; ++i)
      wrong +=
          sums[i] != std::accumulate(bytes + offsets[i], bytes + offsets[i + 1], (offsets[i + 1] - offsets[i]) << 32)
              ? 1
              : 0;
    EXPECT_EQ(wrong, 0u) << "of " << done;
    EXPECT_TRUE(device.idle());
    return done == size;
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

TEST_F(streaming, slow_many_chunks_of_many_pieces) {
  for (std::uint64_t seed = 0; seed < seeds(3000); ++seed)
    run(seed, 6000, {1, 600, 1, 2000}, seed % 10 == 9 ? 1 + static_cast<int>(seed % 4) : 0);
}

TEST_F(streaming, pieces_that_threads_share) {
  for (std::uint64_t seed = 0; seed < seeds(60); ++seed)
    run(seed, most_probes, {1, most_probes / 4, 1, 4 << 20}, seed % 10 == 9 ? 2 : 0);
}

/// Offsets of both widths, slices and strides; bytes and offsets anywhere; strings of uneven lengths, some of which are
/// longer than a chunk is meant to be, or than it has room for.
TEST_F(streaming, chunks_of_strings) {
  for (std::uint64_t seed = 0; seed < seeds(500); ++seed) EXPECT_TRUE(run_strings(seed, false));
}

/// No byte is read of strings that are not checked, and the first wrong offset is told.
TEST_F(streaming, offsets_that_are_wrong) {
  for (std::uint64_t seed = 0; seed < seeds(500); ++seed) run_strings(seed, true);
}

/// The batch ends before a string for which there is no memory. What comes before it is right.
TEST_F(streaming, strings_without_room) {
  std::uint64_t whole = 0;
  for (std::uint64_t seed = 0; seed < seeds(500); ++seed) whole += run_strings(seed, false, true) ? 1 : 0;
  EXPECT_GT(whole, 0u);
  EXPECT_LT(whole, seeds(500));
}

/// The number of queries of an event depends on threads, so there may be any number of calls.
TEST_F(streaming, each_call_of_the_runtime_fails) {
  constexpr std::uint64_t most_calls = 400;
  for (std::uint64_t seed = 0; seed < seeds(12); ++seed)
    for (std::uint64_t nth = 1; nth < most_calls && run(seed, 300, {1, 100, 1, 200}, 0, nth); ++nth)
      run(seed, 300, {1, 100, 1, 200}, 0);
}

TEST_F(streaming, any_call_of_the_runtime_fails) {
  for (std::uint64_t seed = 0; seed < seeds(3000); ++seed)
    run(seed, 6000, {1, 600, 1, 2000}, 0, 1 + seed * 7919 % 1500);
}

}  // namespace
}  // namespace warpdex::test
