// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>

namespace warpdex {

class thread_pool;

/// Help from the library's threads with work that the calling thread does too, or else waits for: what nobody comes to
/// is left to the caller. There is a thread for each core but one. They start when first asked for, sleep in between,
/// and belong to whoever asked first; a thread that cannot be started is missing, and no error. Never throws.
class borrowed_threads {
 public:
  /// @param count of threads at most (as many as there are, if fewer), which come while this object lives
  /// @param work that each of them calls once. It must not throw, and return only when no other is needed either. It
  ///        may borrow threads itself.
  borrowed_threads(int count, std::function<void()> work);

  /// Waits for those that have come to be done. No other comes.
  ~borrowed_threads();
  borrowed_threads(borrowed_threads const&) = delete;
  borrowed_threads& operator=(borrowed_threads const&) = delete;

 private:
  friend class thread_pool;

  std::function<void()> const work_;
  thread_pool* pool_ = nullptr;  ///< none if nobody can come

  // Guarded by the pool's mutex:
  int places_;  ///< for threads that may still come
  int busy_ = 0;
  borrowed_threads* next_ = nullptr;
  std::condition_variable done_;
};

}  // namespace warpdex
