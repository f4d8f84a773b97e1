// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>

namespace warpdex {

class thread_pool;

/// Help from the library's threads with work that the calling thread can also do alone. The library has one thread per
/// core, minus one. They start when they are first asked for, and sleep in between. If several callers ask, those who
/// asked first are served first. A thread that cannot be started is no error: the caller just gets less help. Never
/// throws.
class borrowed_threads {
 public:
  /// @param count threads to come, at most. They come at any time while this object lives
  /// @param work each thread calls it once. It must not throw, and it must return only when no other thread is needed
  ///        either. It may borrow threads itself
  borrowed_threads(int count, std::function<void()> work);

  /// Waits for the threads that have come, for a while at most. No more will come.
  /// @return whether they are done
  bool done(std::chrono::milliseconds most);

  /// Waits for the threads that have come. No more will come.
  ~borrowed_threads();
  borrowed_threads(borrowed_threads const&) = delete;
  borrowed_threads& operator=(borrowed_threads const&) = delete;

 private:
  friend class thread_pool;

  std::function<void()> const work_;
  thread_pool* pool_ = nullptr;  ///< null if no thread can come

  // Guarded by the pool's mutex:
  int places_;                        ///< threads that may still come
  int busy_ = 0;                      ///< threads at work
  borrowed_threads* next_ = nullptr;  ///< the one who asked next
  std::condition_variable done_;
};

}  // namespace warpdex
