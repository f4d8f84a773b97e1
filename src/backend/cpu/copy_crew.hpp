// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "backend/cpu/borrowed_threads.hpp"

namespace warpdex {

/// Pauses for a moment, in a loop that waits for another thread or the device.
void spin_pause();

/// A copy between two pieces of host memory that do not overlap.
struct host_copy {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t bytes = 0;
  bool past_caches = false;  ///< whether to write past the caches, because nobody reads `to` soon
};

/// Threads that copy host memory while the calling thread does other things. Only one thread may use an object of this
/// class.
///
/// A copy is cut into slices. All threads of the crew take slices of the oldest copy together. When all its slices are
/// taken, they go on to the next copy without waiting. A thread without work looks for work for a while before it
/// sleeps, because waking it takes about as long as a copy.
///
/// A mutex guards the list of copies. It is held to take a slice and to report it done, not while the slice is copied.
class copy_crew {
 public:
  /// @param threads threads that copy, the calling one included if it helps; 0 means all cores
  /// @param most_writers threads that may write past the caches at the same time
  copy_crew(int threads, int most_writers);

  /// Waits until the slices in work are copied, but not for whole copies.
  ~copy_crew();
  copy_crew(copy_crew const&) = delete;
  copy_crew& operator=(copy_crew const&) = delete;

  /// @return the number of threads that have come to copy, besides the calling one. It is smaller than asked for, or 0,
  /// while other calls use the threads
  int workers() const noexcept { return workers_.load(std::memory_order_relaxed); }

  /// Starts a copy. If it has one slice only, the calling thread copies it at once.
  /// @return the number of the copy, for `done`
  std::uint32_t start(host_copy const& copy);

  /// @return whether a copy is done, and its bytes are visible to the calling thread
  bool done(std::uint32_t number) const;

  /// Lets the calling thread copy a slice.
  /// @return false if there is none to take, or enough threads write past the caches
  bool help();

 private:
  /// A copy on its way.
  struct task {
    host_copy copy;
    std::uint32_t number;
    std::size_t taken = 0;  ///< bytes in slices that threads have taken
    std::size_t done = 0;   ///< bytes that are copied
  };

  void work();

  mutable std::mutex guard_;  ///< of what follows, up to the atomic numbers
  std::condition_variable started_;
  std::deque<task> tasks_;  ///< by number; the oldest is not done
  std::uint32_t next_ = 1;
  int writers_ = 0;  ///< threads that write past the caches now
  bool stops_ = false;

  std::atomic<std::uint32_t> starts_{0};  ///< copies started: what threads look at that wait for work
  std::atomic<int> workers_{0};
  int const most_writers_;
  std::optional<borrowed_threads> threads_;
};

}  // namespace warpdex
