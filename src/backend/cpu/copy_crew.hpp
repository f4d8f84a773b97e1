// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
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
/// There are no locks. The calling thread puts a copy into a slot of a ring and publishes its state word. A thread
/// takes a slice by a compare-and-swap that adds 1 to the state word, copies it, and subtracts 1 from `left`. A copy is
/// done when `left` is 0; then its slot may get another copy.
class copy_crew {
 public:
  /// @param threads threads that copy, the calling one included if it helps; 0 stands for all cores
  /// @param most_writers threads that may write past the caches at the same time
  copy_crew(int threads, int most_writers);

  /// Waits until the slices in work are copied, but not for whole copies.
  ~copy_crew();
  copy_crew(copy_crew const&) = delete;
  copy_crew& operator=(copy_crew const&) = delete;

  /// @return the number of threads that have come to copy, besides the calling one. It is smaller than asked for, or 0,
  /// while other calls use the threads
  int workers() const noexcept { return workers_.load(std::memory_order_relaxed); }

  /// Bytes per copy, at most.
  static constexpr std::size_t most_bytes = std::size_t{1} << 32;

  /// Starts a copy. If it has one slice only, the calling thread copies it at once. Waits if the ring is full, that is,
  /// if the copy `capacity` numbers before is not done; meanwhile the calling thread helps.
  /// @return the number of the copy, for `done`
  std::uint32_t start(host_copy const& copy);

  /// @return whether a copy is done, and its bytes are visible to the calling thread
  bool done(std::uint32_t number) const;

  /// Lets the calling thread copy one slice.
  /// @return false if there is no slice to take
  bool help();

 private:
  static constexpr std::uint32_t capacity = 32;

  /// A slot of the ring, with one copy. The state word holds all that a thread needs to know before it takes a slice,
  /// because until then the slot may get another copy at any time.
  ///
  ///     state   | number of the copy, 32 bits | past caches, 1 bit | slices, 15 bits | slices taken, 16 bits |
  struct slot {
    host_copy copy;
    std::atomic<std::uint64_t> state{0};
    std::atomic<std::uint64_t> left{0};  ///< slices that are not yet copied
  };

  bool help_with(std::uint32_t number);
  bool help_with_any();
  bool join_writers();
  void pass_done();
  void work();

  std::array<slot, capacity> slots_;
  std::atomic<std::uint32_t> oldest_{1};  ///< all copies with smaller numbers are done
  std::atomic<std::uint32_t> next_{1};    ///< number of the next copy
  std::atomic<bool> stops_{false};
  std::atomic<int> workers_{0};
  std::atomic<int> writers_{0};  ///< threads that write past the caches now
  int const most_writers_;
  std::optional<borrowed_threads> threads_;
};

}  // namespace warpdex
