// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/// @file
/// Time and memory of a call.
namespace warpdex::bench {

/// Seconds from `start` to `stop`, on the host's clock.
class wall_clock {
 public:
  void start() noexcept { start_ = std::chrono::steady_clock::now(); }
  double stop() const noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Seconds between two points of a stream, or of the calling thread for the CPU backend.
class timer {
 public:
  virtual ~timer() = default;
  virtual void start() = 0;
  /// Waits for the work since `start`. @return its seconds
  virtual double stop() = 0;
};

/// @return a timer of the host's clock
std::unique_ptr<timer> make_wall_timer();

/// @return a timer of CUDA events for the cuda backend, else of the host's clock
std::unique_ptr<timer> make_timer(execution const& exec);

/// Median and spread of repeated measurements.
struct seconds {
  double median = 0;
  double min = 0;
  double max = 0;

  /// @param runs at least one
  static seconds of(std::vector<double> runs);
};

/// Counts the bytes that it passes on from another resource.
class counting_resource final : public memory_resource {
 public:
  explicit counting_resource(memory_resource& source) : source_(source) {}

  void* allocate(std::size_t bytes, stream_ref stream) override {
    void* const pointer = source_.allocate(bytes, stream);
    auto const now = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    auto peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return pointer;
  }

  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    source_.deallocate(pointer, bytes, stream);
    held_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  backend_kind backend() const noexcept override { return source_.backend(); }

  /// Bytes allocated now.
  std::uint64_t held() const noexcept { return held_.load(std::memory_order_relaxed); }

  /// Most bytes that were allocated at once since `forget_peak`.
  std::uint64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void forget_peak() noexcept { peak_.store(held(), std::memory_order_relaxed); }

 private:
  memory_resource& source_;
  std::atomic<std::uint64_t> held_ = 0;
  std::atomic<std::uint64_t> peak_ = 0;
};

/// Time and memory that the runs of a batch took.
struct measured {
  seconds time;
  std::uint64_t scratch;  ///< most bytes held during a run, without those of the answers
};

/// Runs a batch once to warm caches, then `repeat` times to be measured.
/// @param batch has poison(), run(), and result_bytes(), the bytes that a run leaves allocated
/// @param counter counts the memory of the batch
/// @param check called after each run, outside the measured time; throws if an answer is wrong
template <class Batch, class Check>
measured measure(Batch& batch, int repeat, timer& clock, counting_resource& counter, Check const& check) {
  std::vector<double> runs;
  std::uint64_t scratch = 0;
  for (int r = -1; r < repeat; ++r) {
    batch.poison();
    auto const before = counter.held();
    counter.forget_peak();
    clock.start();
    batch.run();
    double const time = clock.stop();
    if (r >= 0) runs.push_back(time);
    scratch = std::max(scratch, counter.peak() - before - batch.result_bytes());
    check();
  }
  return {seconds::of(std::move(runs)), scratch};
}

}  // namespace warpdex::bench
