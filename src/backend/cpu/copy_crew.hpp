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

/// For loops that wait for another thread or the device.
void spin_pause();

struct host_copy {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t bytes = 0;
  bool past_caches = false;  ///< whether `to` is not read soon: then its lines are not fetched first
};

/// Threads that copy on the host while the calling one, the only user of this class, does other things. A thread
/// without work looks for some for a while before it sleeps, since to wake it takes about as long as a copy. Copies are
/// cut into slices, so that all threads work on the oldest one together and go on to the next without waiting for it.
class copy_crew {
 public:
  /// @param threads that copy, the calling one among them where it helps (0: all cores)
  /// @param most_writers that write past the caches at a time
  copy_crew(int threads, int most_writers);

  /// Waits for slices being copied, not for whole copies.
  ~copy_crew();
  copy_crew(copy_crew const&) = delete;
  copy_crew& operator=(copy_crew const&) = delete;

  /// Threads that have come to copy, besides the calling one: fewer than asked for, or none, while others use them.
  int workers() const noexcept { return workers_.load(std::memory_order_relaxed); }

  /// Copies of a slice are done at once, by the calling thread. @return the number of the copy, for `done`
  std::uint32_t start(host_copy const& copy);

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
