// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <map>
#include <mutex>
#include <string>

namespace warpdex::test {

/// Counts allocations that were not freed, and refuses the allocation that it is told to.
class scarce_memory final : public memory_resource {
 public:
  explicit scarce_memory(memory_resource& upstream) : upstream_(upstream) {}

  /// The `nth` allocation from now on fails, counted from 0, and all after it.
  void fail_at(int nth) {
    remaining_ = nth;
    refused_ = 0;
  }
  void relax() { remaining_ = -1; }

  /// Allocations that failed since `fail_at`.
  int refused() const { return refused_; }

  std::size_t live() const { return live_.size(); }
  bool consistent() const { return consistent_; }

  void* allocate(std::size_t bytes, stream_ref stream) override {
    std::lock_guard const lock(mutex_);
    if (remaining_ == 0) {
      ++refused_;
      throw out_of_memory("scarce memory: cannot allocate " + std::to_string(bytes) + " bytes");
    }
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
  int refused_ = 0;
  bool consistent_ = true;
};

}  // namespace warpdex::test
