// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if WARPDEX_WITH_CUDA
#include <atomic>
#endif

/// @file
/// Names for profilers of GPUs, such as Nsight Systems.
namespace warpdex {

#if WARPDEX_WITH_CUDA
/// While an object lives, profilers show its name as a range of the NVTX domain `warpdex`, on the thread that made it.
/// If no profiler listens, this costs the test of a flag.
class profiled {
 public:
  explicit profiled(char const* name) noexcept : shown_(may_be_shown.load(std::memory_order_relaxed) && begin(name)) {}
  ~profiled() {
    if (shown_) end();
  }
  profiled(profiled const&) = delete;
  profiled& operator=(profiled const&) = delete;

 private:
  static bool begin(char const* name) noexcept;
  static void end() noexcept;

  static std::atomic<bool> may_be_shown;  ///< until the first range finds no profiler
  bool const shown_;
};
#else
/// Builds without CUDA name nothing.
struct profiled {
  explicit profiled(char const*) noexcept {}
};
#endif

}  // namespace warpdex
