// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

/// @file
/// Replaces the CUDA runtime: streams and events of devices whose memory is the host's. Each stream does its work in
/// order, but the order among streams is random. So every order that the calls allow happens in some run, and a seed
/// repeats a run.
namespace warpdex::test {

class fake_device {
 public:
  static fake_device& instance();

  /// Starts over. No work may be left.
  void reset(std::uint64_t seed);

  /// Puts work on a stream.
  void enqueue(cudaStream_t stream, std::function<void()> work) {
    streams_[stream].push_back({[] { return true; }, std::move(work)});
  }

  /// Lets up to `steps` streams take one step each, if they can.
  void advance(std::uint64_t steps);

  bool idle() const;

  /// Makes the `nth` call of the runtime from now on fail, counted from 1. The call has no effect. Releases never fail.
  void fail_at(std::uint64_t nth) { until_failure_ = nth; }

  /// No call fails from now on. @return whether one has
  bool relax();

  /// Each call of the runtime asks this first. @return whether it fails
  bool fails();

  /// The error that `cudaGetLastError` reports, once, to the thread that met it.
  cudaError_t take_last_error();

  /// Held by calls of the runtime. A body that puts work on a stream holds it too.
  std::mutex& guard() { return guard_; }

  /// Memory that counts as pinned.
  void set_pinned(void const* begin, std::size_t bytes) { pinned_ = {static_cast<std::byte const*>(begin), bytes}; }
  bool is_pinned(void const* pointer) const;
  bool reads_pageable_memory = false;  ///< `cudaDevAttrPageableMemoryAccess`

  static inline thread_local int current = 0;  ///< device of a thread

  // The calls of the runtime.
  cudaEvent_t make_event(int device);
  void destroy(cudaEvent_t event) { events_.erase(event); }  // its work goes on
  /// @return whether both are of one device
  bool record(cudaEvent_t event, cudaStream_t stream);
  void wait(cudaStream_t stream, cudaEvent_t event);
  cudaError_t query(cudaEvent_t event);
  void copy(void* to, void const* from, std::size_t bytes, cudaStream_t stream);
  cudaStream_t make_stream(int device);
  void destroy(cudaStream_t stream);
  void synchronize(cudaStream_t stream);

  struct event {
    int device;
    std::uint64_t recorded = 0;  ///< how often
    std::uint64_t done = 0;
  };

 private:
  struct step {
    std::function<bool()> can_begin;
    std::function<void()> work;
  };

  std::map<cudaStream_t, std::deque<step>> streams_{{nullptr, {}}};
  std::map<cudaStream_t, int> device_of_;  ///< of streams; the default stream is that of the first device
  std::map<cudaEvent_t, std::shared_ptr<event>> events_;
  std::pair<std::byte const*, std::size_t> pinned_{};
  std::mt19937_64 random_;
  std::uintptr_t last_stream_ = 0;
  std::uintptr_t last_event_ = 0;
  std::uint64_t until_failure_ = 0;  ///< calls up to it; 0 if none will fail
  bool failed_ = false;
  std::mutex guard_;
};

}  // namespace warpdex::test
