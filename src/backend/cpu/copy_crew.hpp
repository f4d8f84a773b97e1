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

  /// Bytes of a copy at most.
  static constexpr std::size_t most_bytes = std::size_t{1} << 32;

  /// Copies of a slice are done at once, by the calling thread. Waits if one of many copies before is not done.
  /// @return the number of the copy, for `done`
  std::uint32_t start(host_copy const& copy);

  bool done(std::uint32_t number) const;

  /// Lets the calling thread copy a slice.
  /// @return false if there is none
  bool help();

 private:
  static constexpr std::uint32_t capacity = 32;

  /// A copy on its way. What decides about taking a slice stands in the state, as `copy` may be another's by then.
  ///
  ///     state   | number, 32 bits | past caches, 1 bit | slices, 15 bits | slices that threads have taken, 16 bits |
  struct slot {
    host_copy copy;
    std::atomic<std::uint64_t> state{0};
    std::atomic<std::uint64_t> left{0};  ///< slices that are not copied
  };

  bool help_with(std::uint32_t number);
  bool help_with_any();
  bool join_writers();
  void pass_done();
  void work();

  std::array<slot, capacity> slots_;
  std::atomic<std::uint32_t> oldest_{1};  ///< copies before it are done
  std::atomic<std::uint32_t> next_{1};
  std::atomic<bool> stops_{false};
  std::atomic<int> workers_{0};
  std::atomic<int> writers_{0};  ///< threads that write past the caches now
  int const most_writers_;
  std::optional<borrowed_threads> threads_;
};

}  // namespace warpdex
